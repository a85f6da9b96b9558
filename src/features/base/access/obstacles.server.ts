import { clientIdsOf, needsSecondStep, type CurrentActor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { isScanningEnabled } from '#platform/storage/clamd.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Obstacle } from './access.ts';

/**
 * What keeps a person from seeing or doing something besides permissions, controls and flags, each with the page where
 * it is changed.
 */
export async function obstaclesOf(person: CurrentActor): Promise<Obstacle[]> {
  const found = await Promise.all([
    accountObstacles(person),
    signInObstacles(person),
    person.staff ? assignmentObstacles(person) : clientObstacles(person),
    documentObstacles(person),
  ]);
  return found.flat();
}

async function accountObstacles({ contactId, firmLocked }: CurrentActor): Promise<Obstacle[]> {
  const { suspended_at: suspended, removed_at: removed } = await db()
    .selectFrom('contacts')
    .select(['suspended_at', 'removed_at'])
    .where('contact_id', '=', contactId)
    .executeTakeFirstOrThrow();
  const page = `staff/people/${contactId}`;
  return [
    ...(removed !== null ? [{ kind: 'removed', page: 'staff/people' } as const] : []),
    ...(suspended !== null && removed === null ? [{ kind: 'suspended', page } as const] : []),
    ...(firmLocked ? [{ kind: 'firmLocked' } as const] : []),
  ];
}

async function signInObstacles(person: CurrentActor): Promise<Obstacle[]> {
  const { prismGuid, contactId, companyId } = person;
  const { password_hash: password } = await db()
    .selectFrom('users')
    .select('password_hash')
    .where('prism_guid', '=', prismGuid)
    .executeTakeFirstOrThrow();
  const hasSignedIn = await db()
    .selectFrom('audit')
    .select('seq')
    .where('company_id', '=', companyId)
    .where('actor', '=', contactId)
    .limit(1)
    .executeTakeFirst();
  const needsFactor = (await needsSecondStep(prismGuid, contactId)) && !(await hasSecondFactor(prismGuid));
  return [
    ...(password === null && !hasSignedIn
      ? [{ kind: 'neverSignedIn', page: `staff/people/${contactId}` } as const]
      : []),
    ...(person.termsDue ? [{ kind: 'termsDue', page: 'staff/terms' } as const] : []),
    ...(needsFactor ? [{ kind: 'secondStepMissing', page: 'staff/access' } as const] : []),
  ];
}

async function hasSecondFactor(prismGuid: string): Promise<boolean> {
  const app = await db()
    .selectFrom('totp_secrets')
    .select('prism_guid')
    .where('prism_guid', '=', prismGuid)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  const passkey = await db()
    .selectFrom('passkeys')
    .select('prism_guid')
    .where('prism_guid', '=', prismGuid)
    .limit(1)
    .executeTakeFirst();
  return app !== undefined || passkey !== undefined;
}

/** A contact sees the clients that they are linked to, while these are not archived. */
async function clientObstacles({ contactId }: Actor): Promise<Obstacle[]> {
  const links = await db()
    .selectFrom('client_contacts')
    .innerJoin('clients', 'clients.client_id', 'client_contacts.client_id')
    .select(['clients.client_id', 'clients.name', 'clients.archived_at'])
    .where('client_contacts.contact_id', '=', contactId)
    .where('clients.merged_into', 'is', null)
    .orderBy('clients.name_key')
    .execute();
  if (links.length === 0) return [{ kind: 'noClient', page: `staff/people/${contactId}/clients` }];
  return links.flatMap(({ client_id: id, name, archived_at: archivedAt }): Obstacle[] =>
    archivedAt === null ? [] : [{ kind: 'clientArchived', name, page: `staff/clients/${id}` }],
  );
}

async function assignmentObstacles(person: Actor): Promise<Obstacle[]> {
  if (person.hasAllClients) return [];
  const page = `staff/people/${person.contactId}/clients`;
  const clients = await clientIdsOf(person).execute();
  return [{ kind: 'assignedOnly', count: clients.length, page }];
}

/** What is about folders and documents of the person's clients. */
async function documentObstacles(person: Actor): Promise<Obstacle[]> {
  const count = {
    ...(person.staff ? NO_FOLDERS : await foldersInTheWay(person)),
    ...(await scansOf(person)),
  };
  const obstacles = [
    { kind: 'contributor', count: count.roles, page: 'documents/rights' },
    { kind: 'lockedItems', count: count.locked, page: 'documents' },
    { kind: 'trashedFolders', count: count.trashed, page: 'documents/trash' },
    { kind: 'infected', count: count.infected, page: 'documents' },
    { kind: 'scanPending', count: isScanningEnabled() ? count.pending : 0, page: 'documents' },
  ] as const;
  return obstacles.filter(({ count: found }) => found > 0);
}

const NO_FOLDERS = { roles: 0, trashed: 0, locked: 0 };

/** Counts folders where a contact is a contributor, folders in the trash, and locked items. */
async function foldersInTheWay(person: Actor): Promise<typeof NO_FOLDERS> {
  const ids = clientIdsOf(person);
  const { roles, trashed, locked } = await db()
    .selectNoFrom((e) => {
      const count = e.fn.countAll<number>().as('count');
      return [
        e
          .selectFrom('container_roles')
          .select(count)
          .where('contact_id', '=', person.contactId)
          .where('role', '=', 'Contributor')
          .as('roles'),
        e
          .selectFrom('containers')
          .select(count)
          .where('client_id', 'in', ids)
          .where('deleted_at', 'is not', null)
          .whereRef('deleted_with', '=', 'container_id')
          .as('trashed'),
        e
          .selectFrom('item_locks')
          .select(count)
          .where('client_id', 'in', ids)
          .where('level', '=', 'Master')
          .as('locked'),
      ];
    })
    .executeTakeFirstOrThrow();
  return { roles: Number(roles), trashed: Number(trashed), locked: Number(locked) };
}

async function scansOf(person: Actor): Promise<{ infected: number; pending: number }> {
  const rows = await db()
    .selectFrom('documents')
    .select((e) => ['scan', e.fn.countAll<number>().as('count')])
    .where('client_id', 'in', clientIdsOf(person))
    .where('deleted_at', 'is', null)
    .where('scan', 'in', ['infected', 'pending'])
    .groupBy('scan')
    .execute();
  const counts = new Map(rows.map(({ scan, count }) => [scan, Number(count)]));
  return { infected: counts.get('infected') ?? 0, pending: counts.get('pending') ?? 0 };
}

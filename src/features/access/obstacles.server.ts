import { clientIdsOf, needsSecondStep } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { termsAreDue } from '#features/people/terms-due.server.ts';
import { isScanningEnabled } from '#platform/clamd.server.ts';
import { db } from '#platform/database.server.ts';
import type { Obstacle } from './access.ts';

/**
 * What keeps a person from seeing or doing something besides permissions, controls and flags, each with the page where
 * it is changed.
 */
export async function obstaclesOf(person: Actor & { firmLocked: boolean }): Promise<Obstacle[]> {
  const found = await Promise.all([
    accountObstacles(person),
    signInObstacles(person),
    person.staff ? assignmentObstacles(person) : clientObstacles(person),
    documentObstacles(person),
  ]);
  return found.flat();
}

async function accountObstacles({
  contactId,
  firmLocked,
}: Actor & { firmLocked: boolean }): Promise<Obstacle[]> {
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

async function signInObstacles(person: Actor): Promise<Obstacle[]> {
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
    ...((await termsAreDue(person)) ? [{ kind: 'termsDue', page: 'staff/terms' } as const] : []),
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
  const count = { roles: 0, locked: 0, trashed: 0, pending: 0, infected: 0 };
  const ids = clientIdsOf(person);
  const number = async (query: { execute: () => Promise<unknown[]> }): Promise<number> =>
    (await query.execute()).length;
  if (!person.staff) {
    count.roles = await number(
      db()
        .selectFrom('container_roles')
        .select('container_id')
        .where('contact_id', '=', person.contactId)
        .where('role', '=', 'Contributor'),
    );
    count.trashed = await number(
      db()
        .selectFrom('containers')
        .select('container_id')
        .where('client_id', 'in', ids)
        .where('deleted_at', 'is not', null)
        .whereRef('deleted_with', '=', 'container_id'),
    );
    count.locked = await number(
      db()
        .selectFrom('item_locks')
        .select('item_id')
        .where('client_id', 'in', ids)
        .where('level', '=', 'Master'),
    );
  }
  const scans = await db()
    .selectFrom('documents')
    .select((e) => ['scan', e.fn.countAll<number>().as('count')])
    .where('client_id', 'in', ids)
    .where('deleted_at', 'is', null)
    .where('scan', 'in', ['infected', 'pending'])
    .groupBy('scan')
    .execute();
  for (const { scan, count: found } of scans)
    if (scan === 'infected' || scan === 'pending') count[scan] = Number(found);
  return [
    ...(count.roles > 0
      ? [{ kind: 'contributor', count: count.roles, page: 'documents/rights' } as const]
      : []),
    ...(count.locked > 0 ? [{ kind: 'lockedItems', count: count.locked, page: 'documents' } as const] : []),
    ...(count.trashed > 0
      ? [{ kind: 'trashedFolders', count: count.trashed, page: 'documents/trash' } as const]
      : []),
    ...(count.infected > 0 ? [{ kind: 'infected', count: count.infected, page: 'documents' } as const] : []),
    ...(count.pending > 0 && isScanningEnabled()
      ? [{ kind: 'scanPending', count: count.pending, page: 'documents' } as const]
      : []),
  ];
}

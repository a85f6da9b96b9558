import { listPending } from '#features/identity/invitations/invitations.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { text as textOf } from '#platform/text/texts.server.ts';
import { soughtPeople } from './people-search.server.ts';

/** Contacts, the team and who is invited, by a part of the name or the whole email address. */
export const searchKind: Contributions['search'][number] = {
  kind: 'people',
  order: 20,
  label: textOf('directory', 'title'),
  icon: 'user',
  page: 'staff/people',
  find: async ({ actor, text, limit, pathTo }) => {
    const people = await findPeople(actor, text, limit + 1);
    return {
      hits: people.map(({ id, isInvitation, name, email }) => ({
        title: name === '' ? email : name,
        href: pathTo(`staff/people/${id}${isInvitation ? '/clients' : ''}`),
        note: email,
      })),
      all: pathTo('staff/people', { searchTerm: text }),
    };
  },
};

interface FoundPerson {
  id: string;
  isInvitation: boolean;
  name: string;
  email: string;
}

async function findPeople(actor: Actor, searchTerm: string, max: number): Promise<FoundPerson[]> {
  const { rows } = await soughtPeople(actor, { searchTerm, fields: {} });
  const found = await rows
    // what orders them too: otherwise SQLite does not merge the orders of people and invitations
    .select(['people.name_key', 'people.id', 'people.is_invitation'])
    .orderBy('people.name_key')
    .orderBy('people.id')
    .limit(max)
    .execute();
  const ids = (isInvitation: number): string[] =>
    found.filter((row) => row.is_invitation === isInvitation).map(({ id }) => id);
  const known = new Map([...(await people(ids(0))), ...(await invited(actor, ids(1)))]);
  return found.flatMap(({ id }) => known.get(id) ?? []);
}

async function people(ids: readonly string[]): Promise<[string, FoundPerson][]> {
  if (ids.length === 0) return [];
  const rows = await db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .select(['contacts.contact_id as id', 'contacts.full_name as name', 'users.prism_guid', 'users.email'])
    .where('contacts.contact_id', 'in', ids)
    .execute();
  return rows.map(({ id, name, prism_guid: guid, email }) => [
    id,
    { id, name, isInvitation: false, email: decryptFrom('users.email', guid, email) },
  ]);
}

async function invited(actor: Actor, ids: readonly string[]): Promise<[string, FoundPerson][]> {
  const invitations = await listPending(actor, ids);
  return invitations.map(({ invitationId: id, firstName, lastName, emailAddress: email }) => [
    id,
    { id, name: `${firstName} ${lastName}`.trim(), isInvitation: true, email },
  ]);
}

import { clientRecordsOf, currentClientIds } from '#features/clients/clients/bulk.server.ts';
import { linkContact, unlinkContact } from '#features/clients/directory/management.server.ts';
import { invitationOf, setInvitationClients } from '#features/identity/invitations/invitations.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inBatches } from '#platform/database/database.server.ts';
import type { KeptReason } from './imports.ts';
import type { KnownPerson } from './people-lookup.server.ts';

/* Links between people and clients: of contacts, and of those whose invitation waits. */

/** The links of these people: each as the ids of the person and the client. */
export async function linksOf(people: readonly KnownPerson[]): Promise<Set<string>> {
  const links = new Set<string>();
  for (const person of people)
    if (person.kind === 'invitation')
      for (const client of person.invitation.clientIds) links.add(`${person.id} ${client}`);
  const contactIds = people.flatMap(({ kind, id }) => (kind === 'contact' ? [id] : []));
  for (const ids of inBatches(contactIds))
    for (const row of await db()
      .selectFrom('client_contacts')
      .select(['contact_id', 'client_id'])
      .where('contact_id', 'in', ids)
      .execute())
      links.add(`${row.contact_id} ${row.client_id}`);
  return links;
}

/** The numbers of the clients of these people, by the ids of the people. */
export async function clientCodesOf(
  actor: Actor,
  people: readonly KnownPerson[],
): Promise<Map<string, string[]>> {
  const records = await clientRecordsOf(actor, await currentClientIds(actor));
  const codes = new Map(records.map(({ id, code }) => [id, code]));
  const found = new Map<string, string[]>();
  for (const link of await linksOf(people)) {
    const [person = '', client = ''] = link.split(' ');
    const code = codes.get(client) ?? '';
    if (code !== '') found.set(person, [...(found.get(person) ?? []), code].toSorted());
  }
  return found;
}

const isInvitation = (personId: string): boolean => personId.startsWith('invitation_');

/** Links a person to clients; returns those that were not linked before. */
export async function addLinks(
  actor: Actor,
  personId: string,
  clientIds: readonly string[],
): Promise<string[]> {
  const linked = new Set(await linkedClients(actor, personId));
  const added = clientIds.filter((id) => !linked.has(id));
  if (!isInvitation(personId)) for (const clientId of added) await linkContact(actor, personId, clientId);
  else if (added.length > 0) await setInvitationClients(actor, personId, (earlier) => [...earlier, ...added]);
  return added;
}

async function linkedClients(actor: Actor, personId: string): Promise<readonly string[]> {
  if (isInvitation(personId)) return (await invitationOf(actor, personId)).clientIds;
  const rows = await db()
    .selectFrom('client_contacts')
    .select('client_id')
    .where('contact_id', '=', personId)
    .execute();
  return rows.map(({ client_id: id }) => id);
}

/** Removes links again; GONE if the invitation no longer waits. */
export async function removeLinks(
  actor: Actor,
  personId: string,
  removed: readonly string[],
): Promise<KeptReason | undefined> {
  if (!isInvitation(personId)) {
    for (const clientId of removed) await unlinkContact(actor, personId, clientId);
    return undefined;
  }
  const { state } = await invitationOf(actor, personId);
  if (state === 'accepted' || state === 'revoked') return 'GONE';
  await setInvitationClients(actor, personId, (clientIds) => clientIds.filter((id) => !removed.includes(id)));
  return undefined;
}

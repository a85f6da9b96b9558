import { clientRecordsOf, clientsByCode, currentClientIds } from '#features/clients/bulk.server.ts';
import { linkContact, unlinkContact } from '#features/directory/management.server.ts';
import { listPending, setInvitationClients } from '#features/invitations/invitations.server.ts';
import type { Actor } from '#features/people/people.ts';
import { db, fold } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { assertMay } from './contact-rows.server.ts';
import type { KeptReason } from './imports.ts';
import { allContacts, invitationIn, peopleByEmail, type KnownPerson } from './people-lookup.server.ts';
import type { Applied, RecordKind, RowStep, RowValues, Verdict } from './record-kind.ts';

/** Which contacts act for which clients, by their email addresses and numbers. Links are only added. */
export const linkRows: RecordKind = {
  kind: 'links',
  fields: [
    { name: 'code', isRequired: true },
    { name: 'email', isRequired: true },
  ],
  keyOf: ({ code, email }) =>
    code === undefined || email === undefined ? undefined : `${fold(code)} ${fold(email)}`,
  labelOf: ({ code, email }) => [code, email].filter(Boolean).join(' · '),
  assertMay,
  check,
  apply,
  undo,
  invitationIn,
  list,
};

async function check(actor: Actor, rows: readonly RowValues[]): Promise<Verdict[]> {
  const people = await peopleByEmail(
    actor,
    rows.flatMap((values) => values['email'] ?? []),
  );
  const clients = await clientsByCode(
    actor,
    rows.flatMap((values) => values['code'] ?? []),
  );
  const links = await linksOf([...people.values()]);
  return rows.map(({ code, email }): Verdict => {
    if (code === undefined) return { action: 'problem', problems: [{ code: 'MISSING', field: 'code' }] };
    if (email === undefined) return { action: 'problem', problems: [{ code: 'MISSING', field: 'email' }] };
    const [client, person] = [clients.get(fold(code)), people.get(fold(email))];
    if (client === undefined)
      return { action: 'problem', problems: [{ code: 'CLIENT_UNKNOWN', field: 'code' }] };
    if (!person) return { action: 'problem', problems: [{ code: 'CONTACT_UNKNOWN', field: 'email' }] };
    if (person.kind === 'contact' && person.isStaff)
      return { action: 'problem', problems: [{ code: 'IS_STAFF', field: 'email' }] };
    const target = `${person.id} ${client}`;
    return links.has(target)
      ? { action: 'none', target, changes: [] }
      : { action: 'update', target, changes: ['code'] };
  });
}

const PER_QUERY = 500;

/** The links of these people: each as the ids of the person and the client. */
async function linksOf(people: readonly KnownPerson[]): Promise<Set<string>> {
  const links = new Set<string>();
  for (const person of people)
    if (person.kind === 'invitation')
      for (const client of person.invitation.clientIds) links.add(`${person.id} ${client}`);
  const ids = people.flatMap(({ kind, id }) => (kind === 'contact' ? [id] : []));
  for (let start = 0; start < ids.length; start += PER_QUERY)
    for (const row of await db()
      .selectFrom('client_contacts')
      .select(['contact_id', 'client_id'])
      .where('contact_id', 'in', ids.slice(start, start + PER_QUERY))
      .execute())
      links.add(`${row.contact_id} ${row.client_id}`);
  return links;
}

async function apply(actor: Actor, _: RowValues, step: RowStep): Promise<Applied> {
  if (step.action === 'create') throw new PortalError('INVALID'); // a link is added to people who are there
  const [person = '', client = ''] = step.target.split(' ');
  if (person.startsWith('invitation_'))
    await setInvitationClients(actor, person, (clientIds) => [...clientIds, client]);
  else await linkContact(actor, person, client);
  return { target: step.target, before: {} };
}

async function undo(actor: Actor, _: RowValues, { target }: Applied): Promise<KeptReason | undefined> {
  const [person = '', client = ''] = target.split(' ');
  if (!person.startsWith('invitation_')) {
    await unlinkContact(actor, person, client);
    return undefined;
  }
  const isPending = (await listPending(actor)).some(({ invitationId }) => invitationId === person);
  if (!isPending) return 'GONE';
  await setInvitationClients(actor, person, (clientIds) => clientIds.filter((id) => id !== client));
  return undefined;
}

async function list(actor: Actor): Promise<string[][]> {
  const records = await clientRecordsOf(actor, await currentClientIds(actor));
  const codes = new Map(records.map(({ id, code }) => [id, code]));
  const people: KnownPerson[] = [
    ...(await allContacts(actor)),
    ...(await listPending(actor)).flatMap((invitation): KnownPerson[] =>
      invitation.role === undefined ? [{ kind: 'invitation', id: invitation.invitationId, invitation }] : [],
    ),
  ];
  const emails = new Map(
    people.map((one) => [one.id, one.kind === 'contact' ? one.email : one.invitation.emailAddress]),
  );
  return [...(await linksOf(people))].flatMap((link) => {
    const [person = '', client = ''] = link.split(' ');
    const code = codes.get(client) ?? '';
    return code === '' ? [] : [[code, emails.get(person) ?? '']];
  });
}

import { clientsByCode } from '#features/clients/clients/bulk.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { fold } from '#platform/database/database.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { addLinks, clientCodesOf, linksOf, removeLinks } from './contact-links.server.ts';
import { assertMay } from './contact-rows.server.ts';
import type { KeptReason } from './imports.ts';
import { everyone, invitationIn, peopleByEmail } from './people-lookup.server.ts';
import type { Applied, RecordKind, RowStep, RowToApply, RowValues, Verdict } from './record-kind.ts';

/** Which contacts act for which clients, by their email addresses and numbers. Links are only added. */
export const linkRows: RecordKind = {
  kind: 'links',
  title: text('imports', 'kind_links'),
  order: 30,
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

async function apply(actor: Actor, rows: readonly RowToApply[]): Promise<Applied[]> {
  const applied: Applied[] = [];
  for (const { step } of rows) applied.push(await link(actor, step));
  return applied;
}

async function link(actor: Actor, step: RowStep): Promise<Applied> {
  if (step.action === 'create') throw new PortalError('INVALID'); // a link is added to people who are there
  const [person = '', client = ''] = step.target.split(' ');
  await addLinks(actor, person, [client]);
  return { target: step.target, before: {} };
}

function undo(actor: Actor, _: RowValues, { target }: Applied): Promise<KeptReason | undefined> {
  const [person = '', client = ''] = target.split(' ');
  return removeLinks(actor, person, [client]);
}

async function list(actor: Actor): Promise<string[][]> {
  const people = await everyone(actor);
  const codes = await clientCodesOf(actor, people);
  return people.flatMap((person) => {
    const email = person.kind === 'contact' ? person.email : person.invitation.emailAddress;
    return (codes.get(person.id) ?? []).map((code) => [code, email]);
  });
}

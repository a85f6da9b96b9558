import { z } from 'zod';
import { clientsByCode } from '#features/clients/clients/bulk.server.ts';
import { emailAddress, name } from '#platform/inputs/line-schemas.ts';
import { text } from '#platform/text/texts.server.ts';
import { splitCodes } from '#features/clients/directory/adding.server.ts';
import { rename } from '#features/clients/directory/management.server.ts';
import {
  assertManagesContacts,
  invitationOf,
  prepareInvitations,
  revokeInvitation,
} from '#features/identity/invitations/invitations.server.ts';
import type { InvitationRequest } from '#features/identity/invitations/invitations.ts';
import type { Actor } from '#features/base/people/people.ts';
import { fold } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { langOf } from './client-values.server.ts';
import { addLinks, clientCodesOf, linksOf, removeLinks } from './contact-links.server.ts';
import type { KeptReason, RowProblemOf } from './imports.ts';
import {
  contactsByEmail,
  everyone,
  invitationIn,
  peopleByEmail,
  type KnownPerson,
} from './people-lookup.server.ts';
import {
  appliedOf,
  type Applied,
  type RecordKind,
  type RowToApply,
  type RowToUpdate,
  type RowValues,
  type Verdict,
} from './record-kind.ts';

/**
 * Contacts, recognized by their email addresses. A new one is an invitation that is not sent: an import
 * sends them only if that was chosen. Links to clients are only added.
 */
export const contactRows: RecordKind = {
  kind: 'contacts',
  title: text('imports', 'kind_contacts'),
  order: 20,
  fields: [
    { name: 'email', isRequired: true },
    { name: 'firstName' },
    { name: 'lastName' },
    { name: 'language' },
    { name: 'clientCodes' },
  ],
  keyOf: (values) => (values['email'] === undefined ? undefined : fold(values['email'])),
  labelOf: ({ email, firstName, lastName }) =>
    [[firstName, lastName].filter(Boolean).join(' '), email].filter(Boolean).join(' · '),
  assertMay,
  check,
  apply,
  undo,
  invitationIn,
  list,
};

/** Only those who act for all clients see every contact. */
export function assertMay(actor: Actor): void {
  assertManagesContacts(actor);
  if (!actor.hasAllClients) throw new PortalError('FORBIDDEN');
}

/** What a row is compared with: the clients by folded number, and the links of people. */
interface Known {
  clients: ReadonlyMap<string, string>;
  links: ReadonlySet<string>;
}

async function check(actor: Actor, rows: readonly RowValues[]): Promise<Verdict[]> {
  const people = await peopleByEmail(
    actor,
    rows.flatMap((values) => values['email'] ?? []),
  );
  const clients = await clientsByCode(
    actor,
    rows.flatMap((values) => splitCodes(values['clientCodes'])),
  );
  const links = await linksOf([...people.values()]);
  return rows.map((values) => verdictOn(values, people.get(fold(values['email'] ?? '')), { clients, links }));
}

function verdictOn(values: RowValues, person: KnownPerson | undefined, known: Known): Verdict {
  const problems = [...problemsIn(values, person), ...unknownClients(values, known)];
  if (problems.length > 0) return { action: 'problem', problems };
  if (!person) return { action: 'create' };
  const { firstName, lastName } = values;
  const isRenamed =
    person.kind === 'contact' &&
    firstName !== undefined &&
    lastName !== undefined &&
    person.fullName !== `${firstName} ${lastName}`;
  const isLinked = splitCodes(values['clientCodes']).some(
    (code) => !known.links.has(`${person.id} ${known.clients.get(fold(code))}`),
  );
  const changes = [...(isRenamed ? ['firstName', 'lastName'] : []), ...(isLinked ? ['clientCodes'] : [])];
  return { action: changes.length > 0 ? 'update' : 'none', target: person.id, changes };
}

const unknownClients = (values: RowValues, { clients }: Known): RowProblemOf[] =>
  splitCodes(values['clientCodes']).some((code) => !clients.has(fold(code)))
    ? [{ code: 'CLIENT_UNKNOWN', field: 'clientCodes' }]
    : [];

function problemsIn(values: RowValues, person: KnownPerson | undefined): RowProblemOf[] {
  const { email, language } = values;
  if (email === undefined) return [{ code: 'MISSING', field: 'email' }];
  if (!emailAddress.safeParse(email).success) return [{ code: 'EMAIL', field: 'email' }];
  if (person?.kind === 'contact' && person.isStaff) return [{ code: 'IS_STAFF', field: 'email' }];
  const names = ['firstName', 'lastName'].flatMap((field): RowProblemOf[] => {
    if (values[field] === undefined) return person ? [] : [{ code: 'MISSING', field }];
    return name.safeParse(values[field]).success ? [] : [{ code: 'INVALID', field }];
  });
  const isUnknown = language !== undefined && languageOf(langOf(language)) === undefined;
  return [...names, ...(isUnknown ? [{ code: 'LANGUAGE' as const, field: 'language' }] : [])];
}

/** What an update changed: the name, and the clients that were added. */
const updated = z.strictObject({
  name: z.strictObject({ before: z.string(), after: z.string() }).optional(),
  addedClients: z.array(z.string()),
});

async function apply(actor: Actor, rows: readonly RowToApply[]): Promise<Applied[]> {
  const clients = await clientsByCode(
    actor,
    rows.flatMap(({ values }) => splitCodes(values['clientCodes'])),
  );
  const created = await prepareInvitations(
    actor,
    rows.flatMap(({ step, values }) =>
      step.action === 'create' ? [invitationFor(actor, values, clients)] : [],
    ),
  );
  return appliedOf(rows, created, (row) => update(actor, row, clients));
}

async function update(
  actor: Actor,
  { step, values }: RowToUpdate,
  clients: Known['clients'],
): Promise<Applied> {
  const name = step.changes.includes('firstName')
    ? await renameContact(actor, values, step.target)
    : undefined;
  const addedClients = await addLinks(actor, step.target, clientIdsIn(values, clients));
  return { target: step.target, before: { ...(name && { name }), addedClients } };
}

/** The ids of the clients that a row names; unknown numbers are left out. */
const clientIdsIn = (values: RowValues, clients: Known['clients']): string[] => [
  ...new Set(splitCodes(values['clientCodes']).flatMap((code) => clients.get(fold(code)) ?? [])),
];

const invitationFor = (actor: Actor, values: RowValues, clients: Known['clients']): InvitationRequest => {
  const { email, firstName = '', lastName = '', language } = values;
  return {
    emailAddress: emailAddress.parse(email),
    firstName,
    lastName,
    language: languageOf(langOf(language ?? actor.language)) ?? DEFAULT_LANG,
    clientIds: clientIdsIn(values, clients),
  };
};

/** Renames a contact; returns the names before and after. */
async function renameContact(
  actor: Actor,
  { email = '', firstName = '', lastName = '' }: RowValues,
  contactId: string,
): Promise<{ before: string; after: string }> {
  const person = (await contactsByEmail(actor, [email])).get(fold(email));
  if (person?.id !== contactId) throw new PortalError('NOT_FOUND');
  await rename(actor, contactId, { firstName, lastName });
  return { before: person.fullName, after: `${firstName} ${lastName}` };
}

async function undo(
  actor: Actor,
  { email = '' }: RowValues,
  { target, before }: Applied,
): Promise<KeptReason | undefined> {
  if (before === undefined) {
    const { state } = await invitationOf(actor, target);
    if (state === 'accepted') return 'IN_USE';
    await revokeInvitation(actor, target);
    return undefined;
  }
  const { name: names, addedClients } = updated.parse(before);
  if (names) {
    const person = (await contactsByEmail(actor, [email])).get(fold(email));
    if (person?.id !== target) return 'GONE';
    if (person.fullName !== names.after) return 'CHANGED_SINCE';
    await rename(actor, target, splitName(names.before));
  }
  return removeLinks(actor, target, addedClients);
}

/** The last word is the last name. */
function splitName(fullName: string): { firstName: string; lastName: string } {
  const at = fullName.lastIndexOf(' ');
  return at < 0
    ? { firstName: fullName, lastName: '' }
    : { firstName: fullName.slice(0, at), lastName: fullName.slice(at + 1) };
}

async function list(actor: Actor): Promise<string[][]> {
  const people = await everyone(actor);
  const codes = await clientCodesOf(actor, people);
  return people.map((person) => {
    const clientCodes = codes.get(person.id)?.join(', ') ?? '';
    if (person.kind === 'contact') {
      const { firstName, lastName } = splitName(person.fullName);
      return [person.email, firstName, lastName, '', clientCodes];
    }
    const { emailAddress: email, firstName, lastName, language } = person.invitation;
    return [email, firstName, lastName, language, clientCodes];
  });
}

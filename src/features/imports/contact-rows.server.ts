import { z } from 'zod';
import { emailAddress, name } from '#features/credentials/credentials.ts';
import { rename } from '#features/directory/management.server.ts';
import {
  assertManagesContacts,
  invitationOf,
  listPending,
  prepareInvitation,
  revokeInvitation,
} from '#features/invitations/invitations.server.ts';
import type { Actor } from '#features/people/people.ts';
import { fold } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/languages.ts';
import { langOf } from './client-values.server.ts';
import type { KeptReason, RowProblemOf } from './imports.ts';
import {
  allContacts,
  contactsByEmail,
  invitationIn,
  peopleByEmail,
  type KnownPerson,
} from './people-lookup.server.ts';
import type { Applied, RecordKind, RowStep, RowValues, Verdict } from './record-kind.ts';

/**
 * Contacts, recognized by their email addresses. A new one is an invitation that is not sent: an import
 * sends them only if that was chosen.
 */
export const contactRows: RecordKind = {
  kind: 'contacts',
  fields: [
    { name: 'email', isRequired: true },
    { name: 'firstName' },
    { name: 'lastName' },
    { name: 'language' },
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

async function check(actor: Actor, rows: readonly RowValues[]): Promise<Verdict[]> {
  const known = await peopleByEmail(
    actor,
    rows.flatMap((values) => values['email'] ?? []),
  );
  return rows.map((values) => verdictOn(values, known.get(fold(values['email'] ?? ''))));
}

function verdictOn(values: RowValues, person: KnownPerson | undefined): Verdict {
  const problems = problemsIn(values, person);
  if (problems.length > 0) return { action: 'problem', problems };
  if (!person) return { action: 'create' };
  if (person.kind === 'invitation') return { action: 'none', target: person.id, changes: [] };
  const { firstName, lastName } = values;
  const isRenamed =
    firstName !== undefined && lastName !== undefined && person.fullName !== `${firstName} ${lastName}`;
  return isRenamed
    ? { action: 'update', target: person.id, changes: ['firstName', 'lastName'] }
    : { action: 'none', target: person.id, changes: [] };
}

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

const nameImages = z.strictObject({ before: z.string(), after: z.string() });

async function apply(actor: Actor, values: RowValues, step: RowStep): Promise<Applied> {
  const { email = '', firstName = '', lastName = '', language } = values;
  if (step.action === 'create') {
    const { invitationId } = await prepareInvitation(actor, {
      emailAddress: emailAddress.parse(email),
      firstName,
      lastName,
      language: languageOf(langOf(language ?? actor.language)) ?? DEFAULT_LANG,
      clientIds: [],
    });
    return { target: invitationId };
  }
  const person = (await contactsByEmail(actor, [email])).get(fold(email));
  if (person?.id !== step.target) throw new PortalError('NOT_FOUND');
  await rename(actor, person.id, { firstName, lastName });
  return { target: person.id, before: { before: person.fullName, after: `${firstName} ${lastName}` } };
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
  const images = nameImages.parse(before);
  const person = (await contactsByEmail(actor, [email])).get(fold(email));
  if (person?.id !== target) return 'GONE';
  if (person.fullName !== images.after) return 'CHANGED_SINCE';
  await rename(actor, target, splitName(images.before));
  return undefined;
}

/** The last word is the last name. */
function splitName(fullName: string): { firstName: string; lastName: string } {
  const at = fullName.lastIndexOf(' ');
  return at < 0
    ? { firstName: fullName, lastName: '' }
    : { firstName: fullName.slice(0, at), lastName: fullName.slice(at + 1) };
}

async function list(actor: Actor): Promise<string[][]> {
  const contacts = (await allContacts(actor)).map(({ email, fullName }) => {
    const { firstName, lastName } = splitName(fullName);
    return [email, firstName, lastName, ''];
  });
  const invited = (await listPending(actor)).flatMap((one) =>
    one.role === undefined ? [[one.emailAddress, one.firstName, one.lastName, one.language]] : [],
  );
  return [...contacts, ...invited];
}

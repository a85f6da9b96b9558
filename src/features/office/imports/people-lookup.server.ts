import { listPending, pendingByEmail } from '#features/identity/invitations/invitations.server.ts';
import type { Invitation } from '#features/identity/invitations/invitations.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, fold, inBatches } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';

type KnownContact = Extract<KnownPerson, { kind: 'contact' }>;

/** Someone of the firm, or invited to it. */
export type KnownPerson =
  | { kind: 'contact'; id: string; isStaff: boolean; fullName: string; email: string }
  | { kind: 'invitation'; id: string; invitation: Invitation };

/** The invitation in the id that a row has stored, which begins with the person. */
export const invitationIn = (target: string): string | undefined =>
  target.startsWith('invitation_') ? target.split(' ')[0] : undefined;

/** Finds people by their email addresses: by folded address. */
export async function peopleByEmail(
  actor: Actor,
  emails: readonly string[],
): Promise<Map<string, KnownPerson>> {
  const found = new Map<string, KnownPerson>();
  for (const invitation of await pendingByEmail(actor, emails))
    if (invitation.role === undefined)
      found.set(fold(invitation.emailAddress), {
        kind: 'invitation',
        id: invitation.invitationId,
        invitation,
      });
  for (const [email, contact] of await contactsByEmail(actor, emails)) found.set(email, contact);
  return found;
}

/** Finds those of them who belong to the firm. */
export async function contactsByEmail(
  actor: Actor,
  emails: readonly string[],
): Promise<Map<string, KnownContact>> {
  const found = new Map<string, KnownContact>();
  const keys = await Promise.all([...new Set(emails.map(fold))].map(blindIndex));
  for (const some of inBatches(keys)) {
    const rows = await contactsOf(actor).where('users.email_key', 'in', some).execute();
    for (const contact of rows.map(presentContact)) found.set(fold(contact.email), contact);
  }
  return found;
}

/** Contacts of the firm, then those whose invitation waits. */
export async function everyone(actor: Actor): Promise<KnownPerson[]> {
  const pending = (await listPending(actor)).flatMap((invitation): KnownPerson[] =>
    invitation.role === undefined ? [{ kind: 'invitation', id: invitation.invitationId, invitation }] : [],
  );
  return [...(await allContacts(actor)), ...pending];
}

async function allContacts(actor: Actor): Promise<KnownContact[]> {
  const rows = await contactsOf(actor)
    .where('contacts.staff', '=', 0)
    .orderBy('contacts.full_name')
    .execute();
  return rows.map(presentContact);
}

const contactsOf = (actor: Actor) =>
  db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .select([
      'contacts.contact_id',
      'contacts.staff',
      'contacts.full_name',
      'users.prism_guid',
      'users.email',
    ])
    .where('contacts.company_id', '=', actor.companyId)
    .where('contacts.removed_at', 'is', null);

type ContactRow = Awaited<ReturnType<ReturnType<typeof contactsOf>['execute']>>[number];

const presentContact = (row: ContactRow) => ({
  kind: 'contact' as const,
  id: row.contact_id,
  isStaff: row.staff === 1,
  fullName: row.full_name,
  email: decryptFrom('users.email', row.prism_guid, row.email),
});

import { actorOf } from '#features/base/people/people.server.ts';
import { canAccessPortal, isReadOnly, type Actor, type Session } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';

/**
 * Returns the contact as whom the caller continues an upload: as themselves or, if they have switched accounts since they began
 * it, as the contact who began it, for whom all rights are checked as always. Only the same person at a browser, with
 * the rights to enter that account now: a view as a contact stays without writes (threat-model.md T14), and a program
 * with a token has one account. For all others the upload is not found, as an unknown one.
 */
export async function uploaderOf({ actor, ...session }: Session, uploadId: string): Promise<Actor> {
  if (session.viewing || session.byToken !== undefined) return actor;
  const begun = await db()
    .selectFrom('uploads')
    .innerJoin('contacts', 'contacts.contact_id', 'uploads.contact_id')
    .select('contacts.contact_id')
    .where('uploads.upload_id', '=', uploadId)
    .where('contacts.prism_guid', '=', actor.prismGuid)
    .where('contacts.contact_id', '!=', actor.contactId)
    .where('contacts.removed_at', 'is', null)
    .executeTakeFirst();
  if (!begun) return actor;
  const { firmLocked, termsDue, secondStepRequired, ...owner } = await actorOf(begun.contact_id);
  const canEnter = !firmLocked && !termsDue && (!secondStepRequired || session.amr.includes('mfa'));
  if (!canEnter || !canAccessPortal(owner) || isReadOnly(owner)) return actor;
  return { ...owner, ...(actor.sessionId !== undefined && { sessionId: actor.sessionId }) };
}

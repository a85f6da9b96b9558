import { sql } from 'kysely';
import { invitedStaff, type InvitedStaff } from '#features/identity/invitations/invited-staff.server.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { staffOf } from '#features/base/people/staff.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Choice } from '#platform/forms/forms.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

const MAX_TAGS = 200;

/**
 * The tags of the firm's clients, the first 200. Of all clients they are found by jumping from tag to tag in
 * the index, whose length does not matter then.
 */
export async function tagChoices(actor: Actor): Promise<Choice[]> {
  const { rows } = actor.hasAllClients
    ? await sql<{ tag: string }>`
        with recursive keys (tag_key) as (
          select min(tag_key) from client_tags where company_id = ${actor.companyId}
          union all
          select (select min(next.tag_key) from client_tags as next where next.company_id = ${actor.companyId} and next.tag_key > keys.tag_key)
          from keys where keys.tag_key is not null
        )
        select (select tag from client_tags where client_tags.company_id = ${actor.companyId} and client_tags.tag_key = keys.tag_key limit 1) as tag
        from keys where tag_key is not null limit ${MAX_TAGS}`.execute(db())
    : await sql<{ tag: string }>`
        select min(tag) as tag from client_tags where client_id in ${clientIdsOf(actor)}
        group by tag_key order by tag_key limit ${MAX_TAGS}`.execute(db());
  return rows.map(({ tag }) => ({ value: tag, text: tag }));
}

/** The staff of the firm who can be responsible for clients, by name, then those who are invited to the team. */
export async function responsibleChoices(
  actor: Actor,
  lang: Lang,
): Promise<{ staff: Choice[]; all: Choice[] }> {
  const rows = await staffRows(actor)
    .select((e) =>
      e
        .exists(
          e
            .selectFrom('invitations')
            .select('invitation_id')
            .where('company_id', '=', actor.companyId)
            .where('role', '!=', '')
            .where('accepted_at', 'is', null)
            .where('revoked_at', 'is', null),
        )
        .as('has_invited'),
    )
    .execute();
  const staff = rows.map(choiceOf);
  // what is not there needs no statement of its own
  if (!rows.some((row) => Boolean(row.has_invited))) invitedStaff.found([], actor.companyId);
  const invited = await invitedStaff(actor.companyId);
  const others = invited.map((person) => ({
    value: person.invitationId,
    text: nameOfInvited(lang, person),
  }));
  return { staff, all: [...staff, ...others] };
}

/** The name of somebody who was invited to the team, and that they have not accepted yet. */
export const nameOfInvited = (lang: Lang, { fullName: name, isExpired }: InvitedStaff): string =>
  translationsFor(lang, 'records')(isExpired ? 'invitedExpired' : 'invited', { name });

/** The staff of the firm, by name. */
export const staffChoices = async (actor: Actor): Promise<Choice[]> =>
  (await staffRows(actor).execute()).map(choiceOf);

const staffRows = (actor: Actor) =>
  staffOf(actor.companyId)
    .select(['contacts.contact_id', 'contacts.full_name'])
    .where('contacts.suspended_at', 'is', null)
    .orderBy('contacts.name_key')
    .orderBy('contacts.contact_id');

const choiceOf = (row: { contact_id: string; full_name: string }): Choice => ({
  value: row.contact_id,
  text: row.full_name,
});

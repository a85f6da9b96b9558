import { sql } from 'kysely';
import { clientIdsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { staffOf } from '#features/people/staff.server.ts';
import { db } from '#platform/database.server.ts';
import type { Choice } from '#platform/forms.ts';

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

/** The staff of the firm who can be responsible for clients, by name. */
export async function staffChoices(actor: Actor): Promise<Choice[]> {
  const rows = await staffOf(actor.companyId)
    .select(['contact_id', 'full_name'])
    .where('suspended_at', 'is', null)
    .orderBy('name_key')
    .orderBy('contact_id')
    .execute();
  return rows.map((row) => ({ value: row.contact_id, text: row.full_name }));
}

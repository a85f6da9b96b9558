import { sql, type RawBuilder } from 'kysely';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { CLIENT_KINDS, type Audience } from './news.ts';

/** Whom an article is for: kinds of clients, keys of tags or ids of clients; none for all clients. */
export interface Recipients {
  audience: Audience;
  values: readonly string[];
}

/**
 * The condition that a row of `articles` is for a client that the actor acts for. Whether they have a client of a kind is
 * looked up once and not with each article, as are the tags of their clients; where these are many, one of them is looked
 * for among the clients with the tag.
 */
export const isForActor = (actor: Actor): RawBuilder<boolean> => {
  const own = clientIdsOf(actor);
  const ownWith = (condition: RawBuilder<boolean>) => sql`exists ${own.where(condition)}`;
  const hasKind = sql.join(
    CLIENT_KINDS.map(
      (kind) => sql`(chosen.value = ${kind} and ${ownWith(sql`clients.kind = ${sql.lit(kind)}`)})`,
    ),
    sql` or `,
  );
  const hasTag = actor.hasManyClients
    ? sql`exists (select 1 from client_tags as tags where tags.company_id = ${actor.companyId} and tags.tag_key = chosen.value and ${ownWith(sql`clients.client_id = tags.client_id`)})`
    : sql`chosen.value in (select tags.tag_key from client_tags as tags where tags.client_id in ${own})`;
  return sql<boolean>`(
    (articles.audience = 'all' and exists ${own})
    or exists (select 1 from article_audiences as chosen where chosen.article_id = articles.article_id and (
      (articles.audience = 'clients' and ${ownWith(sql`clients.client_id = chosen.value`)})
      or (articles.audience = 'kinds' and (${hasKind}))
      or (articles.audience = 'tags' and ${hasTag}))))`;
};

/** The clients of a firm that an article is for. Archived ones are not told any more. */
const clientsOf = (companyId: string, { audience, values }: Recipients) =>
  db()
    .selectFrom('clients')
    .where('clients.company_id', '=', companyId)
    .where('clients.archived_at', 'is', null)
    .$if(audience !== 'all' && values.length === 0, (clients) => clients.where(sql<boolean>`1 = 0`))
    .$if(audience === 'clients' && values.length > 0, (clients) =>
      clients.where('clients.client_id', 'in', values),
    )
    .$if(audience === 'kinds' && values.length > 0, (clients) =>
      clients.where('clients.kind', 'in', values as ('business' | 'individual')[]),
    )
    .$if(audience === 'tags' && values.length > 0, (clients) =>
      clients.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('client_tags as tags')
            .select('tags.client_id')
            .whereRef('tags.client_id', '=', 'clients.client_id')
            .where('tags.tag_key', 'in', values),
        ),
      ),
    );

/** The people of these clients who can sign in, each once. */
const peopleOf = (companyId: string, recipients: Recipients) =>
  clientsOf(companyId, recipients)
    .innerJoin('client_contacts', 'client_contacts.client_id', 'clients.client_id')
    .innerJoin('contacts', 'contacts.contact_id', 'client_contacts.contact_id')
    .where('contacts.staff', '=', 0)
    .where('contacts.removed_at', 'is', null)
    .where('contacts.suspended_at', 'is', null);

export interface Reach {
  clients: number;
  people: number;
}

/** How many clients an article is for, and how many of their people can sign in. */
export async function reachOf(companyId: string, recipients: Recipients): Promise<Reach> {
  const clients = await clientsOf(companyId, recipients)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const people = await peopleOf(companyId, recipients)
    .select((e) => e.fn.count<number>('contacts.contact_id').distinct().as('count'))
    .executeTakeFirstOrThrow();
  return { clients: Number(clients.count), people: Number(people.count) };
}

/** A person whom an article is for, with one of the clients for which it is. */
interface Recipient {
  contactId: string;
  clientId: string;
}

/** The people whom an article is for, in the order of their ids, those after one of them. */
export async function recipientsAfter(
  companyId: string,
  recipients: Recipients,
  { after, limit }: { after: string; limit: number },
): Promise<Recipient[]> {
  const rows = await peopleOf(companyId, recipients)
    .select((e) => ['contacts.contact_id', e.fn.min('clients.client_id').as('client_id')])
    .where('contacts.contact_id', '>', after)
    .groupBy('contacts.contact_id')
    .orderBy('contacts.contact_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ contactId: row.contact_id, clientId: row.client_id }));
}

import { sql } from 'kysely';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { documentsByIds } from './documents.server.ts';
import type { Document } from './documents.ts';
import { documentsOf } from './scope.server.ts';

/**
 * How many of the newest unread documents are looked at: with a million unread ones, a list or a count costs no more
 * than this many.
 */
const MAX_UNREAD_CONSIDERED = 1000;

const newestUnread = ({ contactId }: Actor) =>
  sql`select document_id, client_id, created_at from unread where contact_id = ${contactId} order by created_at desc, document_id desc limit ${MAX_UNREAD_CONSIDERED}`;

/** The newest documents by the firm that a contact has not read yet, over all their clients. */
export async function newFromFirm(actor: Actor, limit: number): Promise<Document[]> {
  const rows = await documentsOf(actor)
    .clearSelect()
    .select('documents.document_id')
    .where('documents.uploaded_by_staff', '=', 1)
    .where(
      sql<boolean>`documents.document_id in (select document_id from (${newestUnread(actor)}) as newest)`,
    )
    .orderBy('documents.created_at', 'desc')
    .orderBy('documents.document_id', 'desc')
    .limit(limit)
    .execute();
  return documentsByIds(
    actor,
    rows.map((row) => row.document_id),
  );
}

/** What a contact has not read at a client. */
export interface UnreadAtClient {
  clientId: string;
  /** At most MAX_UNREAD_CONSIDERED. */
  count: number;
  /** When the newest one was added, in epoch ms. */
  newestAt: number;
}

/** What a contact has not read, by client. It may name clients that they no longer act for. */
export async function unreadByClient(actor: Actor): Promise<UnreadAtClient[]> {
  const { rows } = await sql<{ client_id: string; count: number; newest_at: number }>`
    select client_id, count(*) as count, max(created_at) as newest_at from (${newestUnread(actor)}) as newest group by client_id`.execute(
    db(),
  );
  return rows.map((row) => ({
    clientId: row.client_id,
    count: Number(row.count),
    newestAt: Number(row.newest_at),
  }));
}

/** A company other than the one that is open. */
interface CompanyElsewhere {
  clientId: string;
  client: string;
  count: number;
}

/** The other company with the newest documents that a contact has not read; undefined if there is none. */
export async function unreadElsewhere(actor: Actor, clientId: string): Promise<CompanyElsewhere | undefined> {
  const others = (await unreadByClient(actor))
    .filter((company) => company.clientId !== clientId)
    .toSorted((a, b) => b.newestAt - a.newestAt)
    .slice(0, MAX_COMPANIES);
  if (others.length === 0) return undefined;
  const rows = await clientIdsOf(actor)
    .select(['clients.name', 'clients.doing_business_as'])
    .where(
      'clients.client_id',
      'in',
      others.map((company) => company.clientId),
    )
    .execute();
  const names = new Map(rows.map((row) => [row.client_id, row.doing_business_as ?? row.name]));
  return others.flatMap(({ clientId: id, count }) => {
    const client = names.get(id);
    return client === undefined ? [] : [{ clientId: id, client, count }];
  })[0];
}

/** Companies that are looked at: a contact may no longer act for the first ones. */
const MAX_COMPANIES = 100;

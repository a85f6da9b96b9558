import { sql } from 'kysely';
import { CONTAINER_TYPES } from '#features/documents/folders/folders.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { sharedRead } from '#platform/database/shared-reads.server.ts';
import type { Document } from './documents.ts';
import { isViewable } from './file-types.server.ts';
import { documentsOf } from './scope.server.ts';

/**
 * How many of the newest unread documents are looked at: with a million unread ones, a list or a count costs no more
 * than this many.
 */
const MAX_UNREAD_CONSIDERED = 1000;

const newestUnread = ({ contactId }: Actor) =>
  sql`select document_id, client_id, created_at from unread where contact_id = ${contactId} order by created_at desc, document_id desc limit ${MAX_UNREAD_CONSIDERED}`;

/** A document that a contact has not read, as far as a list of news needs it. */
interface UnreadDocument extends Pick<Document, 'id' | 'name' | 'isViewable' | 'scan'> {
  parent: Pick<Document['parent'], 'id' | 'containerType'>;
  clientId: string;
  /** In epoch ms. */
  createdAt: number;
}

/** What a contact has not read at a client. */
interface UnreadAtClient {
  clientId: string;
  /** At most MAX_UNREAD_CONSIDERED. */
  count: number;
  /** When the newest one was added, in epoch ms. */
  newestAt: number;
}

/** What a contact has not read: the newest documents by the firm, over all their clients, and how many at each client. */
export interface Unread {
  fromFirm: UnreadDocument[];
  /** It may name clients that they no longer act for. */
  byClient: UnreadAtClient[];
}

/** So many documents by the firm are listed. */
const MAX_LISTED = 5;

/** What a contact has not read. Two parts of the home page show it. */
export const unreadDocuments = sharedRead(readUnread, ({ contactId }) => contactId);

async function readUnread(actor: Actor): Promise<Unread> {
  const listed = documentsOf(actor)
    .clearSelect()
    .select([
      'documents.document_id',
      'documents.name',
      'documents.scan',
      'documents.container_id',
      'containers.container_type',
    ])
    .where('documents.uploaded_by_staff', '=', 1)
    .where(
      sql<boolean>`documents.document_id in (select document_id from (${newestUnread(actor)}) as newest)`,
    )
    .orderBy('documents.created_at', 'desc')
    .orderBy('documents.document_id', 'desc')
    .limit(MAX_LISTED);
  const ranked = sql<NewestRow>`(select newest.*, count(*) over (partition by client_id) as of_client,
    row_number() over (partition by client_id order by created_at desc, document_id desc) as place
    from (${newestUnread(actor)}) as newest)`;
  const rows = await db()
    .selectFrom(ranked.as('ranked'))
    .leftJoin(listed.as('listed'), 'listed.document_id', 'ranked.document_id')
    .selectAll('ranked')
    .select(['listed.name', 'listed.scan', 'listed.container_id', 'listed.container_type'])
    .where((e) => e.or([e('ranked.place', '=', 1), e('listed.document_id', 'is not', null)]))
    .orderBy('ranked.created_at', 'desc')
    .orderBy('ranked.document_id', 'desc')
    .execute();
  return { fromFirm: rows.flatMap(listedDocument), byClient: rows.flatMap(newestOfClient) };
}

interface NewestRow {
  document_id: string;
  client_id: string;
  created_at: number;
  of_client: number;
  place: number;
}

interface UnreadRow extends NewestRow {
  name: string | null;
  scan: Document['scan'] | null;
  container_id: string | null;
  container_type: keyof typeof CONTAINER_TYPES | null;
}

const listedDocument = (row: UnreadRow): UnreadDocument[] =>
  row.name === null || row.container_id === null || row.container_type === null
    ? []
    : [
        {
          id: row.document_id,
          name: row.name,
          parent: { containerType: CONTAINER_TYPES[row.container_type], id: row.container_id },
          isViewable: isViewable(row.name),
          ...(row.scan !== null && { scan: row.scan }),
          clientId: row.client_id,
          createdAt: Number(row.created_at),
        },
      ];

const newestOfClient = (row: UnreadRow): UnreadAtClient[] =>
  Number(row.place) === 1
    ? [{ clientId: row.client_id, count: Number(row.of_client), newestAt: Number(row.created_at) }]
    : [];

/** A company other than the one that is open. */
interface CompanyElsewhere {
  clientId: string;
  client: string;
  count: number;
}

/** The other company with the newest documents that a contact has not read; undefined if there is none. */
export async function unreadElsewhere(actor: Actor, clientId: string): Promise<CompanyElsewhere | undefined> {
  const { byClient } = await unreadDocuments(actor);
  const others = byClient.filter((company) => company.clientId !== clientId).slice(0, MAX_COMPANIES);
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

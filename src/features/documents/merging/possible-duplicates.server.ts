import { sql } from 'kysely';
import { assertManagesClients, managerNow } from '#features/clients/clients/editing.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { comparedColumn, db, inTransaction } from '#platform/database/database.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';

/*
 * Clients that exist twice, as far as their tax ids, numbers and names tell. Triggers keep the pairs, so that a page of
 * them costs the same in a firm of any size (docs/decisions/0087).
 */

export const PAGE_SIZE = 25;

interface Twin {
  id: string;
  name: string;
  code: string;
}

/** Two current clients that may be the same; the older one is the one to keep. */
export interface Pair {
  /** Of both clients. */
  id: string;
  newer: Twin;
  older: Twin;
  /** What both have, the most telling first. */
  same: ('taxId' | 'number' | 'name')[];
}

/** The pairs of clients that the actor sees and nobody has dismissed, or those of one client. */
function ownPairs(actor: Actor, clientId?: string) {
  const table = sql.table('possible_duplicates');
  const rows =
    clientId === undefined
      ? table
      : sql`(select * from ${table} where first_id = ${clientId} union all select * from ${table} where second_id = ${clientId})`;
  const pairs = db()
    .selectFrom(sql<Tables['possible_duplicates']>`${rows}`.as('pairs'))
    .where('pairs.is_dismissed', '=', 0);
  const isOfFirm = sql<boolean>`${comparedColumn('pairs.company_id')} = ${actor.companyId}`;
  if (actor.hasAllClients)
    return clientId === undefined
      ? pairs.where('pairs.company_id', '=', actor.companyId)
      : pairs.where(isOfFirm);
  const own = sql`(select client_id from staff_clients where contact_id = ${actor.contactId})`;
  return pairs
    .where(isOfFirm)
    .where(sql<boolean>`pairs.first_id in ${own}`)
    .where(sql<boolean>`${comparedColumn('pairs.second_id')} in ${own}`);
}

const listed = (actor: Actor, clientId?: string) =>
  ownPairs(actor, clientId)
    .innerJoin('clients as one', 'one.client_id', 'pairs.first_id')
    .innerJoin('clients as other', 'other.client_id', 'pairs.second_id')
    .select([
      'pairs.first_id',
      'pairs.second_id',
      'pairs.same_tax_id',
      'pairs.same_number',
      'pairs.same_name',
      'one.name as first_name',
      'one.code as first_code',
      'one.created_at as first_at',
      'other.name as second_name',
      'other.code as second_code',
      'other.created_at as second_at',
    ])
    .orderBy('pairs.likeness')
    .orderBy('pairs.name_key')
    .orderBy('pairs.first_id')
    .orderBy('pairs.second_id');

type Row = Awaited<ReturnType<ReturnType<typeof listed>['execute']>>[number];

function present(row: Row): Pair {
  const twins: [Twin, Twin] = [
    { id: row.first_id, name: row.first_name, code: row.first_code },
    { id: row.second_id, name: row.second_name, code: row.second_code },
  ];
  const [older, newer] = row.first_at <= row.second_at ? twins : twins.toReversed();
  return {
    id: `${row.first_id}.${row.second_id}`,
    older: older as Twin,
    newer: newer as Twin,
    same: [
      ...(row.same_tax_id ? (['taxId'] as const) : []),
      ...(row.same_number ? (['number'] as const) : []),
      ...(row.same_name ? (['name'] as const) : []),
    ],
  };
}

const idsOf = (pair: string): [string, string] => {
  const [first = '', second = ''] = pair.split('.');
  return [first, second];
};

/** Lists a page of pairs, the surest first; `after` is the id of the last pair of the page before. */
export async function listPossibleDuplicates(
  actor: Actor,
  after?: string,
): Promise<{ pairs: Pair[]; next: string | undefined }> {
  assertManagesClients(actor);
  const [first, second] = idsOf(after ?? '');
  const last =
    after === undefined
      ? undefined
      : await db()
          .selectFrom('possible_duplicates')
          .select(['likeness', 'name_key'])
          .where('company_id', '=', actor.companyId)
          .where('first_id', '=', first)
          .where('second_id', '=', second)
          .executeTakeFirst();
  const rows = await listed(actor)
    .$if(last !== undefined, (query) =>
      query.where(
        sql<boolean>`(pairs.likeness, pairs.name_key, pairs.first_id, pairs.second_id) > (${last?.likeness}, ${last?.name_key}, ${first}, ${second})`,
      ),
    )
    .limit(PAGE_SIZE + 1)
    .execute();
  const pairs = rows.slice(0, PAGE_SIZE).map(present);
  return { pairs, next: rows.length > PAGE_SIZE ? pairs.at(-1)?.id : undefined };
}

/** Lists the pairs of a client, at most a page; none for those who cannot merge clients. */
export async function possibleDuplicatesOf(actor: Actor, clientId: string): Promise<Pair[]> {
  if (!actor.access.permissions.has('ManageClients')) return [];
  const rows = await listed(actor, clientId).limit(PAGE_SIZE).execute();
  return rows.map(present);
}

/** Notes that two clients are not the same: they are not listed again. NOT_FOUND unless they are listed. */
export function dismissDuplicate(actor: Actor, pair: string): Promise<Pair> {
  return inTransaction(async () => {
    const current = await managerNow(actor);
    const [first, second] = idsOf(pair);
    const row = await listed(current)
      .where('pairs.first_id', '=', first)
      .where('pairs.second_id', '=', second)
      .executeTakeFirst();
    if (!row) throw notFound();
    const { companyId, contactId } = current;
    await db()
      .insertInto('dismissed_duplicates')
      .values({
        company_id: companyId,
        first_id: first,
        second_id: second,
        dismissed_by: contactId,
        dismissed_at: now(),
      })
      .execute();
    for (const [target, about] of [
      [first, second],
      [second, first],
    ] as const)
      await audit({
        companyId,
        actor: contactId,
        action: 'client.dismiss-duplicate',
        target,
        clientId: target,
        details: { about },
      });
    return present(row);
  });
}

import { sql, type Expression, type RawBuilder } from 'kysely';
import { db, MIN_INDEXED_TEXT } from '#platform/database.server.ts';
import { contains } from './filters.server.ts';

/** As much of a list is read to see whether a text is common. */
const SAMPLE = 2000;
/** A text that so many of the sample have is found soon in the order of the list. */
const COMMON = 100;
/** Of a rare text at most so many rows are looked up one by one. */
export const MAX_LOOKED_UP = 5000;

interface SearchedList<T> {
  /** The column with the folded text. */
  column: Expression<unknown>;
  /** The list in its order, from `from` to `order by`. */
  list: RawBuilder<unknown>;
  /** Finds at most `max` rows in the index of texts, as a subquery. */
  find: (max: number) => RawBuilder<T>;
}

/**
 * The rows with a folded text that few of a long list have, from an index of texts. Undefined for other texts, which are
 * found soon by reading the list in its order, and for short lists (docs/decisions/0059).
 */
export async function rowsWithRareText<T>(
  text: string,
  { column, list, find }: SearchedList<T>,
): Promise<RawBuilder<T> | undefined> {
  if ([...text].length < MIN_INDEXED_TEXT) return undefined;
  const sample = await sql<{
    read: number;
    hits: number;
  }>`select count(*) as read, sum(has_text) as hits from (select case when ${contains(column, text)} then 1 else 0 end as has_text ${list} limit ${SAMPLE}) as sample`.execute(
    db(),
  );
  const [{ read, hits } = { read: 0, hits: 0 }] = sample.rows;
  if (Number(read) < SAMPLE || Number(hits) >= COMMON) return undefined;
  const found = find(MAX_LOOKED_UP + 1);
  const { rows } = await sql<{ count: number }>`select count(*) as count from (${found}) as found`.execute(
    db(),
  );
  return Number(rows[0]?.count) > MAX_LOOKED_UP ? undefined : found;
}

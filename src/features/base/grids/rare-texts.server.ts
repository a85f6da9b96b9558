import { sql, type Expression, type RawBuilder } from 'kysely';
import { db, MIN_INDEXED_TEXT, type FoundByText } from '#platform/database/database.server.ts';
import { contains } from './filters.server.ts';

/** As much of a list is read to see whether a text is common. */
const SAMPLE = 2000;
/** A text that one in so many of the sample has is found soon in the order of the list. */
const COMMON = 20;
/** Of a rare text at most so many rows are looked up one by one. */
export const MAX_LOOKED_UP = 5000;
/** Of a text that one in so many of the sample has, some rows are found sooner in the list than in the index of PostgreSQL. */
const USUAL = 4;
/** Of a common text so many rows are usually enough to count a thousand results. */
const ENOUGH = 1250;

interface SearchedList<T> {
  /** The column with the folded text. */
  column: Expression<unknown>;
  /** The list in its order, from `from` to `order by`. */
  list: RawBuilder<unknown>;
  /** The index of texts. */
  index: FoundByText<T>;
  /** How much of the list is read to see whether a text is common. */
  sample?: number;
  /** How many rows with a rare text are looked up at most. */
  max?: number;
}

/** The rows with a text. */
export interface WithText<T> {
  /** All of them, if they are few. */
  few: RawBuilder<T> | undefined;
  /** Else, some of them in any order, which are counted soon if they are enough; the fewer first. */
  some: readonly RawBuilder<T>[];
}

/**
 * The rows with a folded text that few of a long list have, from an index of texts. Other texts are found soon by reading
 * the list in its order, as is everything in short lists (docs/decisions/0059).
 */
export async function rowsWithText<T>(
  text: string,
  { column, list, index, sample: size = SAMPLE, max: mostFound = MAX_LOOKED_UP }: SearchedList<T>,
): Promise<WithText<T>> {
  const other = { few: undefined, some: [] };
  if ([...text].length < MIN_INDEXED_TEXT) return other;
  const sample = await sql<{
    read: number;
    hits: number;
  }>`select count(*) as read, sum(has_text) as hits from (select case when ${contains(column, text)} then 1 else 0 end as has_text ${list} limit ${size}) as sample`.execute(
    db(),
  );
  const [{ read, hits } = { read: 0, hits: 0 }] = sample.rows;
  if (Number(read) < size) return other;
  const max = mostFound + 1;
  if (index.listed && Number(hits) >= size / USUAL) {
    const first = index.listed(sql`${list} limit ${MAX_LOOKED_UP}`);
    return {
      few: undefined,
      some: [sql`select * from (${first}) as first where ${contains(column, text)} limit ${ENOUGH}`],
    };
  }
  const some = { few: undefined, some: [index.rows(ENOUGH), index.rows(max)] };
  if (Number(hits) >= size / COMMON) return some;
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from (${index.hits(max)}) as found`.execute(db());
  const count = Number(rows[0]?.count);
  // none is not looked for again
  return count > mostFound ? some : { few: index.rows(count === 0 ? 0 : max), some: [] };
}

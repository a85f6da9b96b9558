import { sql, type RawBuilder } from 'kysely';

/*
 * Search by word prefixes on PostgreSQL, newest first. The cost depends on the number of hits returned, not
 * on the size of the table (docs/decisions/0047). On SQLite FTS5 does this (migration 0024).
 *
 * Documents are numbered by `seq`, and 4,096 numbers are a block. A GIN index has one key per client, block
 * and word prefix. A search looks up one block after another, from the newest, until it has enough.
 */

/** Like MAX_BEGINNING, the same as in migration 0033. */
const BLOCK_BITS = 12;
/** Characters of a word that the index knows; a longer search is compared with the name itself. */
const MAX_BEGINNING = 16;

/** Selects the newest `max` documents of the client with a word that starts with each of `words`. */
export function seqsByBeginnings(
  clientId: string,
  words: readonly string[],
  max: number | RawBuilder<number>,
): RawBuilder<number> {
  const keys = words.map((word) => {
    const beginning = [...word].slice(0, MAX_BEGINNING).join('');
    return sql`word_key(${clientId}, block, ${beginning})`;
  });
  const isFound = [
    sql`word_keys(client_id, seq, name_key) @> array[${sql.join(keys)}]`,
    ...words
      .filter((word) => [...word].length > MAX_BEGINNING)
      .map((word) => sql`spaced_words(name_key) like ${`% ${word}%`}`),
  ];
  const found = sql`select found.seq from generate_series((select max(seq) from documents) >> ${sql.lit(BLOCK_BITS)}, 0, -1) as block
    cross join lateral (select seq from documents where ${sql.join(isFound, sql` and `)} order by seq desc) as found limit ${max}`;
  // an array, so that the search is run once, whatever the query around it is planned like
  return sql<number>`select unnest(array(${found}))`;
}

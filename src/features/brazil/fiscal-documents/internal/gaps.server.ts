import { sql } from 'kysely';
import { comparedColumn, db } from '#platform/database/database.server.ts';
import type { MonthOf } from '../months.server.ts';

/** Numbers of a series of the client that are missing in a month, from `first` to `last`. */
export interface Gap {
  issuer: string;
  model: string;
  series: string;
  first: number;
  last: number;
}

/** Maximum number of gaps that are read of a month. */
const MAX_GAPS = 500;
/** In a wider gap nobody looks for numbers with other dates: the series was changed. */
const MAX_LOOKED_UP = 2000;

/**
 * Finds the numbers that are missing in the client's own series: between two numbers of the month, and between its first
 * and the last one before. Numbers that were voided, or that another month has, are not missing, and a series may begin
 * with any number.
 */
export async function gapsOf(of: MonthOf): Promise<Gap[]> {
  const found = await holesIn(of);
  const gaps: Gap[] = [];
  for (const hole of found) gaps.push(...(await withoutKnown(of, hole)));
  return gaps.slice(0, MAX_GAPS);
}

async function holesIn({ clientId, storage, month, establishment }: MonthOf): Promise<Gap[]> {
  const { rows } = await sql<Gap & { before: number; number: number }>`
    with own as materialized (
      select issuer_id, model, series, number from fiscal_documents
      where client_id = ${clientId} and storage = ${storage} and issued_month = ${month}
        and ${comparedColumn('direction')} = 'out' and is_test = 0 and number is not null
        ${establishment === undefined ? sql`` : sql`and ${comparedColumn('issuer_id')} = ${establishment}`}),
    numbers as (
      select issuer_id, model, series, number,
        lag(number) over (partition by issuer_id, model, series order by number) as previous from own),
    joined as (
      select issuer_id, model, series, number, coalesce(previous, (
        select earlier.number from fiscal_documents as earlier
        where earlier.client_id = ${clientId} and earlier.storage = ${storage} and earlier.direction = 'out'
          and earlier.issuer_id = numbers.issuer_id and earlier.model = numbers.model
          and earlier.series = numbers.series and earlier.issued_month < ${month} and earlier.number is not null
        order by earlier.issued_month desc, earlier.number desc limit 1)) as previous
      from numbers)
    select issuer_id as issuer, model, series, previous + 1 as first, number - 1 as last from joined
    where previous is not null and number > previous + 1
    order by issuer_id, model, series, number limit ${sql.lit(MAX_GAPS)}`.execute(db());
  return rows.map(({ issuer, model, series, first, last }) => ({
    issuer,
    model,
    series,
    first: Number(first),
    last: Number(last),
  }));
}

/** What is left of a hole without the numbers that are voided or dated in another month. */
async function withoutKnown({ clientId, storage }: MonthOf, hole: Gap): Promise<Gap[]> {
  const voided = await db()
    .selectFrom('fiscal_voids')
    .select(['first_number as first', 'last_number as last'])
    .where('client_id', '=', clientId)
    .where('issuer_id', '=', hole.issuer)
    .where('model', '=', hole.model)
    .where('series', '=', hole.series.replace(/^0+(?=\d)/, ''))
    .where('state', '=', 'registered')
    .where('first_number', '<=', hole.last)
    .where('last_number', '>=', hole.first)
    .execute();
  const dated = await db()
    .selectFrom('fiscal_documents')
    .select('number')
    .where('client_id', '=', clientId)
    .where('storage', '=', storage)
    .where('number', '>=', hole.first)
    .where('number', '<=', hole.last)
    .where('issuer_id', '=', hole.issuer)
    .where('model', '=', hole.model)
    .where('series', '=', hole.series)
    .orderBy('number')
    .limit(MAX_LOOKED_UP)
    .execute();
  const known = [
    ...voided,
    ...dated.flatMap(({ number }) => (number === null ? [] : [{ first: number, last: number }])),
  ].toSorted((a, b) => a.first - b.first);
  const left: Gap[] = [];
  let next = hole.first;
  for (const { first, last } of known) {
    if (first > next) left.push({ ...hole, first: next, last: first - 1 });
    next = Math.max(next, last + 1);
  }
  if (next <= hole.last) left.push({ ...hole, first: next });
  return left;
}

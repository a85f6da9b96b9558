import { sql } from 'kysely';
import { batchIn, createBatch } from '#features/base/batches/batches.server.ts';
import type { BatchEvent, BatchKind } from '#features/base/batches/define.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { DAY } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { newId } from '#platform/security/crypto.server.ts';

/*
 * A kind of batches that no list of the portal knows: a parcel for each row. What it sends and what it counts are rows of
 * two tables, which only a part in one transaction can keep in step.
 */

interface Row {
  number: number;
  state: 'new' | 'waiting' | 'done' | 'failed' | 'undone';
}

/** The rows that the kind refuses. */
export const REFUSED = [4];
export const events: BatchEvent[] = [];

export const parcels: BatchKind<string, Row> = {
  name: 'parcels',
  atOnce: { checking: 2, running: 2, undoing: 2 },
  inRequest: 1,
  inputOf: (batchId) => Promise.resolve(batchId),
  assertMay: ({ staff }) => {
    if (!staff) throw new PortalError('FORBIDDEN');
  },
  rows: async ({ id }, { first, last }) =>
    (await rowsOf(id)).filter(({ number }) => number >= first && number <= last),
  check: ({ contactId }, { id }, rows) => each(id, rows, 'new', { state: 'waiting', by: contactId }),
  run: async ({ contactId }, { id }, rows) => {
    for (const row of rows) {
      await each(id, [row], 'waiting', { state: 'done', by: contactId });
      if (REFUSED.includes(row.number)) throw new PortalError('BAD_NAME');
    }
  },
  undo: ({ contactId }, { id }, rows) => each(id, rows, 'done', { state: 'undone', by: contactId }),
  refuse: ({ id }, row) => store(id, row, 'failed'),
  finish: ({ contactId }, { id }) => send(id, 0, contactId),
  auditOf: (event) => {
    events.push(event);
    return Promise.resolve(undefined);
  },
  lasts: { unused: DAY, rows: 10 * DAY },
  remove: async (batches) => {
    await sql`delete from parcel_rows where batch_id in ${batches}`.execute(db());
  },
};

/** Makes the tables, which no feature declares. */
export async function makeParcelTables(): Promise<void> {
  await sql`create table parcel_rows (batch_id text not null, number bigint not null, state text not null)`.execute(
    db(),
  );
  await sql`create table parcels (batch_id text not null, number bigint not null, sent_by text not null)`.execute(
    db(),
  );
}

/** Prepares a batch of so many parcels. */
export async function prepareParcels(actor: Actor, total: number, state: 'draft' | 'ready'): Promise<string> {
  const batchId = newId('parcels');
  await inTransaction(async () => {
    await createBatch(actor, parcels, { batchId, total, state });
    for (let number = 1; number <= total; number += 1)
      await sql`insert into parcel_rows (batch_id, number, state) values (${batchId}, ${number}, ${
        state === 'draft' ? 'new' : 'waiting'
      })`.execute(db());
  });
  return batchId;
}

export async function rowsOf(batchId: string): Promise<Row[]> {
  const { rows } = await sql<Row>`select number, state from parcel_rows where batch_id = ${batchId}
    order by number`.execute(db());
  return rows.map(({ number, state }) => ({ number: Number(number), state }));
}

/** The numbers of the parcels that were sent, and 0 at the end of a batch. */
export async function sentOf(batchId: string): Promise<number[]> {
  const { rows } = await sql<{
    number: number;
  }>`select number from parcels where batch_id = ${batchId} order by number`.execute(db());
  return rows.map(({ number }) => Number(number));
}

export const parcelBatch = (actor: Actor, batchId: string) => batchIn(actor, parcels, batchId);

async function each(
  batchId: string,
  rows: readonly Row[],
  from: Row['state'],
  { state, by }: { state: Row['state']; by: string },
): Promise<void> {
  for (const row of rows.filter((one) => one.state === from)) {
    if (state === 'done') await send(batchId, row.number, by);
    if (state === 'undone')
      await sql`delete from parcels where batch_id = ${batchId} and number = ${row.number}`.execute(db());
    await store(batchId, row, state);
  }
}

const send = async (batchId: string, number: number, by: string): Promise<void> =>
  void (await sql`insert into parcels (batch_id, number, sent_by) values (${batchId}, ${number}, ${by})`.execute(
    db(),
  ));

const store = async (batchId: string, { number }: Row, state: Row['state']): Promise<void> =>
  void (await sql`update parcel_rows set state = ${state} where batch_id = ${batchId} and number = ${number}`.execute(
    db(),
  ));

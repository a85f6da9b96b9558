import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { runPart } from '#features/base/batches/running.server.ts';
import { confirmImport, importCounts, setMapping } from '#features/office/imports/imports.server.ts';
import { startImport } from '#features/office/imports/uploading.server.ts';
import { db, isUniqueViolation } from '#platform/database/database.server.ts';
import '../../../src/app.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';

const { firmOne } = await makeCast();
const hart = await person(firmOne, 'Eleanor Hart', 'hart@one.example', { role: 'owner' });

const clientCount = async (): Promise<number> =>
  (await db().selectFrom('clients').select('client_id').where('name', 'like', 'Killed %').execute()).length;

test('a batch that fails halfway changes nothing, and one that runs again changes nothing twice', async () => {
  const rows = Array.from({ length: 260 }, (_, index) => `K-${index},Killed ${index}`).join('\n');
  const bytes = Readable.from([Buffer.from(`code,name\n${rows}`)]);
  const id = await startImport(hart, { kind: 'clients', name: 'clients.csv', bytes });
  await setMapping(hart, id, ['code', 'name']);
  await runDueJobs();
  await confirmImport(hart, id, false);
  const first = { batchId: id, state: 'running', position: 0 };
  // the second of the two numbers breaks off the batch, on either engine
  await sql`create unique index dies on clients (company_id) where code in ('K-29', 'K-30')`.execute(db());
  await expect(runPart(first)).rejects.toSatisfy(isUniqueViolation);
  expect(await clientCount()).toBe(0);
  expect(await importCounts(hart, id)).toMatchObject({ states: { done: 0, waiting: 260 } });
  await sql`drop index dies`.execute(db());
  await runPart(first);
  await runPart(first);
  expect(await importCounts(hart, id)).toMatchObject({ states: { done: 250, waiting: 10 } });
  expect(await clientCount()).toBe(250);
  await runDueJobs();
  expect(await importCounts(hart, id)).toMatchObject({ states: { done: 260, waiting: 0 } });
  expect(await clientCount()).toBe(260);
});

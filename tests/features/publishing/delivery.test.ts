import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { markRead } from '#features/documents/documents/reading.server.ts';
import {
  assignFile,
  batchById,
  continueWithRest,
  createBatch,
  listFiles,
  removeFile,
} from '#features/documents/publishing/batches.server.ts';
import { matchByList, startMatching, stopMatching } from '#features/documents/publishing/matching.server.ts';
import { openingsOf } from '#features/documents/publishing/openings.server.ts';
import {
  publishBatch,
  startPublishing,
  undoPublishing,
} from '#features/documents/publishing/publish.server.ts';
import { newBatch } from '#features/documents/publishing/publishing.ts';
import { namedClients, reviewOf } from '#features/documents/publishing/review.server.ts';
import { fileAdder } from '#features/documents/publishing/staging.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { client, fileOf, makeCast, person, standAt, startMailServer } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';
import { pdfOf } from '../../support/pdf.ts';

const { ada, sam, tom, firmOne, clientA, clientB } = await makeCast();
const mails = await startMailServer();
afterAll(() => mails.close());

let batch: string;
beforeEach(async () => {
  batch = await createBatch(sam, newBatch.parse({ name: 'Payslips', year: 2026 }));
});
const add = async (name: string, ...pages: string[]): Promise<string> => {
  const stored = await (await fileAdder(sam, batch))({ name, bytes: fileOf(pdfOf(pages)) });
  return stored.id;
};
const match = async (): Promise<void> => {
  await startMatching(sam, batch);
  await runDueJobs();
};
const files = async () =>
  Object.fromEntries((await listFiles(sam, batch, 0)).map((file) => [file.name, file]));
const namesAt = async (actor: typeof sam, clientId: string): Promise<string[]> =>
  (await listDocuments(actor, clientId, documentQuery.parse({ clientId }))).items.map(({ name }) => name);

describe('the text of PDFs', () => {
  test('a PDF that names another client than its name does is settled by a person, who sees what was found', async () => {
    await add('Amber Bakery.pdf', 'Payslip', 'Birch Boats, November 2026');
    await add('Birch Boats.pdf', 'Birch Boats, November 2026');
    await match();
    const found = await files();
    expect(found['Birch Boats.pdf']).toMatchObject({ clientId: clientB, problem: null });
    const wrong = found['Amber Bakery.pdf'];
    expect(wrong).toMatchObject({ clientId: null, problem: 'SEVERAL' });
    expect(wrong?.evidence).toEqual([
      { kind: 'name', source: 'fileName', clientIds: [clientA] },
      { kind: 'name', source: 'pdf', clientIds: [clientB] },
    ]);
    expect((await listFiles(sam, batch, 0))[0]?.name).toBe('Amber Bakery.pdf');
  });

  test('a short number is certain if the text confirms it, and is not if the PDF is a scan', async () => {
    await add('A-1 confirmed.pdf', 'Amber Bakery');
    await add('A-1 scan.pdf', '');
    await match();
    expect(await files()).toMatchObject({
      'A-1 confirmed.pdf': { clientId: clientA, problem: null },
      'A-1 scan.pdf': { clientId: clientA, problem: 'CHECK' },
    });
  });

  test('matching can be stopped and goes on later, and only its creator can do either', async () => {
    for (let index = 0; index < 60; index += 1) await add(`Amber Bakery ${100 + index}.pdf`, `${index}`);
    await startMatching(sam, batch);
    await expect(stopMatching(tom, batch)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(startMatching(tom, batch)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await stopMatching(sam, batch);
    await runDueJobs();
    expect(await batchById(sam, batch)).toMatchObject({ state: 'open', unmatched: 60, ready: 0 });
    await expect(startPublishing(sam, batch)).rejects.toMatchObject({ code: 'EMPTY' });
    await match();
    expect(await batchById(sam, batch)).toMatchObject({ state: 'open', unmatched: 0, ready: 60, clients: 1 });
  });
});

describe('what is not certain', () => {
  test('is published only after it was confirmed, one file at a time', async () => {
    const first = await add('A-1 june.pdf', 'June');
    await add('A-1 july.pdf', 'July');
    await add('Birch Boats june.pdf', 'June');
    await match();
    expect(await batchById(sam, batch)).toMatchObject({ ready: 1, clients: 1, unsettled: 2 });
    await match();
    expect(await batchById(sam, batch)).toMatchObject({ ready: 1, unsettled: 2 });
    await assignFile(sam, batch, { fileId: first, clientId: clientA });
    await match(); // what a person decided stays, and nothing else becomes certain
    expect(await files()).toMatchObject({
      'A-1 june.pdf': { clientId: clientA, matchedBy: 'hand', problem: null },
      'A-1 july.pdf': { problem: 'CHECK' },
    });
    await startPublishing(sam, batch);
    await runDueJobs();
    expect(await namesAt(ada, clientA)).toContain('A-1 june.pdf');
    expect(await namesAt(ada, clientA)).not.toContain('A-1 july.pdf');
    await publishBatch({ batchId: batch, contactId: sam.contactId });
    expect(await namesAt(ada, clientA)).not.toContain('A-1 july.pdf');
  });

  test('what was not published with the others follows in a batch of its own', async () => {
    await add('A-1 august.pdf', 'August');
    await add('Birch Boats august.pdf', 'August');
    await match();
    await expect(continueWithRest(sam, batch)).rejects.toMatchObject({ code: 'EDIT_CONFLICT' });
    await startPublishing(sam, batch);
    await runDueJobs();
    await expect(continueWithRest(tom, batch)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const rest = await continueWithRest(sam, batch);
    expect(await listFiles(sam, rest, 0)).toMatchObject([{ name: 'A-1 august.pdf', problem: 'CHECK' }]);
    await expect(startPublishing(sam, rest)).rejects.toMatchObject({ code: 'EMPTY' });
    await expect(continueWithRest(sam, batch)).rejects.toMatchObject({ code: 'EMPTY' });
  });

  test('removing another file or using a list does not confirm it', async () => {
    await add('A-1 june.pdf', 'June');
    const other = await add('Birch Boats june.pdf', 'June');
    await match();
    await removeFile(sam, batch, other);
    expect(await files()).toMatchObject({ 'A-1 june.pdf': { problem: 'CHECK' } });
    await add('Birch Boats july.pdf', 'July');
    await matchByList(sam, batch, [{ line: 2, file: 'Birch Boats july.pdf', number: 'A-1', folder: '' }]);
    await runDueJobs();
    expect(await files()).toMatchObject({
      'A-1 june.pdf': { problem: 'CHECK' },
      'Birch Boats july.pdf': { problem: 'SEVERAL', clientId: null },
    });
  });

  test("a client that the person doesn't see is only told to be somebody else's", async () => {
    const few = await person(firmOne, 'Finn Few', 'finn@one.example', {
      role: 'member',
      hasAllClients: false,
    });
    await db()
      .insertInto('staff_clients')
      .values({ contact_id: few.contactId, client_id: clientA, is_responsible: 0, mac: '' } as never)
      .execute();
    const own = await createBatch(few, newBatch.parse({ name: 'Few', year: 2026 }));
    const fileAdded = await (
      await fileAdder(few, own)
    )({ name: 'Amber Bakery B-2.pdf', bytes: fileOf(pdfOf([''])) });
    await startMatching(few, own);
    await runDueJobs();
    const listed = await listFiles(few, own, 0);
    expect(listed).toMatchObject([{ clientId: null, problem: 'SEVERAL' }]);
    const named = await namedClients(few, listed);
    expect(named.get(clientA)).toMatchObject({ kind: 'own', name: 'Amber Bakery' });
    expect(named.get(clientB)).toEqual({ kind: 'other', id: clientB });
    await expect(assignFile(few, own, { fileId: fileAdded.id, clientId: clientB })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('the ten minutes after publishing', () => {
  const publish = async (): Promise<void> => {
    await match();
    await startPublishing(sam, batch);
    await runDueJobs();
  };
  const arrivedAt = async (minutes: number): Promise<number> => {
    standAt(now() + minutes * MINUTE);
    await runDueJobs();
    standAt(now() + MINUTE);
    return (await mails.deliver()).filter(({ recipients }) => recipients.includes(ada.emailAddress)).length;
  };

  test('nobody is notified before they are over, and then the page knows how many were', async () => {
    await add('Amber Bakery a.pdf', 'a');
    await publish();
    expect(await batchById(sam, batch)).toMatchObject({ state: 'published', notified: null });
    expect((await batchById(sam, batch)).notifyDate).not.toBeNull();
    expect(await arrivedAt(7)).toBe(0);
    expect(await arrivedAt(3)).toBe(1);
    // Ada and Cleo
    expect(await batchById(sam, batch)).toMatchObject({ notified: 2, notifyDate: null, isUndoable: true });
  });

  test('what is taken back in them is gone, and nobody is ever notified', async () => {
    await add('Amber Bakery b.pdf', 'b');
    await publish();
    standAt(now() + 9 * MINUTE);
    expect(await undoPublishing(sam, batch)).toBe(1);
    expect(await namesAt(ada, clientA)).not.toContain('Amber Bakery b.pdf');
    expect(await arrivedAt(5)).toBe(0);
    expect(await arrivedAt(60)).toBe(0);
    expect(await batchById(sam, batch)).toMatchObject({ state: 'undone', notified: null });
  });

  test('a batch can be taken back while it is being published: the rest is not published', async () => {
    await add('Amber Bakery c.pdf', 'c');
    await match();
    await startPublishing(sam, batch);
    await db()
      .updateTable('publish_batches')
      .set({ state: 'undone' })
      .where('batch_id', '=', batch)
      .execute();
    await runDueJobs();
    expect(await namesAt(ada, clientA)).not.toContain('Amber Bakery c.pdf');
    expect(await arrivedAt(20)).toBe(0);
  });

  test('who has opened a file is named, before and after it is taken back', async () => {
    await add('Amber Bakery d.pdf', 'd');
    await publish();
    expect(await openingsOf(sam, batch)).toEqual([]);
    const [file] = await listFiles(sam, batch, 0);
    await markRead(ada, [file?.documentId ?? '']);
    const opened = [
      { name: 'Ada Amber', file: 'Amber Bakery d.pdf', client: 'Amber Bakery', kind: 'opened' },
    ];
    expect(await openingsOf(sam, batch)).toMatchObject(opened);
    await undoPublishing(sam, batch);
    expect(await openingsOf(sam, batch)).toMatchObject(opened);
    await expect(openingsOf(tom, batch)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('the review says which clients have somebody who gets an email, and names those with many files', async () => {
  const lonely = await client(firmOne, 'Lonely Lighthouse Keepers', 'L-1', []);
  await add('Lonely Lighthouse Keepers.pdf', '1');
  await add('Birch Boats.pdf', '2');
  for (let index = 0; index < 5; index += 1) await add(`Amber Bakery ${100 + index}.pdf`, `${index}`);
  await match();
  expect(await batchById(sam, batch)).toMatchObject({ ready: 7, clients: 3 });
  const { recipients, unusual } = await reviewOf(sam, batch);
  expect(unusual).toEqual([{ name: 'Amber Bakery', count: 5 }]);
  expect(recipients.map(({ clientId, unreached }) => [clientId, unreached])).toEqual([
    [expect.any(String), undefined],
    [expect.any(String), undefined],
    [lonely, 'no-contact'],
  ]);
});

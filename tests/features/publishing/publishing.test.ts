import type { Readable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { taxIdKey } from '#features/clients/clients/client-search.server.ts';
import { listTemplates, saveTemplate } from '#features/documents/folder-templates/templates.server.ts';
import { listContainers } from '#features/documents/folders/tree.server.ts';
import { documentAdded } from '#features/documents/documents/events.server.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import {
  assignFile,
  batchById,
  createBatch,
  createClientBatch,
  deleteBatch,
  listBatches,
  listFiles,
  removeFile,
  removeOldBatches,
} from '#features/documents/publishing/batches.server.ts';
import { matchByList, startMatching } from '#features/documents/publishing/matching.server.ts';
import {
  publishBatch,
  startPublishing,
  undoPublishing,
} from '#features/documents/publishing/publish.server.ts';
import type { Place } from '#features/documents/publishing/places.server.ts';
import { newBatch } from '#features/documents/publishing/publishing.ts';
import { fileAdder } from '#features/documents/publishing/staging.server.ts';
import { assertRoomOfFirm } from '#features/documents/uploads/quota.server.ts';
import { listTrash } from '#features/documents/trash/trash.server.ts';
import { DAY, MINUTE, moveClock, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, filesForm } from '../../support/api.ts';
import { client, fileOf, makeCast, pdf, person, standAt, startMailServer } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';

const { ada, cleo, ben, sam, tom, firmOne, clientA, clientB, projectA } = await makeCast();
const reader = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
const clientNorth = await client(firmOne, 'Amber Bakery North', 'A-10', []);

await db()
  .insertInto('client_tax_ids')
  .values({
    client_id: clientB,
    kind: 'cnpj',
    value: encryptFor('client_tax_ids.value', `${clientB}/cnpj`, '11222333000181'),
    value_key: await taxIdKey('cnpj', '11222333000181'),
  })
  .execute();

let batch: string;
const PAYSLIPS = newBatch.parse({ name: 'Payslips', folder: 'Payroll {year}/Payslips', year: 2026 });
beforeEach(async () => {
  batch = await createBatch(sam, PAYSLIPS);
});
const addFile = async (actor: typeof sam, to: string, file: { name: string; bytes: Readable }) =>
  (await fileAdder(actor, to))(file);
const add = (name: string, content = name) => addFile(sam, batch, { name, bytes: fileOf(pdf(content)) });
const files = async () =>
  Object.fromEntries((await listFiles(sam, batch, 0)).map((file) => [file.name, file]));
const match = async (actor = sam, of = batch): Promise<void> => {
  await startMatching(actor, of);
  await runDueJobs();
};
const publish = async () => {
  await startPublishing(sam, batch);
  await runDueJobs();
};
/** When a batch can no longer be taken back unseen, and the notifications are sent. */
const afterTheTime = async (): Promise<void> => {
  standAt(now() + 10 * MINUTE);
  await runDueJobs();
  standAt(now() + MINUTE);
};
const documentsOf = async (actor: typeof sam, clientId: string) =>
  (await listDocuments(actor, clientId, documentQuery.parse({ clientId }))).items;

describe('matching', () => {
  test('files are matched by number, tax id and name, and the longest name counts', async () => {
    for (const name of [
      'Payslip A-1 03.pdf',
      'a_10.pdf',
      '11.222.333-0001-81 guia.pdf',
      'AMBER BAKERY march.pdf',
    ])
      await add(name);
    await add('Amber Bakery North.pdf');
    await match();
    const found = await files();
    expect(found['Payslip A-1 03.pdf']).toMatchObject({ clientId: clientA, matchedBy: 'number' });
    expect(found['a_10.pdf']).toMatchObject({ clientId: clientNorth, matchedBy: 'number' });
    expect(found['11.222.333-0001-81 guia.pdf']).toMatchObject({ clientId: clientB, matchedBy: 'taxId' });
    expect(found['AMBER BAKERY march.pdf']).toMatchObject({ clientId: clientA, matchedBy: 'name' });
    expect(found['Amber Bakery North.pdf']).toMatchObject({ clientId: clientNorth, matchedBy: 'name' });
  });

  test('nothing is guessed when two clients match, or a number and a tax id contradict each other', async () => {
    const twin = await client(firmOne, 'Twin Ltd', 'T-1', []);
    await client(firmOne, 'Twin Ltd', 'T-2', []);
    for (const name of ['twin ltd.pdf', 'A-1 11222333000181.pdf', 'unknown.pdf']) await add(name);
    await match();
    const found = await files();
    expect(found['twin ltd.pdf']).toMatchObject({ clientId: null, problem: 'SEVERAL' });
    expect(found['A-1 11222333000181.pdf']).toMatchObject({ clientId: null, problem: 'SEVERAL' });
    expect(found['unknown.pdf']).toMatchObject({ clientId: null, problem: 'NO_MATCH' });
    await assignFile(sam, batch, { fileId: found['twin ltd.pdf']?.id ?? '', clientId: twin });
    expect((await files())['twin ltd.pdf']).toMatchObject({
      clientId: twin,
      matchedBy: 'hand',
      problem: null,
    });
  });

  test('staff with assigned clients match only these, and a client of another firm is unknown', async () => {
    const few = await person(firmOne, 'Finn Few', `finn-${now()}@one.example`, {
      role: 'member',
      hasAllClients: false,
    });
    const own = await createBatch(few, newBatch.parse({ name: 'Few', year: 2026 }));
    const { id } = await addFile(few, own, { name: 'A-1.pdf', bytes: fileOf(pdf('few')) });
    await match(few, own);
    expect(await listFiles(few, own, 0)).toMatchObject([{ clientId: null, problem: 'OTHER' }]);
    await expect(assignFile(few, own, { fileId: id, clientId: clientA })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('a list of file names and numbers is evidence, and says which lines are unknown', async () => {
    await add('one.pdf');
    await add('A-1.pdf');
    await match();
    const unknown = await matchByList(sam, batch, [
      { line: 2, file: 'ONE.pdf', number: ' b-2 ', folder: '' },
      { line: 3, file: 'none.pdf', number: 'A-1', folder: '' },
      { line: 4, file: 'A-1.pdf', number: 'no such', folder: '' },
    ]);
    expect(unknown).toEqual([3, 4]);
    await runDueJobs();
    expect(await files()).toMatchObject({
      'one.pdf': { clientId: clientB, matchedBy: 'list' },
      'A-1.pdf': { clientId: clientA, matchedBy: 'number', problem: 'CHECK' },
    });
  });

  test('the same content for the same client twice is a duplicate until one is removed', async () => {
    await add('Amber Bakery a.pdf', 'same');
    await add('Amber Bakery b.pdf', 'same');
    await match();
    const found = await files();
    expect(found['Amber Bakery b.pdf']?.problem).toBe('DUPLICATE');
    await removeFile(sam, batch, found['Amber Bakery a.pdf']?.id ?? '');
    expect(await files()).toMatchObject({ 'Amber Bakery b.pdf': { problem: null } });
  });
});

describe('batches', () => {
  test('a batch is seen by its creator only, and a repeated upload replaces the file', async () => {
    await add('A-1.pdf', 'first');
    await add('A-1.pdf', 'second');
    expect(await listFiles(sam, batch, 0)).toHaveLength(1);
    await expect(listFiles(tom, batch, 0)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(listBatches(ada)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(createBatch(reader, newBatch.parse({ name: 'x', year: 2026 }))).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect((await documentsOf(ada, clientA)).map(({ name }) => name)).not.toContain('A-1.pdf');
    await expect(addFile(sam, batch, { name: 'A-1.exe', bytes: fileOf('MZ') })).rejects.toMatchObject({
      code: 'TYPE_NOT_ALLOWED',
    });
    await deleteBatch(sam, batch);
    await expect(listFiles(sam, batch, 0)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('a batch is published into the folder of each client, who is notified once', async () => {
    const mails = await startMailServer();
    await add('Amber Bakery june.pdf');
    await add('Amber Bakery july.pdf');
    await add('Birch Boats june.pdf');
    await add('unknown.pdf');
    await match();
    await publish();
    expect(await batchById(sam, batch)).toMatchObject({ state: 'published', published: 3, problems: 1 });
    const seen = (await documentsOf(ada, clientA)).filter(({ name }) => name.startsWith('Amber Bakery ju'));
    expect(seen).toHaveLength(2);
    expect(seen.map(({ parent }) => parent.name)).toEqual(['Payslips', 'Payslips']);
    await expect(add('late.pdf')).rejects.toMatchObject({ code: 'EDIT_CONFLICT' });
    await afterTheTime();
    const arrived = await mails.deliver();
    const to = (actor: typeof sam) =>
      arrived.filter(({ recipients }) => recipients.includes(actor.emailAddress)).length;
    expect([to(ada), to(ben), to(cleo)]).toEqual([1, 1, 2]);
    await mails.close();
  });

  test('a name that is taken in the folder gets a number, and each document keeps its own bytes', async () => {
    const namesIn = async (): Promise<string[]> =>
      (await documentsOf(ada, clientA))
        .map(({ name }) => name)
        .filter((name) => name.startsWith('Amber Bakery taken'));
    batch = await createBatch(sam, { ...PAYSLIPS, notify: false });
    await add('Amber Bakery taken.pdf');
    await match();
    await publish();
    batch = await createBatch(sam, { ...PAYSLIPS, notify: false });
    for (const name of ['Amber Bakery taken.pdf', 'Amber Bakery taken (1).pdf', 'Amber Bakery taken new.pdf'])
      await add(name, `again ${name}`);
    await match();
    await publish();
    expect((await namesIn()).toSorted()).toEqual([
      'Amber Bakery taken (1).pdf',
      'Amber Bakery taken (2).pdf',
      'Amber Bakery taken new.pdf',
      'Amber Bakery taken.pdf',
    ]);
    const rows = await db()
      .selectFrom('publish_files')
      .innerJoin('documents', 'documents.document_id', 'publish_files.document_id')
      .select(['publish_files.sha256 as sent', 'documents.sha256', 'publish_files.blob_key'])
      .where('batch_id', '=', batch)
      .execute();
    expect(rows.filter((row) => row.sent === row.sha256 && row.blob_key === null)).toHaveLength(3);
  });

  test('a file of a batch counts toward the quota of the firm until the batch expires', async () => {
    const send = (content: string) =>
      apiAs(sam)('POST', `/api/storage/v1/publish-batches/${batch}/files`, {
        form: filesForm(['Amber Bakery quota.pdf', pdf(content)]),
      });
    expect((await send('first')).status).toBe(200);
    await db()
      .updateTable('publish_files')
      .set({ size: config.firmQuota })
      .where('batch_id', '=', batch)
      .execute();
    moveClock(2 * MINUTE); // the sum is cached for a minute
    expect((await send('second')).status).toBe(507);
    moveClock(31 * DAY);
    await removeOldBatches();
    expect(
      await db().selectFrom('publish_files').select('blob_key').where('batch_id', '=', batch).execute(),
    ).toEqual([]);
    await expect(assertRoomOfFirm(firmOne, 1)).resolves.toBeUndefined();
  });

  test('files added at once are stored together, each with its own result', async () => {
    const form = filesForm(
      ...Array.from({ length: 100 }, (_, i) => [`Amber Bakery ${i}.pdf`, pdf(`at once ${i}`)] as const),
      ['Amber Bakery bad.exe', 'MZ'],
      ['amber bakery 0.PDF', pdf('replaced')],
    );
    const answer = await apiAs(sam)('POST', `/api/storage/v1/publish-batches/${batch}/files`, { form });
    expect(((await answer.json()) as { data: unknown[] }).data).toHaveLength(101);
    const stored = await db()
      .selectFrom('publish_files')
      .innerJoin('blobs', 'blobs.blob_key', 'publish_files.blob_key')
      .select(['name', 'sha256'])
      .where('batch_id', '=', batch)
      .execute();
    expect(stored).toHaveLength(100);
    expect(stored).toContainEqual({ name: 'amber bakery 0.PDF', sha256: sha256(pdf('replaced')) });
  });

  test('a message is in the one notification of each contact, escaped, and is stored encrypted', async () => {
    const mails = await startMailServer();
    const said = 'Please check <b>line 4</b>.\nThank you';
    const own = await createBatch(sam, newBatch.parse({ name: 'Said', year: 2026, message: said }));
    await addFile(sam, own, { name: 'Amber Bakery said 1.pdf', bytes: fileOf(pdf('said 1')) });
    await addFile(sam, own, { name: 'Amber Bakery said 2.pdf', bytes: fileOf(pdf('said 2')) });
    await match(sam, own);
    await startPublishing(sam, own);
    await runDueJobs();
    await afterTheTime();
    const [mail, ...others] = (await mails.deliver()).filter(({ recipients }) =>
      recipients.includes(ada.emailAddress),
    );
    expect(others).toEqual([]);
    expect(mail?.mail.text?.split('Please check')).toHaveLength(2);
    expect(mail?.mail.html).toContain('&lt;b&gt;line 4&lt;/b&gt;');
    expect(mail?.mail.html).not.toContain('<b>line 4');
    expect(await batchById(sam, own)).toMatchObject({ message: said });
    const [row] = await db()
      .selectFrom('publish_batches')
      .select('message')
      .where('batch_id', '=', own)
      .execute();
    expect(row?.message).not.toContain('line 4');
    await mails.close();
  });

  test('a list can name a folder for each file, and the contacts are still notified once', async () => {
    const mails = await startMailServer();
    await add('first.pdf');
    await add('second.pdf');
    const line = { number: 'A-1', line: 2 };
    expect(
      await matchByList(sam, batch, [
        { ...line, file: 'first.pdf', folder: 'Contracts {year}' },
        { ...line, file: 'second.pdf', folder: '' },
        { ...line, line: 4, file: 'second.pdf', folder: 'Bad: name' },
      ]),
    ).toEqual([4]);
    await runDueJobs();
    await publish();
    const seen = await documentsOf(ada, clientA);
    const folderOf = (name: string) => seen.find((document) => document.name === name)?.parent.name;
    expect([folderOf('first.pdf'), folderOf('second.pdf')]).toEqual(['Contracts 2026', 'Payslips']);
    await afterTheTime();
    expect(
      (await mails.deliver()).filter(({ recipients }) => recipients.includes(ada.emailAddress)),
    ).toHaveLength(1);
    await mails.close();
  });

  test('an interrupted batch goes on where it was, and publishes nothing twice', async () => {
    await add('Amber Bakery x.pdf');
    await add('Birch Boats x.pdf');
    await match();
    await publish();
    await db()
      .updateTable('publish_batches')
      .set({ state: 'publishing' })
      .where('batch_id', '=', batch)
      .execute();
    await publishBatch({ batchId: batch, contactId: sam.contactId });
    expect(
      (await documentsOf(sam, clientA)).filter(({ name }) => name.startsWith('Amber Bakery x')),
    ).toHaveLength(1);
  });

  test('staff who lose the right in the middle publish nothing more', async () => {
    const max = await person(firmOne, 'Max Member', `max-${now()}@one.example`, { role: 'member' });
    const own = await createBatch(max, newBatch.parse({ name: 'Max', year: 2026 }));
    // more than are published together
    const [clients, each] = [30, 5];
    for (let i = 0; i < clients; i += 1) {
      const code = `MAX-${100 + i}`;
      await client(firmOne, `Client ${code}`, code, []);
      for (let file = 0; file < each; file += 1)
        await addFile(max, own, { name: `${code} ${file}.pdf`, bytes: fileOf(pdf(`${code} ${file}`)) });
    }
    const published = async (): Promise<number> =>
      (
        await db()
          .selectFrom('publish_files')
          .select('document_id')
          .where('batch_id', '=', own)
          .where('document_id', 'is not', null)
          .execute()
      ).length;
    await match(max, own);
    let added = 0;
    documentAdded.subscribe(async () => {
      added += 1;
      // with the last document of a transaction, of which there is another one
      if (added === 20 * each)
        await db()
          .insertInto('access_settings')
          .values({
            company_id: firmOne,
            contact_id: max.contactId,
            kind: 'permission',
            name: 'Publish',
            granted: 0,
          } as never)
          .execute();
    });
    await startPublishing(max, own);
    await runDueJobs();
    expect(await published()).toBe(20 * each);
    const [row] = await db()
      .selectFrom('publish_batches')
      .select('state')
      .where('batch_id', '=', own)
      .execute();
    expect(row?.state).toBe('stopped');
  });

  test('a client archived in the middle gets nothing, and the others do', async () => {
    const gone = await client(firmOne, 'Gone Fishing Ltd', `G-${now()}`, []);
    await add('Gone Fishing.pdf');
    await add('Birch Boats other.pdf');
    await match();
    await startPublishing(sam, batch);
    await db().updateTable('clients').set({ archived_at: now() }).where('client_id', '=', gone).execute();
    await runDueJobs();
    const found = await files();
    expect(found['Gone Fishing.pdf']).toMatchObject({ problem: 'ARCHIVED', documentId: null });
    expect(found['Birch Boats other.pdf']?.problem).toBeNull();
    expect(found['Birch Boats other.pdf']?.documentId).not.toBeNull();
  });

  test('a published batch can be undone for a day', async () => {
    await add('Amber Bakery undone.pdf');
    await match();
    await publish();
    await expect(undoPublishing(tom, batch)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await undoPublishing(sam, batch)).toBe(1);
    expect((await listTrash(sam, clientA, 0)).items.map(({ name }) => name)).toContain(
      'Amber Bakery undone.pdf',
    );
    await expect(undoPublishing(sam, batch)).rejects.toMatchObject({ code: 'GONE' });
    const second = await createBatch(sam, newBatch.parse({ name: 'Late', year: 2026 }));
    await addFile(sam, second, { name: 'Amber Bakery late.pdf', bytes: fileOf(pdf('late')) });
    await match(sam, second);
    await startPublishing(sam, second);
    await runDueJobs();
    standAt(now() + DAY + 1);
    await expect(undoPublishing(sam, second)).rejects.toMatchObject({ code: 'GONE' });
  });
});

describe('a batch for one client', () => {
  const start = (place: Place, actor = sam, clientId = clientB) =>
    createClientBatch(actor, { clientId, place, notify: false, message: '' });
  const publishOne = async (batchId: string, name: string): Promise<string | undefined> => {
    await addFile(sam, batchId, { name, bytes: fileOf(pdf(name)) });
    expect(await listFiles(sam, batchId, 0)).toMatchObject([{ clientId: clientB, problem: null }]);
    await startPublishing(sam, batchId);
    await runDueJobs();
    return (await documentsOf(sam, clientB)).find((document) => document.name === name)?.parent.name;
  };

  test("files go to the firm's folder, an existing one, a new one, or one of a template", async () => {
    expect(await publishOne(await start({ kind: 'firm' }), 'firm.pdf')).toBe('Maple & Hart');
    const payroll = await start({ kind: 'new', name: 'One payroll', productType: 'Payroll', year: 2025 });
    expect(await publishOne(payroll, 'new.pdf')).toBe('One payroll');
    const project = (await listContainers(sam, clientB)).find(({ name }) => name === 'One payroll');
    expect(project).toMatchObject({ productType: 'Payroll', processingYear: 2025 });
    const existing = await start({ kind: 'existing', containerId: project?.id ?? '' });
    expect(await publishOne(existing, 'existing.pdf')).toBe('One payroll');
    await saveTemplate(sam, { name: 'One', clientKind: 'any', folders: 'Tax {year}\n  Returns\nContracts' });
    const [template] = await listTemplates(sam);
    const fromTemplate = { kind: 'template', templateId: template?.id ?? '', index: 1, year: 2024 } as const;
    expect(await publishOne(await start(fromTemplate), 'template.pdf')).toBe('Returns');
    expect((await listContainers(sam, clientB)).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Tax 2024', 'Contracts']),
    );
  });

  test('a folder that cannot be created leaves no batch, and folders of others are unknown', async () => {
    await start({ kind: 'new', name: 'Once', year: 2026 });
    const count = async () => (await listBatches(sam)).length;
    const before = await count();
    await expect(start({ kind: 'new', name: 'Once', year: 2026 })).rejects.toMatchObject({
      code: 'NAME_CONFLICT',
    });
    await expect(start({ kind: 'existing', containerId: projectA.id })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(
      start({ kind: 'template', templateId: 'template_none', index: 0, year: 2026 }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await count()).toBe(before);
  });

  test('contacts, readers, another firm and staff without the client cannot begin one', async () => {
    const few = await person(firmOne, 'Fay Few', `fay-${now()}@one.example`, {
      role: 'member',
      hasAllClients: false,
    });
    for (const [actor, code] of [
      [ada, 'FORBIDDEN'],
      [reader, 'FORBIDDEN'],
      [tom, 'NOT_FOUND'],
      [few, 'NOT_FOUND'],
    ] as const)
      await expect(start({ kind: 'firm' }, actor)).rejects.toMatchObject({ code });
  });
});

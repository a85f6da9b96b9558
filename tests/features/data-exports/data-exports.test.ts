import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { archiveClients } from '#features/clients/clients/archiving.server.ts';
import { buildDataExport } from '#features/office/data-exports/building.server.ts';
import { DAYS_KEPT } from '#features/office/data-exports/data-exports.ts';
import {
  listDataExports,
  openDataExport,
  removeDataExport,
  startDataExport,
  sweepDataExports,
} from '#features/office/data-exports/data-exports.server.ts';
import { createProject } from '#features/documents/folders/folders.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { changeRights } from '#features/base/people/rights.server.ts';
import { addTaskMessage } from '#features/tasks/task-messages/messages.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { trashDocument } from '#features/documents/trash/trash.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { commitBlob, freeBlobSpace, putBlob, removeBlob } from '#platform/storage/blobs.server.ts';
import { writeNewAnchors } from '#platform/security/audit-anchors.server.ts';
import { DAY, MINUTE, moveClock, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { parseRange } from '#platform/http/send-file.server.ts';
import { markupProblems } from '../../../e2e/support/markup.ts';
import '../../../src/app.server.ts';
import { apiAs, sessionAs } from '../../support/api.ts';
import {
  blobFiles,
  CANARY,
  client,
  digestOf,
  makeCast,
  pdf,
  person,
  readAll,
  startMailServer,
  uploadAs,
} from '../../support/cast.ts';
import { exportOf, tableIn } from '../../support/exported.ts';
import { runDueJobs } from '../../support/jobs.ts';

const { ada, ben, sam, tom, firmOne, firmTwo, clientA, clientB, clientTwo, projectA, projectB } =
  await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mona = await person(firmOne, 'Mona Manager', 'mona@one.example', { role: 'manager' });
const mail = await startMailServer();
const run = promisify(execFile);

const session = (actor: Actor, authenticatedAt = now()): Session => sessionAs(actor, { authenticatedAt });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => refusal(error)?.code,
  );
const start = (actor: Actor, clientId: string | null, lang: 'en-us' | 'pt' = 'en-us') =>
  startDataExport(session(actor), clientId, lang);
const open = (actor: Actor, id: string, authenticatedAt = now()) =>
  openDataExport(session(actor, authenticatedAt), id, () => 'whole');
const listed = async (id: string) => (await listDataExports(olga)).find((one) => one.id === id);
const actionsOn = async (id: string): Promise<string[]> =>
  (await db().selectFrom('audit').select('action').where('target', '=', id).orderBy('seq').execute()).map(
    ({ action }) => action,
  );

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await db().deleteFrom('limits').execute();
});

/** Builds an export and extracts it with unzip, which also checks every file; returns its folder. */
async function extracted(actor: Actor, clientId: string | null, lang: 'en-us' | 'pt' = 'en-us') {
  const id = await start(actor, clientId, lang);
  await runDueJobs();
  const folder = await mkdtemp(path.join(tmpdir(), 'data-export-'));
  folders.push(folder);
  const archive = path.join(folder, 'export.zip');
  const bytes = await readAll((await open(actor, id)).open());
  await writeFile(archive, bytes);
  await run('unzip', ['-tqq', archive]);
  await run('unzip', ['-qq', archive, '-d', path.join(folder, 'out')]);
  return { id, bytes, out: path.join(folder, 'out') };
}

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();

const TOP = ['README.txt', 'audit-checkpoints.txt', 'audit-log.csv', 'audit-log.jsonl', 'receipts.csv'];
const OF_CLIENT = ['client.csv', 'contacts.csv', 'index.html', 'manifest.csv', 'manifest.json'];

interface Manifest {
  client: { id: string };
  folders: string[];
  files: { path: string; size: number; sha256: string }[];
  documents: {
    path: string | null;
    name: string;
    sha256: string;
    size: number;
    addedBy: string;
    omitted: string;
  }[];
}
const manifestIn = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(path.join(folder, 'manifest.json'), 'utf8')) as Manifest;

describe('an export of a client', () => {
  test('has its documents in their folders, and a manifest with the digest of each', async () => {
    const year = await createProject(sam, {
      clientId: clientA,
      name: 'Year 2024',
      productType: 'TaxReturn',
      processingYear: 2024,
    });
    await uploadAs(ada, projectA, 'Balanço & 2025.pdf', 'balance');
    await uploadAs(sam, year, 'Letter.pdf', 'letter');
    const gone = await uploadAs(ada, projectA, 'Gone.pdf', 'gone');
    await trashDocument(ada, { containerType: 'Project', containerId: projectA.id }, gone.id);
    await uploadAs(ben, projectB, 'Of client B.pdf', 'not in here');
    await writeNewAnchors();
    const { out } = await extracted(olga, clientA);
    const files = await filesIn(out);
    expect(files).toEqual(expect.arrayContaining([...TOP, ...OF_CLIENT]));
    expect(files.filter((file) => file.startsWith('documents/'))).toEqual([
      'documents/Tax return 2025/Balanço & 2025.pdf',
      'documents/Year 2024/Letter.pdf',
    ]);
    const manifest = await manifestIn(out);
    expect(manifest.client.id).toBe(clientA);
    expect(manifest.folders).toContain('Year 2024');
    expect(manifest.documents).toMatchObject([
      { name: 'Balanço & 2025.pdf', size: pdf('balance').length, addedBy: 'Ada Amber', omitted: '' },
      { name: 'Letter.pdf', sha256: digestOf(pdf('letter')), addedBy: 'Sam Staff', omitted: '' },
    ]);
    for (const { path: at, sha256: digest } of manifest.documents)
      expect(digestOf(await readFile(path.join(out, at ?? '')))).toBe(digest);
    const table = await readFile(path.join(out, 'manifest.csv'), 'utf8');
    expect(table.split('\r\n').filter(Boolean)).toHaveLength(3);
    const page = await readFile(path.join(out, 'index.html'), 'utf8');
    expect(page).toContain('href="documents/Tax%20return%202025/Balan%C3%A7o%20%26%202025.pdf"');
    expect(page).toContain('Balanço &amp; 2025.pdf');
    expect(page).not.toMatch(/<script|src=|https?:/);
  });

  test('has a manifest of every file, with the digest of each, and names them all in its README', async () => {
    const { out } = await extracted(olga, clientA);
    const { documents, files } = await manifestIn(out);
    const listed = [...documents, ...files].map(({ path: at }) => at ?? '');
    expect([...listed, 'manifest.json'].toSorted()).toEqual(await filesIn(out));
    for (const { path: at, sha256: digest, size } of files) {
      const bytes = await readFile(path.join(out, at));
      expect({ at, size, digest }).toEqual({ at, size: bytes.length, digest: digestOf(bytes) });
    }
    const readme = await readFile(path.join(out, 'README.txt'), 'utf8');
    for (const file of listed.filter((name) => name !== 'README.txt'))
      expect(readme).toContain(file.split('/')[0]);
  });

  test('has the messages on its tasks, and the notes of the firm are in an export of the whole firm alone', async () => {
    const { taskId } = await createTask(sam, { clientId: clientA, type: 'misc', label: 'Papers' });
    await addTaskMessage(ada, taskId, { text: 'For which year?' });
    await addTaskMessage(sam, taskId, { text: 'SECRET-NOTE', isInternal: true });
    const messagesIn = async (clientId: string | null, file: string) =>
      readFile(path.join((await extracted(olga, clientId)).out, file), 'utf8');
    const ofClient = await messagesIn(clientA, 'messages.csv');
    expect(ofClient).toContain('Papers');
    expect(ofClient).toContain('For which year?');
    expect(ofClient).not.toContain('SECRET-NOTE');
    expect(await messagesIn(null, 'clients/Amber Bakery/messages.csv')).toContain('SECRET-NOTE');
  });

  test('has its own receipts and part of the audit log only, with the signed checkpoints of the firm', async () => {
    await uploadAs(ben, projectB, 'Secret of B.pdf', 'of B');
    await writeNewAnchors();
    const { out } = await extracted(olga, clientA);
    const receipts = await readFile(path.join(out, 'receipts.csv'), 'utf8');
    expect(receipts).toContain('Balanço');
    expect(receipts).not.toContain('of B');
    const lines = (await readFile(path.join(out, 'audit-log.jsonl'), 'utf8')).trim().split('\n');
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(line).toContain(clientA);
    const table = await readFile(path.join(out, 'audit-log.csv'), 'utf8');
    expect(table).toMatch(/,Ada Amber,document.upload,Uploaded a document,/);
    expect(table).toMatch(/,Sam Staff,document.upload,Published a document,/);
    const checkpoints = (await readFile(path.join(out, 'audit-checkpoints.txt'), 'utf8')).trim().split('\n');
    expect(checkpoints.length).toBeGreaterThan(0);
    for (const line of checkpoints) expect(line.split(' ')[1]).toBe(firmOne);
  });
});

describe('an export of the firm', () => {
  test('has a manifest of the files at its top, which covers those of the clients by their manifests', async () => {
    const { out } = await extracted(olga, null);
    const listed = (await manifestIn(out)).files;
    const files = await filesIn(out);
    const covered = files.filter(
      (file) =>
        (!file.startsWith('clients/') && file !== 'manifest.json') ||
        /^clients\/[^/]+\/manifest.json$/.test(file),
    );
    expect(listed.map(({ path: at }) => at).toSorted()).toEqual(covered);
    for (const { path: at, sha256: digest } of listed)
      expect(digestOf(await readFile(path.join(out, at)))).toBe(digest);
    for (const manifest of covered.filter((file) => file.startsWith('clients/'))) {
      const folder = path.join(out, path.dirname(manifest));
      const own = await manifestIn(folder);
      const inside = [...own.documents, ...own.files].flatMap(({ path: at }) => at ?? []);
      expect([...inside, 'manifest.json'].toSorted()).toEqual(await filesIn(folder));
    }
  });

  test('has every client of the firm, archived ones too, and nothing of another firm', async () => {
    const carla = await client(firmOne, 'Carla / Clay', 'C-3', []);
    await archiveClients(olga, [carla]);
    const { out, bytes } = await extracted(olga, null);
    const files = await filesIn(out);
    for (const name of ['Amber Bakery', 'Birch Boats', 'Carla _ Clay'])
      expect(files).toContain(`clients/${name}/manifest.json`);
    expect(files).toEqual(expect.arrayContaining([...TOP, 'index.html']));
    const page = await readFile(path.join(out, 'index.html'), 'utf8');
    expect(page).toMatch(/href="clients\/Carla%20_%20Clay\/index.html">Carla \/ Clay<\/a\s*> \(archived\)/);
    expect(bytes.includes(CANARY)).toBe(false);
    for (const file of files) expect(await readFile(path.join(out, file), 'utf8')).not.toContain(CANARY);
  });

  test('has the details and the logo of the firm, and a client’s has neither', async () => {
    const logo = Buffer.from('a picture');
    const blob = await putBlob(Readable.from([logo]), 100);
    await commitBlob(blob);
    await db()
      .updateTable('themes')
      .set({ logo_key: blob.key, logo_type: 'image/png' })
      .where('company_id', '=', firmOne)
      .execute();
    const ofFirm = await exportOf(olga, null, 'es');
    expect(ofFirm.get('firm/logo.png')).toEqual(logo);
    expect(tableIn(ofFirm, 'firm.csv')).toContainEqual({
      Campo: 'Nombre del estudio',
      Valor: 'Maple & Hart',
    });
    expect([...(await exportOf(olga, clientA)).keys()].filter((name) => name.startsWith('firm'))).toEqual([]);
  });

  test('its pages follow the HTML standard', async () => {
    const { out } = await extracted(olga, null);
    const [firmPage, clientPage] = await Promise.all(
      ['index.html', 'clients/Amber Bakery/index.html'].map((file) => readFile(path.join(out, file), 'utf8')),
    );
    expect(await markupProblems(firmPage ?? '')).toEqual([]);
    expect(await markupProblems(clientPage ?? '')).toEqual([]);
  });

  test('the audit log can be checked entry by entry with what is in the archive', async () => {
    const { out } = await extracted(olga, null);
    let hash = '0'.repeat(64);
    const lines = (await readFile(path.join(out, 'audit-log.jsonl'), 'utf8')).trim().split('\n');
    for (const line of lines) {
      const entry = JSON.parse(line) as Record<string, string | number>;
      const { firm, seq, at, actor, action, target, details } = entry;
      hash = sha256(JSON.stringify([hash, firm, seq, at, actor, action, target, details]));
      expect(hash).toBe(entry['hash']);
    }
    const last = (await readFile(path.join(out, 'audit-checkpoints.txt'), 'utf8')).trim().split('\n').at(-1);
    const [, , seq] = (last ?? '').split(' ');
    expect(JSON.parse(lines[Number(seq) - 1] ?? '{}')).toMatchObject({ hash: last?.split(' ')[3] });
  });

  test('speaks the language of who requests it', async () => {
    const { out } = await extracted(olga, null, 'pt');
    expect(await readFile(path.join(out, 'README.txt'), 'utf8')).toContain('Exportado em');
    expect(await readFile(path.join(out, 'index.html'), 'utf8')).toContain('lang="pt');
  });
});

describe('who may', () => {
  test('only people who manage the firm can start, see, download or remove an export', async () => {
    const id = await start(olga, clientA);
    await runDueJobs();
    for (const actor of [mona, sam, ada, tom]) {
      expect(await codeOf(start(actor, clientA))).toBe('FORBIDDEN');
      expect(await codeOf(start(actor, null))).toBe('FORBIDDEN');
      expect(await codeOf(listDataExports(actor))).toBe('FORBIDDEN');
      expect(await codeOf(open(actor, id))).toBe('FORBIDDEN');
      expect(await codeOf(removeDataExport(actor, id))).toBe('FORBIDDEN');
    }
  });

  test('the owner of another firm finds neither the client nor the export', async () => {
    const id = await start(olga, clientA);
    await runDueJobs();
    const otto = await person(firmTwo, 'Otto Other', 'otto@two.example', { role: 'owner' });
    expect(await codeOf(start(otto, clientA))).toBe('NOT_FOUND');
    expect(await codeOf(start(olga, clientTwo))).toBe('NOT_FOUND');
    expect(await codeOf(open(otto, id))).toBe('NOT_FOUND');
    expect(await codeOf(removeDataExport(otto, id))).toBe('NOT_FOUND');
    expect(await listDataExports(otto)).toEqual([]);
  });

  test('an owner with assigned clients only exports these, and neither the firm nor other clients', async () => {
    const id = await start(olga, null);
    await runDueJobs();
    const lee = await person(firmOne, 'Lee Limited', 'lee@one.example', {
      role: 'owner',
      hasAllClients: false,
    });
    expect(await codeOf(start(lee, null))).toBe('FORBIDDEN');
    expect(await codeOf(start(lee, clientB))).toBe('NOT_FOUND');
    expect(await codeOf(open(lee, id))).toBe('NOT_FOUND');
  });

  test('who did not authenticate recently must do so again to start and to download', async () => {
    const long = now() - 10 * MINUTE;
    expect(await codeOf(startDataExport(session(olga, long), clientA, 'en-us'))).toBe('STEP_UP');
    const id = await start(olga, clientA);
    await runDueJobs();
    expect(await codeOf(open(olga, id, long))).toBe('STEP_UP');
    const ranges = () => openDataExport(session(olga, long), id, () => 'part');
    expect(await codeOf(ranges())).toBe('STEP_UP');
    await open(olga, id);
    expect(await codeOf(ranges())).toBe('done');
  });

  test('an export ends without a file if who requested it may no longer have it', async () => {
    const una = await person(firmOne, 'Una Owner', 'una@one.example', { role: 'owner' });
    const id = await start(una, clientA);
    await changeRights(una.contactId, { role: 'member' });
    await runDueJobs();
    expect(await listed(id)).toMatchObject({ state: 'failed', problem: 'FORBIDDEN' });
  });
});

describe('the job', () => {
  test('staff who lose the right while their export is built get no file, and nothing is left behind', async () => {
    const ulla = await person(firmOne, 'Ulla Owner', 'ulla@one.example', { role: 'owner' });
    const large = await client(firmOne, 'Large Client', 'L-1', [ada]);
    const folder = await createProject(sam, { clientId: large, name: 'Everything' });
    for (let i = 0; i < 150; i += 1) await uploadAs(sam, folder, `File ${i}.pdf`, `file ${i}`);
    await mail.deliver();
    const before = await blobFiles();
    const id = await start(ulla, large);
    const working = runDueJobs();
    await expect.poll(async () => (await listed(id))?.written, { interval: 1 }).toBeGreaterThan(0);
    expect((await listed(id))?.state, 'the right ends in the middle').toBe('building');
    await changeRights(ulla.contactId, { role: 'member' });
    await working;
    expect(await listed(id)).toMatchObject({ state: 'failed', problem: 'FORBIDDEN', size: 0 });
    expect(await blobFiles()).toEqual(before);
    expect(await actionsOn(id)).toEqual(['data-export.request']);
    expect(await mail.deliver()).toEqual([]);
  });

  test('a ready export is recorded, announced by email, and downloaded in ranges', async () => {
    await mail.deliver();
    const id = await start(olga, clientA);
    await runDueJobs();
    const messages = await mail.deliver();
    expect(messages.map(({ recipients, mail: { subject } }) => [recipients, subject])).toEqual([
      [['olga@one.example'], 'Your export is ready'],
    ]);
    const file = await open(olga, id);
    const all = await readAll(file.open());
    expect(all.length).toBe(file.size);
    expect(digestOf(all)).toBe(file.etag);
    expect(parseRange('bytes=10-19', file.size)).toEqual({ start: 10, end: 19 });
    expect(await readAll(file.open({ start: 10, end: 19 }))).toEqual(all.subarray(10, 20));
    expect(await actionsOn(id)).toEqual(['data-export.request', 'data-export.ready', 'data-export.download']);
  });

  test('one of a firm is at work at a time; a cancelled one leaves nothing behind', async () => {
    const before = await blobFiles();
    const id = await start(olga, clientA);
    expect(await codeOf(start(olga, null))).toBe('LOCKED');
    await removeDataExport(olga, id);
    await runDueJobs();
    expect(await listed(id)).toMatchObject({ state: 'cancelled' });
    expect(await codeOf(open(olga, id))).toBe('NOT_FOUND');
    expect(await blobFiles()).toEqual(before);
    expect(await actionsOn(id)).toEqual(['data-export.request', 'data-export.cancel']);
  });

  test('an attempt that another one replaced changes nothing, and its file is removed', async () => {
    const id = await start(olga, clientA);
    const before = await blobFiles();
    await Promise.all([buildDataExport({ exportId: id }), buildDataExport({ exportId: id })]);
    expect(await blobFiles()).toHaveLength(before.length + 1);
    expect((await listed(id))?.state).toBe('ready');
    await buildDataExport({ exportId: id });
    expect(await blobFiles()).toHaveLength(before.length + 1);
    expect((await actionsOn(id)).filter((action) => action === 'data-export.ready')).toHaveLength(1);
  });

  test('a document that is damaged or infected is listed and not included', async () => {
    const infected = await uploadAs(ada, projectA, 'Infected.pdf', 'virus');
    await db()
      .updateTable('documents')
      .set({ scan: 'infected' })
      .where('document_id', '=', infected.id)
      .execute();
    const damaged = await uploadAs(ada, projectA, 'Damaged.pdf', 'damaged');
    const { blob_key: key } = await db()
      .selectFrom('documents')
      .select('blob_key')
      .where('document_id', '=', damaged.id)
      .executeTakeFirstOrThrow();
    await removeBlob(key);
    const { id, out } = await extracted(olga, clientA);
    const lost = (await manifestIn(out)).documents.find(({ name }) => name === 'Damaged.pdf');
    expect(lost).toMatchObject({ path: null, omitted: 'damaged' });
    const found = (await manifestIn(out)).documents.find(({ name }) => name === 'Infected.pdf');
    expect(found).toMatchObject({ path: null, omitted: 'infected' });
    expect((await filesIn(out)).join()).not.toContain('Infected');
    expect(await readFile(path.join(out, 'index.html'), 'utf8')).toContain(
      'Infected.pdf (not included: infected)',
    );
    expect(await listed(id)).toMatchObject({ omitted: 2 });
  });

  test('the file is removed after a week, and on request', async () => {
    const before = await blobFiles();
    const id = await start(olga, clientA);
    await runDueJobs();
    const other = await start(olga, clientB);
    await runDueJobs();
    await removeDataExport(olga, other);
    expect(await codeOf(open(olga, other))).toBe('NOT_FOUND');
    await sweepDataExports();
    expect((await listed(id))?.state).toBe('ready');
    moveClock(DAYS_KEPT * DAY);
    expect(await codeOf(open(olga, id))).toBe('NOT_FOUND');
    await sweepDataExports();
    expect((await listed(id))?.state).toBe('expired');
    const keys = await db()
      .selectFrom('data_exports')
      .select('blob_key')
      .where('blob_key', 'is not', null)
      .execute();
    const stored = await db().selectFrom('blobs').select('blob_key').execute();
    const committed = new Set(stored.map(({ blob_key: key }) => key));
    for (const { blob_key: key } of keys) expect(committed.has(key ?? '')).toBe(true);
    expect((await blobFiles()).length).toBeGreaterThanOrEqual(before.length); // bytes go with the next sweep of blobs
    moveClock(-DAYS_KEPT * DAY);
  });

  test('an export whose job was lost is given up', async () => {
    const id = await start(olga, clientA);
    await db().deleteFrom('jobs').where('unique_key', '=', id).execute();
    await sweepDataExports();
    expect(await listed(id)).toMatchObject({ state: 'failed', problem: 'ERROR' });
  });
});

test('an export that the disk has no space for is refused before it starts', async () => {
  const large = await uploadAs(ben, projectB, 'Large.pdf', 'large');
  const resize = (size: number) =>
    db().updateTable('documents').set({ size }).where('document_id', '=', large.id).execute();
  await resize(10 ** 15);
  // a bucket has no end
  if ((await freeBlobSpace()) !== undefined) expect(await codeOf(start(olga, clientB))).toBe('QUOTA');
  await resize(large.originalItemSize);
  expect(await codeOf(start(olga, clientB))).toBe('done');
  await runDueJobs();
});

test('the call sends the file to those who manage the firm, and is refused to others', async () => {
  const id = await start(olga, clientA);
  await runDueJobs();
  const address = `/api/client-center/v1/data-exports/${id}/file`;
  const response = await apiAs(olga)('GET', address, { headers: { range: 'bytes=0-3' } });
  expect(response.status).toBe(206);
  expect(Buffer.from(await response.arrayBuffer()).toString('latin1')).toBe('PK\u0003\u0004');
  expect(response.headers.get('content-disposition')).toMatch(/client-\d{4}-\d\d-\d\d\.zip/);
  expect((await apiAs(sam)('GET', address)).status).toBe(403);
});

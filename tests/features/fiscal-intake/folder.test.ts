import '../../../src/app.server.ts';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { actorOf } from '#features/base/people/people.server.ts';
import { switchForClient } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { intakePage } from '#features/brazil/fiscal-intake/intake-page.server.ts';
import { listSetAsides } from '#features/brazil/fiscal-intake/set-asides.server.ts';
import { inspectFolder, readFolder } from '#features/brazil/fiscal-intake/watched-folder.server.ts';
import { updateClient } from '#features/clients/clients/editing.server.ts';
import { now, SECOND } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { sessionAs } from '../../support/api.ts';
import { makeCast, person, standAt } from '../../support/cast.ts';
import { BAKERY, cancellationXml, LETTERS, noteXml, openStorageOf, zipOf } from '../../support/fiscal.ts';
import { runDueJobs } from '../../support/jobs.ts';

/* The watched folder: real files in a temporary folder, and the clock of the tests. */

const { firmOne, clientA, clientB, ...cast } = await makeCast();
const owner = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await openStorageOf(owner);
const olga = await actorOf(owner.contactId);
const [ada, sam] = [await actorOf(cast.ada.contactId), await actorOf(cast.sam.contactId)];
const NUMBER = 'B-77';

beforeAll(async () => {
  await updateClient(olga, clientA, { taxIds: [{ kind: 'cnpj', number: BAKERY }], allowDuplicate: true });
  await updateClient(olga, clientB, {
    code: NUMBER,
    taxIds: [{ kind: 'cnpj', number: LETTERS }],
    allowDuplicate: true,
  });
});

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'portal-watched-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await db().deleteFrom('fiscal_moves').execute();
});

const inFolder = (...names: string[]): string => path.join(folder, ...names);

/** Puts files into the folder of a client. */
function put(client: string, files: Readonly<Record<string, string | Buffer>>): void {
  mkdirSync(inFolder(client), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(inFolder(client, name), content);
}

/** One scan of the folder, some seconds after the last one. */
async function scan(seconds = 20): Promise<void> {
  standAt(now() + seconds * SECOND);
  await readFolder(undefined, folder);
}
const scanTwice = async (): Promise<void> => {
  await scan();
  await scan();
};

const filesOf = (client: string): string[] =>
  existsSync(inFolder(client))
    ? (readdirSync(inFolder(client), { recursive: true }) as string[]).toSorted()
    : [];

/** The intakes of a client, the newest first, with what their pages say of each file. */
async function intakesOf(clientId: string) {
  const rows = await db()
    .selectFrom('fiscal_intakes')
    .select(['intake_id', 'source', 'state'])
    .where('client_id', '=', clientId)
    .orderBy('created_at', 'desc')
    .orderBy('intake_id')
    .execute();
  return Promise.all(
    rows.map(async ({ intake_id: id, ...row }) => {
      const page = await intakePage(
        { locals: { lang: 'pt', session: sessionAs(olga), pathTo: (to) => `/${to}` } },
        id,
      );
      return { ...row, files: Object.fromEntries(page.rows.map(({ name, text }) => [name, text])) };
    }),
  );
}

describe('a file in the folder of a client', () => {
  test('is stored, moved, and listed on the page of its intake, by CNPJ and by number', async () => {
    put('99.304.518.0001-86', { 'nota.xml': noteXml({ number: 101 }) });
    put(NUMBER, { 'nota.xml': noteXml({ number: 102, recipient: LETTERS }) });
    await scanTwice();
    expect(filesOf('99.304.518.0001-86')).toEqual(['done', 'done/nota.xml']);
    expect(filesOf(NUMBER)).toEqual(['done', 'done/nota.xml']);
    const [intake] = await intakesOf(clientA);
    expect(intake).toEqual({ source: 'folder', state: 'done', files: { 'nota.xml': 'Guardado' } });
    expect((await intakesOf(clientB))[0]?.files).toEqual({ 'nota.xml': 'Guardado' });
  });

  test('is taken once it no longer grows', async () => {
    const whole = noteXml({ number: 103 });
    put(BAKERY, { 'grows.xml': whole.slice(0, 200) });
    await scan();
    appendFileSync(inFolder(BAKERY, 'grows.xml'), whole.slice(200, 400));
    await scan();
    await scan(2);
    expect(filesOf(BAKERY)).toEqual(['grows.xml']);
    appendFileSync(inFolder(BAKERY, 'grows.xml'), whole.slice(400));
    await scanTwice();
    expect(filesOf(BAKERY)).toEqual(['done', 'done/grows.xml']);
    expect((await intakesOf(clientA))[0]?.files).toEqual({ 'grows.xml': 'Guardado' });
  });

  test('is refused with its reason beside it, while the others are stored', async () => {
    put(BAKERY, {
      'broken.xml': '<nfeProc',
      'guia.pdf': '%PDF-1.7',
      'fine.xml': noteXml({ number: 104 }),
      'copy.xml.part': 'is being written',
    });
    await scanTwice();
    expect(filesOf(BAKERY)).toEqual([
      'copy.xml.part',
      'done',
      'done/fine.xml',
      'refused',
      'refused/broken.xml',
      'refused/broken.xml.txt',
      'refused/guia.pdf',
      'refused/guia.pdf.txt',
    ]);
    expect(readFileSync(inFolder(BAKERY, 'refused', 'guia.pdf.txt'), 'utf8')).toBe('Not an XML file\n');
    const [intake] = await intakesOf(clientA);
    expect(intake?.files['broken.xml']).toContain('Não é um XML válido');
  });

  test('that is of another company is set aside, even of another client', async () => {
    put(BAKERY, { 'foreign.xml': noteXml({ number: 105, recipient: LETTERS }) });
    await scanTwice();
    expect((await intakesOf(clientA))[0]?.files['foreign.xml']).toContain('Não é desta empresa');
    expect((await listSetAsides(sam)).map(({ name }) => name)).toContain('foreign.xml');
    expect(filesOf(BAKERY)).toEqual(['done', 'done/foreign.xml']);
  });

  test('that comes again is known, and nothing of the earlier one is replaced', async () => {
    put(BAKERY, { 'twice.xml': noteXml({ number: 106 }) });
    await scanTwice();
    put(BAKERY, { 'twice.xml': noteXml({ number: 106 }) });
    await scanTwice();
    expect(filesOf(BAKERY)).toEqual(['done', 'done/twice (2).xml', 'done/twice.xml']);
    expect((await intakesOf(clientA))[0]?.files).toEqual({ 'twice.xml': 'Já estava aqui' });
  });

  test('an archive is read by a job after it was moved', async () => {
    const archive = await zipOf({
      '1.xml': noteXml({ number: 107 }),
      '2.xml': noteXml({ number: 108, recipient: LETTERS }),
    });
    put(BAKERY, { 'month.zip': archive });
    await scanTwice();
    expect(filesOf(BAKERY)).toEqual(['done', 'done/month.zip']);
    expect((await intakesOf(clientA))[0]?.state).toBe('reading');
    await runDueJobs();
    const [intake] = await intakesOf(clientA);
    expect(intake?.state).toBe('done');
    expect(intake?.files).toEqual({
      '1.xml': 'Guardado',
      '2.xml': 'Não é desta empresa; o escritório vai verificar',
    });
  });

  test('many files are one intake, each of them once', async () => {
    put(
      BAKERY,
      Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`${i}.xml`, noteXml({ number: 2000 + i })])),
    );
    await scanTwice();
    const [intake] = await intakesOf(clientA);
    expect(Object.keys(intake?.files ?? {})).toHaveLength(150);
    expect(filesOf(BAKERY)).toHaveLength(151);
  });
});

describe('what is not taken', () => {
  test('symbolic links, of files and of folders, stay and are reported', async () => {
    mkdirSync(inFolder('.outside'));
    const secret = inFolder('.outside', 'secret.xml');
    writeFileSync(secret, noteXml({ number: 110 }));
    put(BAKERY, {});
    symlinkSync(secret, inFolder(BAKERY, 'link.xml'));
    symlinkSync(secret, inFolder('loose.xml'));
    writeFileSync(inFolder('.outside', 'x.xml'), noteXml({ number: 111 }));
    symlinkSync(inFolder('.outside'), inFolder(NUMBER));
    const before = (await intakesOf(clientA)).length;
    await scanTwice();
    expect(await intakesOf(clientA)).toHaveLength(before);
    expect(await inspectFolder(folder)).toMatchObject({
      links: [NUMBER, 'loose.xml', `${BAKERY}/link.xml`],
      unknown: [],
    });
  });

  test('nothing is moved through a link that has the name of the folder for it', async () => {
    put(BAKERY, { 'a.xml': noteXml({ number: 112 }) });
    mkdirSync(inFolder('.elsewhere'));
    symlinkSync(inFolder('.elsewhere'), inFolder(BAKERY, 'done'));
    await scanTwice();
    expect(readdirSync(inFolder('.elsewhere'))).toEqual([]);
    const { length } = await intakesOf(clientA);
    rmSync(inFolder(BAKERY, 'done'));
    await scanTwice();
    expect(filesOf(BAKERY)).toEqual(['done', 'done/a.xml']);
    expect(await intakesOf(clientA), 'stored once').toHaveLength(length);
  });

  test('a folder of no client stays, and is reported; so are those of clients that store nothing', async () => {
    put('00000000', { 'a.xml': noteXml({ number: 113 }) });
    put(BAKERY, { 'a.xml': noteXml({ number: 114 }) });
    await switchForClient(olga, clientA, false);
    await scanTwice();
    expect([filesOf('00000000'), filesOf(BAKERY)]).toEqual([['a.xml'], ['a.xml']]);
    expect(await inspectFolder(folder)).toMatchObject({ unknown: ['00000000', BAKERY], clients: 0 });
    await switchForClient(olga, clientA, true);
    await scanTwice();
    expect(filesOf(BAKERY)).toEqual(['done', 'done/a.xml']);
  });

  test('a file beside the folders is taken for the client that it names, with all parts of its firm', async () => {
    writeFileSync(inFolder('nota.xml'), noteXml({ number: 150 }));
    writeFileSync(inFolder('both.xml'), noteXml({ number: 151, issuer: LETTERS }));
    await scanTwice();
    expect(filesOf('.')).toEqual(['done', 'done/both.xml', 'done/nota.xml']);
    expect((await intakesOf(clientA))[0]?.files).toMatchObject({ 'nota.xml': 'Guardado' });
    const stored = await db()
      .selectFrom('fiscal_documents')
      .select('client_id')
      .where('number', 'in', [150, 151])
      .orderBy('number')
      .execute();
    expect(stored.map((row) => row.client_id).toSorted()).toEqual([clientA, clientA, clientB].toSorted());
    writeFileSync(inFolder('cancelled.xml'), cancellationXml({ number: 150 }));
    await scanTwice();
    expect((await intakesOf(clientA))[0]?.files).toEqual({ 'cancelled.xml': 'Evento guardado' });
  });

  test('a file beside the folders that names no client, and an archive there, are refused with the reason', async () => {
    writeFileSync(inFolder('foreign.xml'), noteXml({ number: 152, recipient: '66019348000139' }));
    writeFileSync(inFolder('many.zip'), await zipOf({ 'a.xml': noteXml({ number: 153 }) }));
    const before = (await listSetAsides(olga)).length;
    await scanTwice();
    expect(filesOf('.')).toEqual([
      'refused',
      'refused/foreign.xml',
      'refused/foreign.xml.txt',
      'refused/many.zip',
      'refused/many.zip.txt',
    ]);
    expect(readFileSync(inFolder('refused', 'many.zip.txt'), 'utf8')).toContain('ZIP');
    expect(readFileSync(inFolder('refused', 'foreign.xml.txt'), 'utf8')).toContain('CNPJ');
    expect(await listSetAsides(olga)).toHaveLength(before);
  });

  test('an unreadable file stays, and is reported until it can be read', async () => {
    put(BAKERY, { 'shut.xml': noteXml({ number: 116 }) });
    chmodSync(folder, 0o755);
    chmodSync(inFolder(BAKERY), 0o755);
    chmodSync(inFolder(BAKERY, 'shut.xml'), 0);
    const { length } = await intakesOf(clientA);
    await withoutRoot(async () => {
      await scanTwice();
      expect((await inspectFolder(folder)).denied).toEqual([`${BAKERY}/shut.xml`]);
    });
    expect(await intakesOf(clientA)).toHaveLength(length);
    chmodSync(inFolder(BAKERY, 'shut.xml'), 0o644);
    await scanTwice();
    expect(filesOf(BAKERY)).toEqual(['done', 'done/shut.xml']);
  });
});

/** Does something without the rights of root, for which no file is shut. */
async function withoutRoot(work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

describe('whatever happens at the same time', () => {
  test('two nodes take a file once', async () => {
    put(BAKERY, { 'once.xml': noteXml({ number: 120 }) });
    await scan();
    const { length } = await intakesOf(clientA);
    standAt(now() + 20 * SECOND);
    await Promise.all([1, 2, 3].map(() => readFolder(undefined, folder)));
    expect(await intakesOf(clientA)).toHaveLength(length + 1);
    expect(filesOf(BAKERY)).toEqual(['done', 'done/once.xml']);
  });

  test('a node that is killed between storing and moving leaves a file that is moved, not stored again', async () => {
    put(BAKERY, { 'killed.xml': noteXml({ number: 121 }), 'bad.xml': '<a' });
    mkdirSync(inFolder(BAKERY, 'done'));
    // as a kill does: the transaction is done, the moves are not
    renameSync(inFolder(BAKERY, 'done'), inFolder('.done'));
    writeFileSync(inFolder(BAKERY, 'done'), '');
    writeFileSync(inFolder(BAKERY, 'refused'), '');
    await scanTwice();
    expect(filesOf(BAKERY)).toEqual(['bad.xml', 'done', 'killed.xml', 'refused']);
    const { length } = await intakesOf(clientA);
    rmSync(inFolder(BAKERY, 'done'));
    rmSync(inFolder(BAKERY, 'refused'));
    await scanTwice();
    expect(filesOf(BAKERY)).toEqual([
      'done',
      'done/killed.xml',
      'refused',
      'refused/bad.xml',
      'refused/bad.xml.txt',
    ]);
    expect(await intakesOf(clientA)).toHaveLength(length);
  });

  test('another file that came under the same name before the move stays, and is taken as itself', async () => {
    put(BAKERY, { 'same.xml': noteXml({ number: 122 }) });
    writeFileSync(inFolder(BAKERY, 'done'), '');
    await scanTwice();
    writeFileSync(inFolder(BAKERY, 'same.xml'), noteXml({ number: 123, note: 'another one' }));
    rmSync(inFolder(BAKERY, 'done'));
    await scanTwice();
    await scan();
    expect((await intakesOf(clientA))[0]?.files).toEqual({ 'same.xml': 'Guardado' });
    expect(filesOf(BAKERY)).toEqual(['done', 'done/same.xml']);
  });
});

test('a contact reads what came by the folder', async () => {
  put(BAKERY, { 'seen.xml': noteXml({ number: 130 }), 'cancelled.xml': cancellationXml({ number: 130 }) });
  await scanTwice();
  const [row] = await db()
    .selectFrom('fiscal_intakes')
    .select('intake_id')
    .where('client_id', '=', clientA)
    .orderBy('created_at', 'desc')
    .execute();
  const page = await intakePage(
    { locals: { lang: 'pt', session: sessionAs(ada), pathTo: (to) => `/${to}` } },
    row?.intake_id ?? '',
  );
  expect(page.rows.map(({ text }) => text).toSorted()).toEqual(['Evento guardado', 'Guardado']);
});

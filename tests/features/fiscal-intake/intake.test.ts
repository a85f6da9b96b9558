import '../../../src/app.server.ts';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { deflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { actorOf } from '#features/base/people/people.server.ts';
import { switchForClient } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { fiscalXml } from '#features/brazil/fiscal-documents/reading.server.ts';
import { intakeAnswer } from '#features/brazil/fiscal-intake/fiscal-intake.ts';
import { intakePage } from '#features/brazil/fiscal-intake/intake-page.server.ts';
import { intakeAnswerFor } from '#features/brazil/fiscal-intake/intakes.server.ts';
import { continueIntake } from '#features/brazil/fiscal-intake/reading-archives.server.ts';
import { receiveFiles } from '#features/brazil/fiscal-intake/receiving.server.ts';
import {
  assignSetAside,
  discardSetAside,
  listSetAsides,
  sweepSetAsides,
} from '#features/brazil/fiscal-intake/set-asides.server.ts';
import { updateClient } from '#features/clients/clients/editing.server.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { at, DAY, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, filesForm, sessionAs } from '../../support/api.ts';
import { makeCast, person } from '../../support/cast.ts';
import {
  BAKERY,
  cancellationXml,
  keyOf,
  LETTERS,
  MILL,
  noteXml,
  openStorageOf,
  zipOf,
} from '../../support/fiscal.ts';
import { signerNamed } from '../../support/signed-xml.ts';
import { runDueJobs } from '../../support/jobs.ts';
import { onPostgres } from '../../support/whole.ts';

const { firmOne, clientA, clientB, ...cast } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await openStorageOf(olga);
const reloaded = ({ contactId }: { contactId: string }) => actorOf(contactId);
const [ada, ben] = [await reloaded(cast.ada), await reloaded(cast.ben)];
const [cleo, sam] = [await reloaded(cast.cleo), await reloaded(cast.sam)];
const call = apiAs(ada);
const path = `/api/boxe/v1/clients/${clientA}/documents`;

beforeAll(async () => {
  for (const [id, number] of [
    [clientA, BAKERY],
    [clientB, LETTERS],
  ] as const)
    await updateClient(olga, id, { taxIds: [{ kind: 'cnpj', number }], allowDuplicate: true });
});

const answerTo = async (response: Response) => intakeAnswer.parse(await response.json()).data;
const documentCount = async (): Promise<number> =>
  (await db().selectFrom('fiscal_documents').select('document_id').execute()).length;

describe('the call that adds documents', () => {
  test('answers for each file what became of it, and stores none twice', async () => {
    const form = () =>
      filesForm(
        ['note.xml', noteXml({ number: 1 })],
        ['copy.xml', noteXml({ number: 1, note: 'changed' })],
        ['cancelled.xml', cancellationXml({ number: 1 })],
        ['foreign.xml', noteXml({ number: 2, recipient: LETTERS })],
        ['broken.xml', '<nfeProc'],
        ['order.xml', '<pedido/>'],
      );
    const response = await call('POST', path, { form: form() });
    expect(response.status).toBe(200);
    const { items, state, counts } = await answerTo(response);
    expect(state).toBe('done');
    expect(items.map(({ name, status, outcome }) => [name, status, outcome])).toEqual([
      ['note.xml', 201, 'stored'],
      ['copy.xml', 409, 'twin'],
      ['cancelled.xml', 201, 'event'],
      ['foreign.xml', 202, 'setAside'],
      ['broken.xml', 422, 'refused'],
      ['order.xml', 201, 'other'],
    ]);
    expect(items[4]?.code).toBe('notXml');
    expect(counts).toEqual({ stored: 1, twin: 1, event: 1, setAside: 1, refused: 1, other: 1 });
    const before = await documentCount();
    const again = await answerTo(await call('POST', path, { form: form() }));
    expect(again.counts).toEqual({ known: 4, setAside: 1, refused: 1 });
    expect(await documentCount()).toBe(before);
    expect(await listSetAsides(sam)).toHaveLength(1);
  });

  test('may be made twice at the same moment: each file is stored once', async () => {
    const form = () => filesForm(['a.xml', noteXml({ number: 40 })], ['b.xml', noteXml({ number: 41 })]);
    const answers = await Promise.all(
      [1, 2, 3].map(async () => answerTo(await call('POST', path, { form: form() }))),
    );
    const outcomes = answers.flatMap(({ items }) => items.map(({ outcome }) => outcome)).toSorted();
    expect(outcomes).toEqual(['known', 'known', 'known', 'known', 'stored', 'stored']);
  });

  test('takes one XML file as its body, and ZIP files among others', async () => {
    const one = await call('POST', path, {
      text: noteXml({ number: 3 }),
      headers: { 'content-type': 'application/xml' },
    });
    expect((await answerTo(one)).items).toMatchObject([{ status: 201 }]);
    const archive = await zipOf({ 'a/4.xml': noteXml({ number: 4 }), 'b/5.xml': noteXml({ number: 5 }) });
    const many = await call('POST', path, { form: filesForm(['two.zip', archive]) });
    expect(await answerTo(many)).toMatchObject({ state: 'done', counts: { stored: 2 } });
  });

  test('is refused for a client of others, one that is switched off, and without files', async () => {
    expect((await apiAs(ben)('POST', path, { form: filesForm(['1.xml', '<a/>']) })).status).toBe(404);
    expect((await call('POST', path, { form: new FormData() })).status).toBe(422);
    await switchForClient(olga, clientA, false);
    expect((await call('POST', path, { form: filesForm(['1.xml', '<a/>']) })).status).toBe(403);
    const off: unknown = await (await call('GET', `/api/boxe/v1/clients/${clientA}`)).json();
    expect(off).toMatchObject({ id: clientA, enabled: false });
    await switchForClient(olga, clientA, true);
    const on = (await (await call('GET', `/api/boxe/v1/clients/${clientA}`)).json()) as {
      lastToggle: string;
    };
    expect(Date.parse(on.lastToggle)).toBeGreaterThan(0);
    expect(await (await call('GET', '/api/boxe/v1/companies')).json()).toEqual({ enabled: true });
    expect(await (await apiAs(cast.zoe)('GET', '/api/boxe/v1/companies')).json()).toEqual({ enabled: false });
  });

  test('sends the form of a page to the page of the result', async () => {
    const query = new URLSearchParams({ r: '/clientcenter/pt/actions/box-e/nfe-storage?client=x' });
    const sent = await call('POST', `${path}?${query}`, {
      form: filesForm(['6.xml', noteXml({ number: 6 })]),
    });
    expect(sent.status).toBe(303);
    expect(sent.headers.get('location')).toMatch(
      /\/clientcenter\/pt\/actions\/box-e\/intakes\/intake_\w+\?client=x$/,
    );
    const none = await call('POST', `${path}?${query}`, { form: new FormData() });
    expect(none.headers.get('location')).toMatch(/nfe-storage\?client=x$/);
  });
});

describe('a file in a signed envelope (.p7m)', () => {
  const signer = signerNamed('Moinho Boa Safra Ltda:31550824000169');
  const folder = mkdtempSync(join(tmpdir(), 'portal-p7m-'));
  /** As openssl makes it, with the content in it unless it is detached. */
  const envelopeOf = (content: string, ...options: string[]): Buffer => {
    const names = { key: 'k.pem', certificate: 'c.pem', content: 'in', envelope: 'out' };
    for (const [name, text] of Object.entries({ ...signer, content }))
      writeFileSync(join(folder, names[name as keyof typeof names]), text);
    const signing = ['-signer', names.certificate, '-inkey', names.key, '-in', names.content];
    execFileSync('openssl', ['cms', '-sign', '-binary', ...signing, '-out', names.envelope, ...options], {
      cwd: folder,
      stdio: 'ignore',
    });
    return readFileSync(join(folder, names.envelope));
  };

  test.each([
    ['DER', 61, ['-nodetach', '-outform', 'DER']],
    ['BER in parts', 62, ['-nodetach', '-stream', '-outform', 'DER']],
    ['PEM', 63, ['-nodetach', '-outform', 'PEM']],
  ])('is opened: %s', async (_, number, options) => {
    const xml = noteXml({ number });
    const receiver = await receiveFiles(ada, { clientId: clientA, source: 'upload' });
    await receiver.add('nota.xml.p7m', Readable.from([envelopeOf(xml, ...options)]));
    const archive = await zipOf({ 'again.p7m': envelopeOf(noteXml({ number: number + 10 }), ...options) });
    await receiver.add('mes.zip', Readable.from([archive]));
    const { items } = await intakeAnswerFor(ada, await receiver.finish());
    expect(items.map(({ outcome }) => outcome)).toEqual(['stored', 'stored']);
    const { document_id: id } = await db()
      .selectFrom('fiscal_documents')
      .select('document_id')
      .where('number', '=', number)
      .executeTakeFirstOrThrow();
    expect((await fiscalXml(ada, id)).bytes.toString()).toBe(xml);
  });

  test('without its content, or with other content than XML, is refused', async () => {
    const receiver = await receiveFiles(ada, { clientId: clientA, source: 'upload' });
    await receiver.add(
      'detached.p7m',
      Readable.from([envelopeOf(noteXml({ number: 64 }), '-outform', 'DER')]),
    );
    await receiver.add('text.p7m', Readable.from([envelopeOf('A text.', '-nodetach', '-outform', 'DER')]));
    const { items } = await intakeAnswerFor(ada, await receiver.finish());
    expect(items.map(({ code }) => code)).toEqual(['notXml', 'notXml']);
  });
});

describe('a ZIP', () => {
  test('is read as far as it can be: each file that is not has its reason', async () => {
    const inner = await zipOf({
      'note.xml': noteXml({ number: 21 }),
      'deeper.zip': await zipOf({ 'x.xml': '<a/>' }),
    });
    const archive = await zipOf({
      'ok.xml': noteXml({ number: 20 }),
      'inner.zip': inner,
      'guia.pdf': '%PDF-1.7',
      'doctype.xml': '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
      '__MACOSX/._ok.xml': 'litter',
      'empty.zip': await zipOf({}),
    });
    const receiver = await receiveFiles(ada, { clientId: clientA, source: 'upload' });
    await receiver.add('month.zip', Readable.from([archive]));
    const id = await receiver.finish();
    const { items } = await intakeAnswerFor(ada, id);
    expect(items.map(({ name, outcome, code }) => [name, code ?? outcome])).toEqual([
      ['ok.xml', 'stored'],
      ['inner.zip/note.xml', 'stored'],
      ['inner.zip/deeper.zip', 'nested'],
      ['guia.pdf', 'notRead'],
      ['doctype.xml', 'doctype'],
      ['empty.zip', 'emptyArchive'],
    ]);
    const page = await intakePage(
      { locals: { lang: 'pt', session: sessionAs(ada), pathTo: (to) => `/${to}` } },
      id,
    );
    expect(page.sentences.map(({ text }) => text)).toEqual([
      '2 documentos guardados',
      '4 recusados; veja os motivos abaixo',
    ]);
    expect(page.rows.find(({ name }) => name === 'guia.pdf')?.text).toBe('Não é um arquivo XML');
  });

  test('with a bomb, a password or a damaged directory is refused with the reason', async () => {
    const bomb = await zipOf({ 'bomb.xml': Buffer.alloc(3_900_000, 32) });
    const secret = await zipOf({ 'secret.xml': noteXml({ number: 22 }) });
    secret[secret.indexOf(Buffer.from('504b0102', 'hex')) + 8] = 9;
    const cut = (await zipOf({ 'cut.xml': noteXml({ number: 23 }) })).subarray(0, 300);
    const receiver = await receiveFiles(ada, { clientId: clientA, source: 'upload' });
    for (const [name, bytes] of Object.entries({ bomb, secret, cut }))
      await receiver.add(`${name}.zip`, Readable.from([bytes]));
    const { items } = await intakeAnswerFor(ada, await receiver.finish());
    expect(items.map(({ code }) => code)).toEqual(['archiveTooLarge', 'encrypted', 'damaged']);
  });

  test('that is large is read by a job, and killed at any batch it goes on, each document once', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 400 }, (_, i) => [`${i}.xml`, noteXml({ number: 10_000 + i })] as const),
    );
    const archive = await zipOf(files);
    const receiver = await receiveFiles(ada, { clientId: clientA, source: 'upload' });
    await receiver.add('large.zip', Readable.from([archive]));
    const spool = await db().selectFrom('fiscal_spools').selectAll().executeTakeFirstOrThrow();
    const payload = { intakeId: spool.intake_id, by: ada.contactId };
    for (const position of [64, 128, 384]) {
      await stopAfter(position, () => continueIntake(payload));
      const row = await db().selectFrom('fiscal_spools').select('position').executeTakeFirstOrThrow();
      expect(row.position).toBe(position);
      expect((await intakeAnswerFor(ada, spool.intake_id)).state).toBe('reading');
    }
    await runDueJobs();
    const { state, counts } = await intakeAnswerFor(ada, spool.intake_id);
    expect({ state, counts }).toEqual({ state: 'done', counts: { stored: 400 } });
    expect(await db().selectFrom('fiscal_spools').selectAll().execute()).toEqual([]);
    const rows = await db()
      .selectFrom('fiscal_documents')
      .select('number')
      .where('number', '>=', 10_000)
      .execute();
    expect(new Set(rows.map(({ number }) => number)).size).toBe(400);
    expect(rows).toHaveLength(400);
    await continueIntake(payload); // again: nothing is left to do
    expect((await intakeAnswerFor(ada, spool.intake_id)).counts).toEqual({ stored: 400 });
  });
});

/** Runs a job until its archive is read up to a position: the database refuses what comes after it. */
async function stopAfter(position: number, work: () => Promise<void>): Promise<void> {
  const limit = sql.lit(position);
  const [refuse, allow] = onPostgres
    ? [
        sql`alter table fiscal_spools add constraint killed check (position <= ${limit})`,
        sql`alter table fiscal_spools drop constraint killed`,
      ]
    : [
        sql`create trigger killed before update of position on fiscal_spools when new.position > ${limit} begin select raise(abort, 'killed'); end`,
        sql`drop trigger killed`,
      ];
  await refuse.execute(db());
  await expect(work()).rejects.toThrow('killed');
  await allow.execute(db());
}

describe('what belongs to no client of whoever sent it', () => {
  test('waits for the firm in its inbox, which assigns or discards it', async () => {
    const receiver = await receiveFiles(ada, { clientId: clientA, source: 'upload' });
    const notes = [30, 31].map((number) => ({ number, recipient: MILL }));
    for (const note of notes)
      await receiver.add(`${note.number}.xml`, Readable.from([Buffer.from(noteXml(note))]));
    await receiver.finish();
    const waiting = (await listSetAsides(sam)).filter(({ name }) => /^3\d/.test(name));
    expect(waiting).toMatchObject([{ name: '30.xml', client_name: 'Amber Bakery' }, { name: '31.xml' }]);
    expect(waiting[0]?.sentence).toContain('NF-e');
    const kinds = async () =>
      (await listInbox(sam, { of: 'all', kind: '', after: '' })).items.map(({ kind }) => kind);
    expect(await kinds()).toContain('fiscalSetAside');
    const [first, second] = waiting.map(({ set_aside_id: id }) => id);
    await expect(listSetAsides(ada)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(assignSetAside(sam, first ?? '', 'client_none')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await assignSetAside(sam, first ?? '', clientB);
    await discardSetAside(sam, second ?? '');
    await expect(discardSetAside(sam, second ?? '')).rejects.toMatchObject({ code: 'GONE' });
    const row = await db()
      .selectFrom('fiscal_documents')
      .select(['document_id', 'client_id', 'role'])
      .where('access_key', '=', keyOf(notes[0] ?? { number: 0 }))
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ client_id: clientB, role: 'other' });
    expect((await fiscalXml(cleo, row.document_id)).bytes.toString()).toBe(
      noteXml(notes[0] ?? { number: 0 }),
    );
    await at(now() + 31 * DAY, sweepSetAsides);
    const kept = await db()
      .selectFrom('fiscal_set_asides')
      .select('set_aside_id')
      .where('blob_key', '<>', '')
      .execute();
    expect(kept.map(({ set_aside_id: id }) => id)).not.toContain(second);
  });
});

test('deflated files may not need more than 200 times what they have', () => {
  expect(deflateRawSync(Buffer.alloc(3_900_000, 32)).length * 200).toBeLessThan(3_900_000);
});

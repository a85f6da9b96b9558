import '../../../src/app.server.ts';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { PROBLEMS } from '#features/brazil/fiscal-documents/fiscal-documents.ts';
import { addMonths } from '#features/brazil/fiscal-documents/kept.ts';
import { headOffice } from '#features/brazil/fiscal-documents/owners.server.ts';
import { fiscalSheet, fiscalXml } from '#features/brazil/fiscal-documents/reading.server.ts';
import { fixityFile, fixityPdf } from '#features/brazil/fiscal-documents/fixity-file.server.ts';
import { fixityOfInstallation, fixityReport } from '#features/brazil/fiscal-documents/fixity.server.ts';
import { verifyFiscalDocuments } from '#features/brazil/fiscal-documents/verification.server.ts';
import { mergeClients } from '#features/documents/merging/merging.server.ts';
import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { sessionAs } from '../../support/api.ts';
import { makeCast, person } from '../../support/cast.ts';
import {
  BAKERY,
  cancellationXml,
  keyOf,
  LETTERS,
  MILL,
  noteXml,
  openStorageOf,
  store,
} from '../../support/fiscal.ts';
import { elementsIn, structureOf } from '../../support/pdf-structure.ts';
import { storeClient } from '../../support/store-client.ts';
import { onPostgres, WHOLE } from '../../support/whole.ts';

const { firmOne, ada: adaBefore, ben: benBefore, clientA, clientB, cleo, zoe, tom } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await openStorageOf(olga);
let [ada, ben] = [adaBefore, benBefore] as [Actor, Actor];

const giveTaxId = async (clientId: string, cnpj: string): Promise<void> => {
  const { updateClient } = await import('#features/clients/clients/editing.server.ts');
  await updateClient(olga, clientId, { taxIds: [{ kind: 'cnpj', number: cnpj }], allowDuplicate: true });
};

beforeAll(async () => {
  await giveTaxId(clientA, BAKERY);
  await giveTaxId(clientB, LETTERS);
  [ada, ben] = [await actorOf(ada.contactId), await actorOf(ben.contactId)];
});

const documentOf = async (clientId: string, key: string) =>
  db()
    .selectFrom('fiscal_documents')
    .selectAll()
    .where('client_id', '=', clientId)
    .where('access_key', '=', key)
    .executeTakeFirst();

describe('files of fiscal documents', () => {
  test('are stored as they came in, with what they say', async () => {
    const note = { number: 1, total: '350.25' };
    const text = `\uFEFF${noteXml(note)}\r\n`;
    const [outcome] = await store(ada, clientA, text);
    expect(outcome).toMatchObject({ outcome: 'stored', clientId: clientA });
    const row = await documentOf(clientA, keyOf(note));
    expect(row).toMatchObject({
      storage: 'nfe',
      kind: 'NF-e',
      number: 1,
      series: '1',
      issued_month: '2026-11',
      direction: 'in',
      role: 'recipient',
      issuer_id: MILL,
      party_name: `Issuer ${MILL}`,
      total_cents: 35_025,
      state: 'authorized',
      problems: 0,
    });
    const { name, bytes } = await fiscalXml(ada, row?.document_id ?? '');
    expect(name).toBe(`${keyOf(note)}.xml`);
    expect(bytes.equals(Buffer.from(text))).toBe(true);
  });

  test('are known when they come again, in the same batch or later', async () => {
    const text = noteXml({ number: 2 });
    const outcomes = await store(ada, clientA, text, text);
    const again = await store(ada, clientA, text);
    expect([...outcomes, ...again].map(({ outcome }) => outcome)).toEqual(['stored', 'known', 'known']);
    const rows = await db()
      .selectFrom('fiscal_files')
      .select('file_id')
      .where('name', '=', '2.xml')
      .execute();
    expect(rows).toHaveLength(0);
  });

  test('are those of the client who issued them, with letters in the CNPJ, too', async () => {
    const note = { number: 3, issuer: LETTERS, recipient: MILL };
    await store(ben, clientB, noteXml(note));
    expect(await documentOf(clientB, keyOf(note))).toMatchObject({ direction: 'out', role: 'issuer' });
  });

  test('are refused with the reason, and the others are stored', async () => {
    const outcomes = await store(ada, clientA, '<a', '<!DOCTYPE a><a/>', noteXml({ number: 4 }));
    expect(outcomes).toMatchObject([
      { outcome: 'refused', code: 'notXml' },
      { outcome: 'refused', code: 'doctype' },
      { outcome: 'stored' },
    ]);
  });

  test('are kept without a claim if nobody knows what they are', async () => {
    const [outcome] = await store(ada, clientA, '<pedido><item/></pedido>');
    expect(outcome).toMatchObject({ outcome: 'other', clientId: clientA });
    const row = await db()
      .selectFrom('fiscal_documents')
      .selectAll()
      .where('kind', '=', 'other')
      .executeTakeFirst();
    expect(row).toMatchObject({ storage: 'xml', state: 'unproven', party_name: '1.xml' });
  });
});

describe('the owner of a document', () => {
  test('is found by the branch of a company whose head office is the client', async () => {
    const branch = `${BAKERY.slice(0, 8)}000267`;
    expect(headOffice(branch)).toBe(BAKERY);
    const [outcome] = await store(ada, clientA, noteXml({ number: 10, recipient: branch }));
    expect(outcome).toMatchObject({ outcome: 'stored', clientId: clientA });
  });

  test('is another client of the person: it is stored there, and said', async () => {
    const [outcome] = await store(cleo, clientA, noteXml({ number: 11, recipient: LETTERS }));
    expect(outcome).toMatchObject({ outcome: 'elsewhere', clientId: clientB });
  });

  test('is nobody whom the person acts for: it is set aside, and nothing says whose it is', async () => {
    const [outcome] = await store(ada, clientA, noteXml({ number: 12, recipient: LETTERS }));
    expect(outcome).toMatchObject({ outcome: 'setAside' });
    expect(outcome).not.toHaveProperty('clientId');
    expect(await documentOf(clientB, keyOf({ number: 12 }))).toBeUndefined();
  });

  test('gets a document of two clients once each, with the part of each', async () => {
    const note = { number: 13, issuer: LETTERS, recipient: BAKERY };
    await store(olga, clientA, noteXml(note));
    expect(await documentOf(clientA, keyOf(note))).toMatchObject({ direction: 'in' });
    expect(await documentOf(clientB, keyOf(note))).toMatchObject({ direction: 'out' });
  });

  test('alone reads it', async () => {
    const note = { number: 14 };
    await store(ada, clientA, noteXml(note));
    const id = (await documentOf(clientA, keyOf(note)))?.document_id ?? '';
    await expect(fiscalXml(ben, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(fiscalXml(zoe, id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('the state of a document', () => {
  test('is the same in every order in which its files come', async () => {
    const kinds = ['note', 'copy', 'unproven', 'cancelled', 'again', 'rejected'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.subarray([...kinds], { minLength: 1 }),
        fc.infiniteStream(fc.nat()),
        fc.boolean(),
        async (chosen, random, isTogether) => {
          const seen = [];
          for (const order of [chosen, chosen.toReversed(), shuffled(chosen, random)]) {
            number += 1;
            const note = { number };
            const texts = order.map((kind) => FILES[kind](note));
            if (isTogether) await store(ada, clientA, ...texts);
            else for (const text of texts) await store(ada, clientA, text);
            const row = await documentOf(clientA, keyOf(note));
            seen.push(row && { state: row.state, at: row.state_at, problems: row.problems });
            const proven = order.filter((kind) => kind === 'note' || kind === 'copy');
            const best = (proven.length > 0 ? proven : order.filter((kind) => kind === 'unproven'))
              .map((kind) => sha256(FILES[kind](note)))
              .toSorted()[0];
            const file = await db()
              .selectFrom('fiscal_files')
              .select('sha256')
              .where('file_id', '=', row?.file_id ?? '')
              .executeTakeFirst();
            expect(file?.sha256).toBe(best);
          }
          expect(new Set(seen.map((each) => JSON.stringify(each))).size, chosen.join(' ')).toBe(1);
          const hasDocument = chosen.some((kind) => ['note', 'copy', 'unproven'].includes(kind));
          const isCancelled = chosen.includes('cancelled') || chosen.includes('again');
          const isProven = chosen.includes('note') || chosen.includes('copy');
          const expected = isCancelled ? 'cancelled' : isProven ? 'authorized' : 'noProtocol';
          expect(seen[0]?.state).toBe(hasDocument ? expected : undefined);
        },
      ),
      { numRuns: onPostgres && !WHOLE ? 8 : 40 },
    );
  });

  test('is shown with events from other files', async () => {
    const note = { number: 20 };
    await store(ada, clientA, cancellationXml(note));
    await store(ada, clientA, noteXml(note));
    const row = await documentOf(clientA, keyOf(note));
    const { sheet } = await fiscalSheet(ada, row?.document_id ?? '');
    expect(sheet?.entries).toMatchObject([{ state: 'cancelled', events: [{ type: '110111' }] }]);
  });

  test('says that copies with the same key differ, and keeps both', async () => {
    const note = { number: 21 };
    const outcomes = await store(ada, clientA, noteXml(note), noteXml({ ...note, note: 'changed' }));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['stored', 'twin']);
    const row = await documentOf(clientA, keyOf(note));
    expect((row?.problems ?? 0) & PROBLEMS.differentCopies).toBe(PROBLEMS.differentCopies);
    const { copies } = await fiscalSheet(ada, row?.document_id ?? '');
    expect(copies).toHaveLength(2);
    for (const { file_id: id } of copies)
      expect((await fiscalXml(ada, row?.document_id ?? '', id)).bytes.length).toBeGreaterThan(100);
  });

  test('is that of one firm: events of another count for nothing', async () => {
    const note = { number: 22 };
    await store(ada, clientA, noteXml(note));
    await db()
      .insertInto('fiscal_events')
      .columns([
        'event_id',
        'company_id',
        'client_id',
        'access_key',
        'type',
        'sequence',
        'cancels',
        'state',
        'file_id',
        'stored_at',
      ])
      .expression((e) =>
        e
          .selectFrom('fiscal_files')
          .select((x) => [
            x.val('event_x').as('a'),
            x.val(zoe.companyId).as('b'),
            'client_id',
            x.val(keyOf(note)).as('d'),
            x.val('110111').as('e'),
            x.val('1').as('f'),
            x.lit(1).as('g'),
            x.val('registered').as('h'),
            'file_id',
            'stored_at',
          ])
          .limit(1),
      )
      .execute();
    await store(ada, clientA, cancellationXml(note, { status: '573' }));
    expect(await documentOf(clientA, keyOf(note))).toMatchObject({ state: 'authorized' });
    await db().deleteFrom('fiscal_events').where('event_id', '=', 'event_x').execute();
  });
});

/** Each run is about another note. */
let number = 1000;

const FILES = {
  note: noteXml,
  copy: (note: { number: number }) => noteXml({ ...note, note: 'another copy', total: '101.00' }),
  unproven: (note: { number: number }) => noteXml({ ...note, hasProtocol: false, note: 'no answer' }),
  cancelled: cancellationXml,
  again: (note: { number: number }) => cancellationXml(note, { sequence: 2 }),
  rejected: (note: { number: number }) => cancellationXml(note, { status: '573', sequence: 3 }),
};

function shuffled<T>(items: readonly T[], random: Iterator<number>): T[] {
  const left = [...items];
  return items.map(() => left.splice(Number(random.next().value) % left.length, 1)[0] as T);
}

test('a merge of clients unites what both have, with all copies and events', async () => {
  const [from, into] = [
    await storeClient(firmOne, { name: 'Old bakery' }),
    await storeClient(firmOne, { name: 'New bakery' }),
  ];
  const cnpj = '48217306000120';
  await giveTaxId(from, cnpj);
  const note = { number: 30, recipient: cnpj };
  const texts = [noteXml(note), noteXml({ ...note, number: 31 })];
  await store(olga, from, ...texts);
  await giveTaxId(into, cnpj);
  await store(olga, into, noteXml({ ...note, hasProtocol: false }), texts[1] ?? '', cancellationXml(note));
  await mergeClients(sessionAs(olga), from, into);
  const left = await db()
    .selectFrom('fiscal_documents')
    .select('document_id')
    .where('client_id', '=', from)
    .execute();
  expect(left).toEqual([]);
  const rows = await db()
    .selectFrom('fiscal_documents')
    .select(['number', 'state', 'problems'])
    .where('client_id', '=', into)
    .orderBy('number')
    .execute();
  expect(rows).toEqual([
    { number: 30, state: 'cancelled', problems: PROBLEMS.differentCopies },
    { number: 31, state: 'authorized', problems: 0 },
  ]);
});

/** Text without the spaces at which the lines of a cell break. */
const unspaced = (text: string): string => text.replaceAll(/\s/g, '');

test('the report on stored files says since when all were checked, and names those that are damaged', async () => {
  const report = await fixityReport(olga);
  const own = report.clients.find(({ clientId }) => clientId === clientA);
  const { count } = await db()
    .selectFrom('fiscal_files')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('client_id', '=', clientA)
    .executeTakeFirstOrThrow();
  expect(own).toMatchObject({ files: Number(count), damagedPacks: 0 });
  expect(report.damaged).toEqual([]);
  expect(own?.keptUntil).toBe(addMonths(own?.oldest ?? 0));
  const pack = await db()
    .selectFrom('fiscal_packs')
    .innerJoin('fiscal_files', 'fiscal_files.pack_id', 'fiscal_packs.pack_id')
    .select(['blob_key', 'file_id'])
    .where('fiscal_packs.client_id', '=', clientA)
    .executeTakeFirstOrThrow();
  const change = (damagedAt: number | null, checkedAt: number) =>
    db()
      .updateTable('blobs')
      .set({ damaged_at: damagedAt, checked_at: checkedAt })
      .where('blob_key', '=', pack.blob_key)
      .execute();
  await change(5000, 4000);
  const after = await fixityReport(olga);
  expect(after.clients.find(({ clientId }) => clientId === clientA)).toMatchObject({
    damagedPacks: 1,
    checkedSince: 4000,
  });
  expect(after.damaged).toContainEqual(
    expect.objectContaining({ fileId: pack.file_id, noticedAt: 5000 }) as unknown,
  );
  const lines = (await fixityFile(olga)).split('\r\n');
  expect(lines[0]).toContain('Client,File,Files,Oldest document');
  expect(lines.filter((line) => line.includes('Some are damaged'))).toHaveLength(1);
  const day = new Date(own?.keptUntil ?? 0).toISOString().slice(0, 10);
  expect(lines.find((line) => line.includes('Some are damaged'))).toContain(`${day},1970-01-01`);
  expect(lines.filter((line) => line.includes('Damaged or gone'))).toHaveLength(after.damaged.length);
  await expect(fixityFile(ada)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(fixityPdf(ada)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  const { isTagged, pages } = await structureOf(await fixityPdf(olga));
  expect(isTagged).toBe(true);
  const cells = pages.flatMap(({ root }) =>
    ['TH', 'TD'].flatMap((type) => elementsIn(root, type).map(({ text }) => unspaced(text))),
  );
  for (const part of ['Some are damaged', own?.name ?? '', after.damaged[0]?.name ?? ''])
    expect(cells).toContain(unspaced(part));
  expect(await fixityOfInstallation()).toMatchObject({ damagedPacks: 1, checkedSince: 4000 });
  await change(null, now());
  await expect(fixityReport(ada)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect((await fixityReport(await actorOf(tom.contactId))).clients).toEqual([]);
});

test('verification finds no fault, and a file whose bytes are others', async () => {
  expect(await verifyFiscalDocuments()).toEqual([]);
  const row = await db().selectFrom('fiscal_files').select('file_id').limit(1).executeTakeFirstOrThrow();
  const change = (sha256: string) =>
    db().updateTable('fiscal_files').set({ sha256 }).where('file_id', '=', row.file_id).execute();
  const before = await db()
    .selectFrom('fiscal_files')
    .select('sha256')
    .where('file_id', '=', row.file_id)
    .executeTakeFirstOrThrow();
  await change('0'.repeat(64));
  expect(await verifyFiscalDocuments()).toEqual([
    `the bytes of the fiscal file ${row.file_id} differ from those that came in`,
  ]);
  await change(before.sha256);
});

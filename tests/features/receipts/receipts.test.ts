import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openDocument } from '#features/documents/downloads/fetching.server.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { checkReceipt, listReceipts, receiptOf } from '#features/base/receipts/receipts.server.ts';
import { receiptCheck } from '#features/base/receipts/receipts.ts';
import { openShare, sharedBytes } from '#features/sharing/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { audit, verifyAudit } from '#platform/security/audit.server.ts';
import { MINUTE, moveClock } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { issueReceipts } from '#features/base/receipts/issuing.server.ts';
import { verifyReceipts } from '#features/base/receipts/verification.server.ts';
import { CANARY, digestOf, uploadAs, makeCast, startMailServer, pdf, unlink } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { firmOne, firmTwo, ada, ben, cleo, sam, zoe, tom, clientA, clientB, clientTwo, projectA, projectB } =
  await makeCast();
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'fine',
    (error: unknown) => (error as { code: string }).code,
  );
const newest = async () => (await listReceipts(ada, clientA)).receipts[0];
const rowOf = ({ id, name, originalItemSize: size, sha256 }: Document) => ({
  documentId: id,
  clientId: clientA,
  name,
  size,
  sha256,
});
const letter = await uploadAs(ada, projectA, 'letter.pdf', 'a letter');

describe('receipts', () => {
  test('a receipt records what was uploaded: digest, size and name, by whom and when', async () => {
    expect(await newest()).toMatchObject({
      kind: 'upload',
      name: 'letter.pdf',
      size: pdf('a letter').length,
      sha256: digestOf(pdf('a letter')),
      who: 'Ada Amber',
      client: 'Amber Bakery',
      code: expect.stringMatching(/^[2-9A-Z]{10}$/) as string,
    });
  });

  test('the receipts of a client are filtered by kind, and what staff published is no upload', async () => {
    const published = await uploadAs(sam, projectA, 'published.pdf', 'by the firm');
    const namesOf = async (kind: 'upload' | 'payment' | '') =>
      (await listReceipts(ada, clientA, { kind })).receipts.map(({ name }) => name);
    expect(await namesOf('')).toContain(published.name);
    expect(await namesOf('upload')).toEqual([letter.name]);
    expect((await listReceipts(ada, clientA, { kind: 'upload' })).total).toBe(1);
    expect(await namesOf('payment')).toEqual([]);
  });

  test('the receipt of what staff uploaded says that the firm published it', async () => {
    await uploadAs(sam, projectA, 'summary.pdf', 'a summary');
    expect(await newest()).toMatchObject({ kind: 'publish', name: 'summary.pdf', who: 'Sam Staff' });
  });

  test('a download leaves a receipt, but not a preview or a download by staff viewing as the contact', async () => {
    const place = { containerType: projectA.containerType, containerId: projectA.id };
    const before = (await newest())?.number ?? 0;
    await openDocument(ada, place, letter.id, false);
    await openDocument({ ...ada, viewedBy: sam.contactId }, place, letter.id, true);
    expect((await newest())?.number).toBe(before);
    await openDocument(sam, place, letter.id, true);
    expect(await newest()).toMatchObject({
      number: before + 1,
      kind: 'download',
      who: 'Sam Staff',
      sha256: letter.sha256,
    });
  });

  test('sharing a document and fetching a shared one leave receipts', async () => {
    const mailServer = await startMailServer();
    await shareDocuments(
      ada,
      {
        expirationPeriod: 'AfterOneDay',
        overrides: { subject: 'Papers', body: '' },
        recipients: [{ emailAddress: 'x@out.example' }, { emailAddress: 'y@out.example' }],
        sharedItems: [{ documentId: letter.id, containerId: projectA.id, containerType: 'Project' }],
      },
      'en-us',
    );
    const before = await newest();
    expect(before).toMatchObject({ kind: 'share', who: 'Ada Amber', sha256: letter.sha256 });
    const [mail] = await mailServer.deliver();
    const token = /share\/([\w-]{43})/.exec(mail?.mail.text ?? '')?.[1] ?? '';
    await sharedBytes(token, await openShare(token, undefined, '192.0.2.1'));
    expect(await newest()).toMatchObject({
      number: (before?.number ?? 0) + 1,
      kind: 'download',
      who: '',
      sha256: letter.sha256,
    });
    await mailServer.close();
  });

  test('removing a document leaves a receipt, which stays when the document is gone', async () => {
    const gone = await uploadAs(ada, projectA, 'gone.pdf', 'gone');
    await issueReceipts({
      companyId: firmOne,
      kind: 'delete',
      actor: ada.contactId,
      documents: [rowOf(gone)],
    });
    await db().deleteFrom('document_reads').where('document_id', '=', gone.id).execute();
    await db().deleteFrom('documents').where('document_id', '=', gone.id).execute();
    expect(
      (await listReceipts(ada, clientA)).receipts
        .slice(0, 2)
        .map(({ kind, name, sha256 }) => [kind, name, sha256]),
    ).toEqual([
      ['delete', 'gone.pdf', gone.sha256],
      ['upload', 'gone.pdf', gone.sha256],
    ]);
  });

  test('a rolled back action gets no receipt and uses up no number', async () => {
    const before = (await newest())?.number ?? 0;
    const failing = inTransaction(async () => {
      await issueReceipts({
        companyId: firmOne,
        kind: 'delete',
        actor: ada.contactId,
        documents: [rowOf(letter)],
      });
      throw new Error('it did not happen');
    });
    await expect(failing).rejects.toThrow('it did not happen');
    await uploadAs(ada, projectA, 'next.pdf', 'next');
    expect((await newest())?.number).toBe(before + 1);
  });

  test('concurrent receipts have unique numbers', async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        uploadAs(i % 2 ? ada : ben, i % 2 ? projectA : projectB, `same ${i}.pdf`, `${i}`),
      ),
    );
    const rows = await db()
      .selectFrom('receipts')
      .select('number')
      .where('company_id', '=', firmOne)
      .orderBy('number')
      .execute();
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, i) => i + 1));
  });

  test('receipts are shown to those who act for the client, 25 a page, and to nobody else', async () => {
    const first = await listReceipts(ada, clientA);
    expect([first.pageSize, first.receipts.length <= 25]).toEqual([25, true]);
    const last = await listReceipts(ada, clientA, {}, { from: first.total - 1 });
    expect(last.receipts.map(({ number }) => number)).toEqual([1]);
    expect((await receiptOf(cleo, 1)).name).toBe('letter.pdf');
    expect((await receiptOf(sam, 1)).name).toBe('letter.pdf');
    for (const stranger of [ben, zoe, tom])
      expect(await codeOf(listReceipts(stranger, clientA))).toBe('NOT_FOUND');
    expect(await codeOf(receiptOf(ben, 1))).toBe('NOT_FOUND');
    expect(await codeOf(receiptOf(ada, 999_999))).toBe('NOT_FOUND');
    // the same number in another firm is another receipt
    expect((await receiptOf(tom, 1)).name).toContain(CANARY);
    expect(
      JSON.stringify([await listReceipts(sam, clientB), await listReceipts(sam, clientA)]),
    ).not.toContain(CANARY);
    const ofClient = async (clientId: string) =>
      new Set((await listReceipts(cleo, clientId)).receipts.map(({ client }) => client));
    expect([await ofClient(clientA), await ofClient(clientB)]).toEqual([
      new Set(['Amber Bakery']),
      new Set(['Birch Boats']),
    ]);
    await unlink(clientA, cleo);
    expect(await codeOf(receiptOf(cleo, 1))).toBe('NOT_FOUND');
    expect((await listReceipts(tom, clientTwo)).total).toBe(1);
  });
});

describe('verifying a receipt', () => {
  test('anybody who verifies a receipt learns which firm issued it for these bytes, and otherwise only that it does not match', async () => {
    const { number, code, sha256 } = await receiptOf(ada, 1);
    const check = (given: Partial<{ number: number; code: string; sha256: string }>) =>
      checkReceipt({ number, code, sha256, ...given }, '192.0.2.7');
    expect(await check({})).toEqual({ firm: 'Maple & Hart' });
    expect(await check({ sha256: '' })).toEqual({ firm: 'Maple & Hart' });
    for (const wrong of [
      { number: number + 1 },
      { code: 'AAAAAAAAAA' },
      { code: (await receiptOf(ada, 2)).code },
      { sha256: digestOf('other bytes') },
      { code: (await receiptOf(tom, 1)).code },
    ])
      expect(await check(wrong)).toBeUndefined();
  });

  test('receipt verification is refused after twenty tries in a minute', async () => {
    const guess = () => checkReceipt({ number: 1, code: 'AAAAAAAAAA', sha256: '' }, '192.0.2.8');
    for (let i = 0; i < 20; i += 1) expect(await guess()).toBeUndefined();
    expect(await codeOf(guess())).toBe('TOO_MANY');
    moveClock(MINUTE);
    expect(await codeOf(guess())).toBe('fine');
  });

  test.each([
    [
      { number: ' 7 ', code: '2345 6789-ab', sha256: '' },
      { number: 7, code: '23456789AB', sha256: '' },
    ],
    [
      { number: '12', code: '23456789AB', sha256: ` ${'A'.repeat(64)}\n` },
      { number: 12, code: '23456789AB', sha256: 'a'.repeat(64) },
    ],
  ])('a receipt code may contain spaces, dashes and lower case letters: %o', (typed, meant) => {
    expect(receiptCheck.parse(typed)).toEqual(meant);
  });

  test.each([
    [{ number: '' }, 'number'],
    [{ number: '0' }, 'number'],
    [{ number: '1e3' }, 'number'],
    [{ number: '-1' }, 'number'],
    [{ code: '' }, 'code'],
    [{ code: '23456789A%' }, 'code'],
    [{ sha256: 'abc' }, 'sha256'],
    [{ sha256: 'g'.repeat(64) }, 'sha256'],
  ])('receipt verification reports which field is invalid: %o', (wrong, field) => {
    expect(
      receiptCheck
        .safeParse({ number: '1', code: '23456789AB', sha256: '', ...wrong })
        .error?.issues.map(({ path }) => path[0]),
    ).toEqual([field]);
  });
});

describe('the receipts of a firm', () => {
  const faults = async () => (await verifyReceipts()).faults;
  const all = async () => (await db().selectFrom('receipts').select('number').execute()).length;

  test('the receipts of a firm are consistent and referenced by the audit log', async () => {
    expect(await verifyReceipts()).toEqual({ receipts: await all(), faults: [] });
    expect((await verifyAudit()).faults).toEqual([]);
    const noted = await db()
      .selectFrom('audit')
      .select('details')
      .where('action', '=', 'document.upload')
      .where('company_id', '=', firmTwo)
      .execute();
    expect(noted.map(({ details }) => (JSON.parse(details) as { receipt: number }).receipt)).toEqual([1]);
  });

  test.each([
    ['sha256', digestOf('forged')],
    ['name', 'forged.pdf'],
    ['size', 1],
    ['at', 1],
    ['actor', 'contact_forged'],
    ['code', 'FORGEDCODE'],
    ['client_id', 'client_forged'],
    ['kind', 'delete'],
  ] as const)('a receipt with a changed %s is detected', async (column, value) => {
    const row = await db()
      .selectFrom('receipts')
      .select(column)
      .where('company_id', '=', firmOne)
      .where('number', '=', 2)
      .executeTakeFirstOrThrow();
    const set = (to: unknown) =>
      db()
        .updateTable('receipts')
        .set({ [column]: to })
        .where('company_id', '=', firmOne)
        .where('number', '=', 2)
        .execute();
    await set(value);
    expect(await faults()).toEqual([{ companyId: firmOne, number: 2, fault: 'changed' }]);
    await set((row as Record<string, unknown>)[column]);
    expect(await faults()).toEqual([]);
  });

  test('missing receipts are detected, also at the end', async () => {
    const take = async (number: number) => {
      const row = await db()
        .selectFrom('receipts')
        .selectAll()
        .where('company_id', '=', firmOne)
        .where('number', '=', number)
        .executeTakeFirstOrThrow();
      await db()
        .deleteFrom('receipts')
        .where('company_id', '=', firmOne)
        .where('number', '=', number)
        .execute();
      return () => db().insertInto('receipts').values(row).execute();
    };
    const putBack = await take(3);
    expect(await faults()).toEqual([{ companyId: firmOne, number: 3, fault: 'missing' }]);
    await putBack();
    const last = (await newest())?.number ?? 0;
    const total = (
      await db()
        .selectFrom('receipts')
        .select((e) => e.fn.max('number').as('last'))
        .where('company_id', '=', firmOne)
        .executeTakeFirstOrThrow()
    ).last;
    const putLast = await take(total);
    expect(await faults()).toEqual([{ companyId: firmOne, number: total, fault: 'cut short' }]);
    await putLast();
    expect([await faults(), last > 0]).toEqual([[], true]);
  });

  /** Makes changes that require write access to the database itself. */
  async function withoutGuard(work: () => Promise<void>): Promise<void> {
    if (config.databaseUrl !== undefined) await sql`alter table audit disable trigger user`.execute(db());
    const triggers =
      config.databaseUrl === undefined
        ? (
            await sql<{
              name: string;
              sql: string;
            }>`select name, sql from sqlite_schema where type = 'trigger' and tbl_name = 'audit'`.execute(
              db(),
            )
          ).rows
        : [];
    for (const { name } of triggers) await sql`drop trigger ${sql.ref(name)}`.execute(db());
    await work();
    for (const trigger of triggers) await sql.raw(trigger.sql).execute(db());
    if (config.databaseUrl !== undefined) await sql`alter table audit enable trigger user`.execute(db());
  }

  test('truncating the audit log and its head is detected by the receipts, though not by the audit log alone', async () => {
    const entries = await db()
      .selectFrom('audit')
      .selectAll()
      .where('company_id', '=', firmOne)
      .orderBy('seq')
      .execute();
    const issuing = entries.filter(({ details }) => details.includes('"receiptHash"'));
    const kept = (issuing.at(-2)?.seq ?? 1) - 1;
    const covered = issuing
      .filter(({ seq }) => seq <= kept)
      .map(({ details }) => (JSON.parse(details) as { receipt: number }).receipt);
    const head = await db()
      .selectFrom('audit_heads')
      .selectAll()
      .where('company_id', '=', firmOne)
      .executeTakeFirstOrThrow();
    await withoutGuard(async () => {
      await db().deleteFrom('audit').where('company_id', '=', firmOne).where('seq', '>', kept).execute();
      await db()
        .updateTable('audit_heads')
        .set({ seq: kept, hash: entries[kept - 1]?.hash ?? '' })
        .where('company_id', '=', firmOne)
        .execute();
    });
    expect((await verifyAudit(new Map())).faults).toEqual([]);
    expect(await faults()).toEqual([
      { companyId: firmOne, number: Math.max(...covered) + 1, fault: 'not in the audit trail' },
    ]);
    await db().insertInto('audit').values(entries.slice(kept)).execute();
    await db().updateTable('audit_heads').set(head).where('company_id', '=', firmOne).execute();
    expect(await faults()).toEqual([]);
  });

  test('swapping bytes, digest and size of two documents is detected by the receipts', async () => {
    const [one, two] = [
      await uploadAs(ada, projectA, 'one.pdf', 'one'),
      await uploadAs(ada, projectA, 'two.pdf', 'another one'),
    ];
    const rowsOf = (ids: string[]) =>
      db()
        .selectFrom('documents')
        .select(['document_id', 'blob_key', 'sha256', 'size'])
        .where('document_id', 'in', ids)
        .execute();
    const [first, second] = await rowsOf([one.id, two.id]);
    const give = (row: typeof first, blob: string, of: typeof first) =>
      db()
        .updateTable('documents')
        .set({ blob_key: blob, sha256: of?.sha256 ?? '', size: of?.size ?? 0 })
        .where('document_id', '=', row?.document_id ?? '')
        .execute();
    await give(first, 'aside', second);
    await give(second, first?.blob_key ?? '', first);
    await give(first, second?.blob_key ?? '', second);
    expect(await faults()).toEqual([
      { companyId: firmOne, number: expect.any(Number) as number, fault: 'of other bytes' },
    ]);
    await give(second, 'aside', second);
    await give(first, first?.blob_key ?? '', first);
    await give(second, second?.blob_key ?? '', second);
    expect(await faults()).toEqual([]);
  });

  test('rewriting all receipts is detected by the audit log', async () => {
    await audit({
      companyId: firmTwo,
      actor: tom.contactId,
      action: 'document.download',
      target: 'doc_x',
      details: { receipt: 1, receiptHash: digestOf('the one that was issued') },
    });
    expect(await faults()).toEqual([{ companyId: firmTwo, number: 1, fault: 'not in the audit trail' }]);
  });
});

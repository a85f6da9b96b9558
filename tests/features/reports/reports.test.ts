import '../../../src/app.server.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { actorOf, decideAccess } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import {
  fiscalReportPage,
  reportState,
  storedDocumentsPage,
} from '#features/brazil/reports/report-page.server.ts';
import { updateClient } from '#features/clients/clients/editing.server.ts';
import { orderStorage } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { setReading } from '#features/documents/documents/reading.server.ts';
import { apiAs } from '../../support/api.ts';
import { makeCast, person, uploadAs } from '../../support/cast.ts';
import { BAKERY, LETTERS, cancellationXml, noteXml, openStorageOf, store } from '../../support/fiscal.ts';
import { localsOf } from '../../support/home.ts';

const { firmOne, clientA, clientB, ...cast } = await makeCast();
const owner = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const allow = (name: 'Reports' | 'BoxE' | 'ShowClientDocsReadToggle', isAllowed: boolean) =>
  decideAccess(
    firmOne,
    undefined,
    name === 'ShowClientDocsReadToggle' ? { kind: 'control', name } : { kind: 'flag', name },
    isAllowed,
  );
await openStorageOf(owner);
await allow('Reports', true);
await allow('ShowClientDocsReadToggle', true);
const [ada, ben, olga] = [
  await actorOf(cast.ada.contactId),
  await actorOf(cast.ben.contactId),
  await actorOf(owner.contactId),
];

function pageOf(actor: Actor, query = '', id = clientA) {
  const url = new URL(`http://localhost/clientcenter/en-us/actions/br-reports/report${query}`);
  const client = Promise.resolve({ id, displayAs: 'Amber Bakery' });
  return {
    url,
    request: new Request(url),
    response: { status: 200 },
    locals: { ...localsOf(actor), client },
  };
}

async function reportOf(
  read: typeof storedDocumentsPage | typeof fiscalReportPage,
  ...of: Parameters<typeof pageOf>
) {
  const page = await read(pageOf(...of));
  if (page instanceof Response || !page.grid) throw new Error('no page');
  return {
    names: page.grid.answer.rows.map(({ name }) => name),
    sums: page.sums.map(({ label, text }) => `${label}: ${text}`),
    isCut: page.isCut,
  };
}

const root = { id: clientA, containerType: 'Client' } as const;

beforeAll(async () => {
  const first = await uploadAs(ada, root, 'receipt.pdf', 'a');
  await uploadAs(ada, root, 'contract.pdf', 'b');
  await uploadAs(olga, root, 'payslip.pdf', 'c');
  await uploadAs(ben, { id: clientB, containerType: 'Client' }, 'of-another.pdf', 'd');
  await setReading(ada, { documentIds: [first.id], isRead: true });
  await updateClient(olga, clientA, { taxIds: [{ kind: 'cnpj', number: BAKERY }], allowDuplicate: true });
  const note = { issuer: BAKERY, recipient: LETTERS };
  await store(
    ada,
    clientA,
    ...[1, 2, 3].map((number) => noteXml({ ...note, number })),
    cancellationXml({ ...note, number: 3 }),
    noteXml({ issuer: LETTERS, recipient: BAKERY, number: 8 }),
    noteXml({ ...note, number: 9, isTest: true, series: 9 }),
    noteXml({ ...note, number: 50, model: '65', issuedAt: '2026-12-01T08:00:00-03:00' }),
  );
});

describe('the report on documents', () => {
  test('lists those of the active client alone, and sums all that the filter finds', async () => {
    const all = await reportOf(storedDocumentsPage, ada);
    expect(all.names.toSorted()).toEqual(['contract.pdf', 'payslip.pdf', 'receipt.pdf']);
    expect(all.sums).toEqual([
      expect.stringMatching(/^The company: 2 documents, \d+ bytes$/),
      expect.stringMatching(/^The firm: 1 document, \d+ bytes$/),
    ]);
    const byFirm = await reportOf(storedDocumentsPage, ada, '?adder=firm');
    expect(byFirm).toMatchObject({ names: ['payslip.pdf'], sums: [expect.stringContaining('1 document')] });
  });

  test('tells what the contact has read', async () => {
    const unread = await reportOf(storedDocumentsPage, ada, '?reading=unread');
    expect(unread.names).not.toContain('receipt.pdf');
    expect((await reportOf(storedDocumentsPage, ada, '?reading=read')).names).toContain('receipt.pdf');
  });

  test('is of nobody else, and closed without the flag', async () => {
    await expect(storedDocumentsPage(pageOf(ben))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await allow('Reports', false);
    const closed = await actorOf(ada.contactId);
    expect(await reportState(pageOf(closed), 'stored-documents')).toBe('closed');
    await expect(storedDocumentsPage(pageOf(closed))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const grid = `/api/br-reports/v1/grids/stored-documents?client=${clientA}`;
    expect((await apiAs(closed)('GET', grid)).status).toBe(403);
    await allow('Reports', true);
    expect((await apiAs(await actorOf(ada.contactId))('GET', grid)).status).toBe(200);
  });
});

describe('the report on fiscal documents', () => {
  test('sums what counts by direction over all archives, without canceled ones and tests', async () => {
    const { names, sums } = await reportOf(fiscalReportPage, ada);
    expect(names).toHaveLength(6);
    expect(sums).toEqual([
      'Outgoing, authorized: 3 documents, R$300.00',
      'Incoming, authorized: 1 document, R$100.00',
      expect.stringMatching(/^Not authorized, canceled or tests: 2 documents/),
    ]);
  });

  test('is filtered by month and kind', async () => {
    const december = await reportOf(fiscalReportPage, ada, '?month=2026-12');
    expect(december.sums).toEqual(['Outgoing, authorized: 1 document, R$100.00']);
    expect(december.names).toEqual(['50 / 1']);
  });

  test('is closed while the firm stores none', async () => {
    await orderStorage(owner, false);
    expect(await reportState(pageOf(ada), 'stored-documents-report')).toBe('notOrdered');
    await orderStorage(owner, true);
    expect(await reportState(pageOf(ada), 'stored-documents-report')).toBe('open');
  });
});

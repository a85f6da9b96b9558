import '../../../src/app.server.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { monthPage } from '#features/brazil/fiscal-documents/month-page.server.ts';
import { orderStorage } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { openStorage, storagePage } from '#features/brazil/fiscal-documents/storage-page.server.ts';
import { setAsidePage, setAsidesPage } from '#features/brazil/fiscal-intake/set-asides-page.server.ts';
import { receiveFiles } from '#features/brazil/fiscal-intake/receiving.server.ts';
import { updateClient } from '#features/clients/clients/editing.server.ts';
import { Readable } from 'node:stream';
import { makeCast, person } from '../../support/cast.ts';
import { BAKERY, LETTERS, keyOf, noteXml, openStorageOf, store } from '../../support/fiscal.ts';
import { localsOf } from '../../support/home.ts';

const { firmOne, clientA, clientB, ...cast } = await makeCast();
const owner = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await openStorageOf(owner);
const [ada, olga] = [await actorOf(cast.ada.contactId), await actorOf(owner.contactId)];

/** A page as Astro has it, by default for the client A; `form` is posted. */
function pageOf(actor: Actor, address: string, form?: Record<string, string>, id = clientA) {
  const url = new URL(`http://localhost/clientcenter/en-us/${address}`);
  const request = new Request(url, form && { method: 'POST', body: new URLSearchParams(form) });
  const client = Promise.resolve({ id, displayAs: 'Amber Bakery' });
  return { url, request, response: { status: 200 }, locals: { ...localsOf(actor), client } };
}
const locationOf = (page: object): string | null => (page as Response).headers.get('location');

beforeAll(async () => {
  await updateClient(olga, clientA, { taxIds: [{ kind: 'cnpj', number: BAKERY }], allowDuplicate: true });
  await store(
    ada,
    clientA,
    ...[1, 2, 4].map((number) => noteXml({ number, issuer: BAKERY, recipient: LETTERS })),
  );
});

describe('the page of an archive', () => {
  test('shows the documents of the active client, and finds one by its key with blanks', async () => {
    const page = await storagePage(pageOf(ada, 'actions/box-e/nfe-storage'), 'nfe');
    if (page instanceof Response || !page.grid) throw new Error('no page');
    expect(page.grid.answer.rows.map(({ cells }) => cells['number']?.text)).toHaveLength(3);
    expect(page.months.map(({ text }) => text)).toEqual(['November 2026']);
    expect(page).toMatchObject({ maySend: true, maySwitch: false });
    const key = keyOf({ number: 2, issuer: BAKERY }).replaceAll(/(.{4})/g, '$1 ');
    const query = new URLSearchParams({ searchTerm: key });
    const found = await storagePage(pageOf(ada, `actions/box-e/nfe-storage?${query}`), 'nfe');
    if (found instanceof Response || !found.grid) throw new Error('no page');
    expect(found.grid.answer.rows.map(({ name }) => name)).toEqual(['2 / 1']);
  });

  test('leads a contact from a company without documents to those with some', async () => {
    const elsewhere = async (actor: Actor, id: string) => {
      const page = await storagePage(pageOf(actor, 'actions/box-e/nfe-storage', undefined, id), 'nfe');
      return page instanceof Response ? [] : page.elsewhere?.map(({ href }) => href);
    };
    const cleo = await actorOf(cast.cleo.contactId);
    expect(await elsewhere(cleo, clientB)).toEqual([
      expect.stringMatching(`nfe-storage\\?client=${clientA}`),
    ]);
    expect(await elsewhere(cleo, clientA)).toEqual([]);
    expect(await elsewhere(olga, clientB), 'staff choose clients in their lists').toEqual([]);
  });

  test('is switched off for a client by who manages the firm, and by nobody else', async () => {
    const form = { switch: 'off' };
    const off = await storagePage(pageOf(olga, 'actions/box-e/nfe-storage', form), 'nfe');
    expect(locationOf(off)).toMatch(/nfe-storage/);
    expect(await storagePage(pageOf(ada, 'actions/box-e/nfe-storage'), 'nfe')).toMatchObject({
      isEnabled: false,
      maySend: false,
    });
    await expect(storagePage(pageOf(ada, 'actions/box-e/nfe-storage', form), 'nfe')).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await storagePage(pageOf(olga, 'actions/box-e/nfe-storage', { switch: 'on' }), 'nfe');
  });

  test('says that the firm has not ordered it, and knows no other addresses', async () => {
    expect(await openStorage(pageOf(ada, ''), 'nfe-storage')).toMatchObject({ state: 'open' });
    expect(await openStorage(pageOf(cast.ada, ''), 'nfe-storage')).toMatchObject({ state: 'closed' });
    expect(await openStorage(pageOf(ada, ''), 'nfe')).toBeUndefined();
    await orderStorage(olga, false);
    expect(await openStorage(pageOf(ada, ''), 'cte-storage')).toMatchObject({ state: 'notOrdered' });
    await orderStorage(olga, true);
    await expect(orderStorage(ada, true)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

test('the page of a month says what is missing in words, and is marked as checked', async () => {
  const page = await monthPage(pageOf(ada, 'actions/box-e/nfe-storage/2026-11'), 'nfe', '2026-11');
  expect(page).toMatchObject({
    name: 'November 2026',
    gaps: [{ series: '1', count: 1, list: '3' }],
    total: { count: 3, out: 'R$300.00', in: 'R$0.00' },
    mayCheck: true,
  });
  const posted = pageOf(ada, 'actions/box-e/nfe-storage/2026-11', { check: 'month' });
  expect(locationOf(await monthPage(posted, 'nfe', '2026-11'))).toMatch(/nfe-storage\/2026-11/);
  const again = await monthPage(pageOf(olga, 'actions/box-e/nfe-storage/2026-11'), 'nfe', '2026-11');
  expect(again).toMatchObject({ month: { check: { name: 'Ada Amber', isOutdated: false } } });
});

test('the page of a file that was set aside shows it, finds a client, and stores it there', async () => {
  const receiver = await receiveFiles(ada, { clientId: clientA, source: 'upload' });
  await receiver.add('foreign.xml', Readable.from([Buffer.from(noteXml({ number: 9, recipient: LETTERS }))]));
  await receiver.finish();
  const list = await setAsidesPage(pageOf(olga, 'staff/fiscal-documents'));
  if (list instanceof Response) throw new Error('no page');
  expect(list).toMatchObject({ isOrdered: true, waiting: [{ name: 'foreign.xml', client: 'Amber Bakery' }] });
  const id = list.waiting[0]?.id ?? '';
  const page = await setAsidePage(pageOf(olga, `staff/fiscal-documents/${id}?q=Birch`), id);
  expect(page).toMatchObject({ search: 'Birch', found: [{ id: clientB }], file: { kind: 'fiscal' } });
  const assigned = pageOf(olga, `staff/fiscal-documents/${id}`, { into: clientB });
  expect(locationOf(await setAsidePage(assigned, id))).toMatch(/staff\/fiscal-documents$/);
  const late = pageOf(olga, `staff/fiscal-documents/${id}`, { discard: id });
  expect(locationOf(await setAsidePage(late, id))).toMatch(/staff\/fiscal-documents$/);
  await expect(setAsidePage(pageOf(ada, 'x'), id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

import '../../../src/app.server.ts';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { actorOf } from '#features/base/people/people.server.ts';
import { updateClient } from '#features/clients/clients/editing.server.ts';
import { addMonths } from '#features/brazil/fiscal-documents/kept.ts';
import { exportMonth } from '#features/brazil/fiscal-documents/month-export.server.ts';
import {
  checkMonth,
  monthBefore,
  monthFor,
  monthsWithDocuments,
} from '#features/brazil/fiscal-documents/months.server.ts';
import { unzip } from '#platform/storage/unzip.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import {
  BAKERY,
  cancellationXml,
  keyOf,
  noteXml,
  openStorageOf,
  store,
  voidXml,
} from '../../support/fiscal.ts';

const { firmOne, clientA, ...cast } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await openStorageOf(olga);
const [ada, ben] = [await actorOf(cast.ada.contactId), await actorOf(cast.ben.contactId)];

const november = { clientId: clientA, storage: 'nfce', month: '2026-11' } as const;
const receipt = (number: number, more: Partial<Parameters<typeof noteXml>[0]> = {}) => ({
  number,
  issuer: BAKERY,
  recipient: '',
  model: '65' as const,
  ...more,
});

beforeAll(async () => {
  await updateClient(olga, clientA, { taxIds: [{ kind: 'cnpj', number: BAKERY }], allowDuplicate: true });
  await store(ada, clientA, ...[3001, 3002, 3003, 3005, 3006].map((number) => noteXml(receipt(number))));
});

describe('a month of an archive', () => {
  test('names the number that is missing in a series, until it is voided', async () => {
    const gap = { issuer: BAKERY, model: '65', series: '1', first: 3004, last: 3004 };
    expect((await monthFor(ada, november)).gaps).toEqual([gap]);
    const other = voidXml(BAKERY, { model: 55, series: 1, first: 3004, last: 3004 });
    await store(ada, clientA, other);
    expect((await monthFor(ada, november)).gaps).toEqual([gap]);
    await store(ada, clientA, voidXml(BAKERY, { model: 65, series: 1, first: 3000, last: 3004 }));
    expect((await monthFor(ada, november)).gaps).toEqual([]);
  });

  test('counts a gap at its edge as that of the later month, and none before the first number', async () => {
    const december = { issuedAt: '2026-12-01T08:00:00-03:00' };
    await store(
      ada,
      clientA,
      noteXml(receipt(3010, december)),
      noteXml(receipt(50, { ...december, series: 2 })),
    );
    expect((await monthFor(ada, november)).gaps).toEqual([]);
    const later = await monthFor(ada, { ...november, month: '2026-12' });
    expect(later.gaps.map(({ first, last }) => [first, last])).toEqual([[3007, 3009]]);
    // a number that is dated in the other month is not missing
    await store(ada, clientA, noteXml(receipt(3008)));
    const again = await monthFor(ada, { ...november, month: '2026-12' });
    expect(again.gaps.map(({ first, last }) => [first, last])).toEqual([[3009, 3009]]);
  });

  test('sums what is there by its state, without the test environment', async () => {
    await store(ada, clientA, noteXml(receipt(9000, { isTest: true, series: 9 })));
    await store(ada, clientA, cancellationXml(receipt(3001)));
    const { sums, tests, earlier } = await monthFor(ada, november);
    expect(sums).toEqual([
      { kind: 'NFC-e', direction: 'out', state: 'authorized', count: 5, totalCents: 50_000 },
      { kind: 'NFC-e', direction: 'out', state: 'cancelled', count: 1, totalCents: 10_000 },
    ]);
    expect(tests).toBe(1);
    expect(earlier).toEqual([
      { month: '2026-10', count: 0, totalCents: 0 },
      { month: '2025-11', count: 0, totalCents: 0 },
    ]);
  });

  test('names documents of which only an event is known', async () => {
    const lost = receipt(3999);
    await store(ada, clientA, cancellationXml(lost));
    expect((await monthFor(ada, november)).missing).toEqual([keyOf(lost)]);
  });

  test('is checked by a person, and reopened by what comes later', async () => {
    await checkMonth(ada, november);
    const { check } = await monthFor(await actorOf(olga.contactId), november);
    expect(check).toMatchObject({ name: 'Ada Amber', isOutdated: false });
    await store(ada, clientA, noteXml(receipt(3009, { issuedAt: '2026-11-30T23:59:00-03:00' })));
    expect((await monthFor(ada, november)).check).toMatchObject({ isOutdated: true });
  });

  test('is closed to others, and to people for whom it is not turned on', async () => {
    await expect(monthFor(ben, november)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(exportMonth(ben, november)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(checkMonth(ben, november)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('is exported as a ZIP of its files as they came in, with their events', async () => {
    const archive = await buffer(Readable.from(await exportMonth(ada, november)));
    const files = unzip(archive, () => true, { bytes: 1_000_000, files: 100 });
    const names = files.map(({ name }) => name);
    expect(names).toContain(`${keyOf(receipt(3002))}.xml`);
    expect(names).toContain(`${keyOf(receipt(3001))}-110111.xml`);
    expect(new Set(names).size).toBe(names.length);
    const [own] = files.filter(({ name }) => name === `${keyOf(receipt(3002))}.xml`);
    expect(own?.bytes.toString()).toBe(noteXml(receipt(3002)));
  });
});

test('the months with documents are listed, the newest first', async () => {
  expect(await monthsWithDocuments(clientA, 'nfce')).toEqual(['2026-12', '2026-11']);
  expect(await monthsWithDocuments(clientA, 'cte')).toEqual([]);
});

test('months are counted across years', () => {
  expect([monthBefore('2026-01', 1), monthBefore('2026-11', 12), monthBefore('2026-12', -1)]).toEqual([
    '2025-12',
    '2025-11',
    '2027-01',
  ]);
});

test('documents are kept for 132 months, to the last day of a shorter month', () => {
  const kept = (day: string): string => new Date(addMonths(Date.parse(day))).toISOString().slice(0, 10);
  expect(kept('2026-10-14')).toBe('2037-10-14');
  expect(kept('2028-02-29')).toBe('2039-02-28');
});

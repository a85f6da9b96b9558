import { beforeEach, expect, test } from 'vitest';
import { firmDetails, saveDetails, savedDetailsOf } from '#features/base/firms/firm-details.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { nextHolidays } from '#features/base/firms/holidays.server.ts';
import { at } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { addressLines } from '#platform/inputs/address-fields.server.ts';
import { makeCast, person } from '../../support/cast.ts';

const { firmOne, firmTwo, ada, sam } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });

const INPUT = {
  name: 'Maple & Partners',
  contactPerson: 'Eleanor Hart',
  phone: '+1 (212) 555-0123',
  email: 'office@maple.example',
  address: {
    country: 'US',
    address1: '1 Main Street',
    address2: '',
    city: 'Fresno',
    state: 'US-CA',
    zip: '93650',
    county: '',
  },
  language: 'en-us',
  openingHours: 'Monday to Friday\n9 am to 5 pm',
  holidays: [
    { date: '2027-01-01', name: 'New Year' },
    { date: '', name: '' },
    { date: '2026-12-25', name: 'Christmas' },
  ],
} as const;
const input = firmDetails.parse(INPUT);
let version = '';
beforeEach(async () => ({ version } = await savedDetailsOf(olga)));

test('those who manage the firm change its data, which clients read at once, with an audit entry', async () => {
  const other = await firmOf(firmTwo);
  await saveDetails(olga, input, version);
  const firm = await firmOf(firmOne);
  const { language: _, ...shown } = INPUT;
  expect(firm).toMatchObject({ ...shown, holidays: [{ date: '2026-12-25' }, {}] });
  expect(firm.address && addressLines(firm.address, 'fr')).toEqual([
    '1 Main Street',
    'Fresno, California, 93650',
    'États-Unis',
  ]);
  expect((await savedDetailsOf(olga)).values).toMatchObject({ language: 'en-us' });
  expect(await firmOf(firmTwo)).toEqual(other);
  const entries = await db()
    .selectFrom('audit')
    .select(['action', 'details'])
    .where('company_id', '=', firmOne)
    .where('action', '=', 'firm.change')
    .execute();
  expect(entries).toHaveLength(1);
  expect(entries[0]?.details).toContain('opening_hours');
});

test('staff without the permission, and clients, neither read nor change the data', async () => {
  for (const actor of [sam, ada]) {
    await expect(savedDetailsOf(actor)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(saveDetails(actor, input, version)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  }
});

test('a change that is based on older data is refused', async () => {
  await saveDetails(olga, input, version);
  await expect(saveDetails(olga, { ...input, name: 'Other' }, version)).rejects.toMatchObject({
    code: 'STALE',
  });
  expect((await firmOf(firmOne)).name).toBe('Maple & Partners');
});

test('a firm without a name or with a wrong email, phone or date is refused', () => {
  for (const wrong of [
    { name: ' ' },
    { email: 'office' },
    { phone: 'call us' },
    { holidays: [{ date: '2026-02-31', name: '' }] },
    { language: 'tlh' },
    { address: { ...INPUT.address, country: 'XX' } },
  ])
    expect(firmDetails.safeParse({ ...INPUT, ...wrong }).success, JSON.stringify(wrong)).toBe(false);
});

test('the help menu names the holidays of the next weeks, in the time zone of the firm', () => {
  const { holidays } = input;
  const shown = (instant: string, timeZone = 'America/New_York') =>
    at(Date.parse(instant), () => nextHolidays({ holidays, timeZone })).map(({ date }) => date);
  expect(shown('2026-11-20T12:00:00Z')).toEqual([]);
  expect(shown('2026-12-10T12:00:00Z')).toEqual(['2026-12-25', '2027-01-01']);
  expect(shown('2026-12-26T02:00:00Z')).toEqual(['2026-12-25', '2027-01-01']);
  expect(shown('2026-12-26T02:00:00Z', 'Europe/London')).toEqual(['2027-01-01']);
});

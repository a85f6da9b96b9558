import { describe, expect, test } from 'vitest';
import {
  addHoliday,
  calendarFor,
  decideHoliday,
  firmHolidays,
  holidaysAt,
  removeHoliday,
} from '#features/base/work-calendars/firm-holidays.server.ts';
import { dayNote } from '#features/base/work-calendars/day-notes.server.ts';
import { LOCAL_HOLIDAYS } from '#features/base/work-calendars/local-holidays.ts';
import { holidaysPage } from '#features/brazil/establishments/holidays-page.server.ts';
import { cityName } from '#features/brazil/establishments/cities.server.ts';
import { addEstablishment } from '#features/brazil/establishments/establishments.server.ts';
import { dueKeys } from '#features/tasks/task-reminders/schedule.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { makeCast, person, standAt } from '../../support/cast.ts';
import { localsOf } from '../../support/home.ts';
import '../../../src/app.server.ts';

const { firmOne, firmTwo, sam, ada, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
standAt(Date.UTC(2026, 10, 27, 15));
const SAO_PAULO = { places: ['BR-SP', '3550308'] };
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => refusal(error)?.code ?? error,
  );

test('every state has one holiday at most, and every place and day exists', () => {
  const states = LOCAL_HOLIDAYS.map(([where]) => where).filter((where) => where.startsWith('BR-'));
  expect(new Set(states).size).toBe(states.length);
  for (const [where, monthDay] of LOCAL_HOLIDAYS) {
    if (!where.startsWith('BR-')) expect(cityName(where), where).not.toBe('');
    expect(new Date(`2027-${monthDay}T00:00:00Z`).toISOString().slice(5, 10)).toBe(monthDay);
  }
});

describe('a holiday of a state', () => {
  test('counts until the firm leaves it out, and is confirmed by it', async () => {
    const on = async () => (await calendarFor(firmOne, SAO_PAULO)).holidayOn('2027-07-09');
    expect(await on()).toMatchObject({ name: 'Revolução Constitucionalista', confirmed: false });
    await decideHoliday(olga, { place: 'BR-SP', monthDay: '07-09' }, 'confirmed');
    expect(await on()).toMatchObject({ confirmed: true });
    await decideHoliday(olga, { place: 'BR-SP', monthDay: '07-09' }, 'muted');
    expect(await on()).toBeUndefined();
    expect((await calendarFor(firmTwo, SAO_PAULO)).holidayOn('2027-07-09'), 'of another firm').toBeDefined();
    await decideHoliday(olga, { place: 'BR-SP', monthDay: '07-09' }, undefined);
    expect(await on()).toMatchObject({ confirmed: false });
  });

  test('is decided about by those who manage the firm only, and if it is known', async () => {
    const rule = { place: 'BR-SP', monthDay: '07-09' };
    expect(await codeOf(decideHoliday(sam, rule, 'muted'))).toBe('FORBIDDEN');
    expect(await codeOf(decideHoliday(ada, rule, 'muted'))).toBe('FORBIDDEN');
    expect(await codeOf(decideHoliday(olga, { ...rule, monthDay: '07-10' }, 'muted'))).toBe('NOT_FOUND');
  });
});

describe('a holiday that the firm adds', () => {
  const added = { place: '3509502', monthDay: '07-14', year: 0, name: 'Aniversário de Campinas' };

  test('counts in its place alone, each year or in one', async () => {
    await addHoliday(olga, added);
    await addHoliday(olga, { ...added, place: 'BR', monthDay: '02-29', name: 'Dia a mais' });
    await addHoliday(olga, { ...added, monthDay: '07-15', year: 2027 });
    const campinas = await calendarFor(firmOne, { places: ['BR-SP', '3509502'] });
    expect(campinas.holidayOn('2029-07-14')).toMatchObject({ name: added.name, confirmed: true });
    expect([campinas.holidayOn('2027-07-15'), campinas.holidayOn('2028-07-15')]).toEqual([
      expect.anything(),
      undefined,
    ]);
    expect(campinas.isBankDay('2028-02-29')).toBe(false);
    expect(campinas.holidayOn('2027-03-01')).toBeUndefined();
    expect((await calendarFor(firmOne, SAO_PAULO)).holidayOn('2029-07-14')).toBeUndefined();
    expect(await codeOf(addHoliday(olga, added))).toBe('NAME_CONFLICT');
    expect(await codeOf(addHoliday(olga, { ...added, place: 'BR-SP', monthDay: '07-09' }))).toBe(
      'NAME_CONFLICT',
    );
    expect(await codeOf(addHoliday(sam, added))).toBe('FORBIDDEN');
    const [first] = (await firmHolidays(firmOne)).added.filter(({ monthDay }) => monthDay === '07-14');
    const other = await person(firmTwo, 'Otto Other', 'otto@two.example', { role: 'owner' });
    expect(await codeOf(removeHoliday(other, first?.id ?? ''))).toBe('NOT_FOUND');
    await removeHoliday(olga, first?.id ?? '');
    expect((await calendarFor(firmOne, { places: ['3509502'] })).holidayOn('2029-07-14')).toBeUndefined();
    const actions = (
      await db().selectFrom('audit').select('action').where('company_id', '=', firmOne).execute()
    ).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['holiday.add', 'holiday.decide', 'holiday.remove']));
  });
});

describe('the page', () => {
  const pageOf = (actor = olga) => {
    const url = new URL('http://localhost/clientcenter/pt/staff/holidays');
    return {
      url,
      request: new Request(url),
      response: { status: 200 },
      locals: { ...localsOf(actor), lang: 'pt' },
    } as never;
  };

  test('shows the states and cities of clients, and the cities without a holiday', async () => {
    await addEstablishment(sam, clientA, { name: 'Matriz', cnpj: '99.304.518/0001-86', city: '3550308' });
    await addEstablishment(sam, clientA, { name: 'Filial', cnpj: '99.304.518/0002-67', city: '3509700' });
    const page = await holidaysPage(pageOf());
    if (page instanceof Response) throw new Error('no page');
    expect(page.places.map(({ name }) => name)).toEqual(['SP', 'São Paulo/SP']);
    expect(page.missing).toEqual(['Campos do Jordão/SP']);
    expect(page.national).toContainEqual({ name: 'Natal', day: expect.stringContaining('2026') as string });
  });
});

describe('a reminder of a task', () => {
  const facts = {
    status: 'New',
    dueOn: '2026-12-25',
    askedAt: Date.UTC(2026, 10, 1),
    askedOn: '2026-11-01',
    changedAt: Date.UTC(2026, 10, 1),
    changedOn: '2026-11-01',
    promisedOn: undefined,
    ownPromise: undefined,
    told: new Set<string>(),
  } as const;
  const keysOn = (today: string, isHoliday: (day: string) => boolean) =>
    dueKeys(facts, { now: Date.parse(`${today}T12:00:00Z`), today, restDays: '', isHoliday });

  test('comes on the working day before a due day that is a holiday, in a firm of Brazil or one that is closed', async () => {
    await db().updateTable('firms').set({ language: 'pt' }).where('company_id', '=', firmOne).execute();
    const isHoliday = await holidaysAt(firmOne);
    expect(keysOn('2026-12-24', isHoliday)).toEqual(['due:2026-12-25']);
    expect(keysOn('2026-12-24', () => false)).toEqual(['due-1:2026-12-25']);
    const elsewhere = await holidaysAt(firmTwo);
    expect(elsewhere('2026-11-20')).toBe(false);
    await db()
      .updateTable('firms')
      .set({ holidays: JSON.stringify([{ date: '2026-12-25', name: 'Closed' }]) })
      .where('company_id', '=', firmTwo)
      .execute();
    expect((await holidaysAt(firmTwo))('2026-12-25')).toBe(true);
  });
});

test('a date that somebody has chosen says when it is a weekend or a holiday, and for a working day nothing', async () => {
  const note = (day: string, lang: 'pt' | 'en-us' = 'pt') => dayNote(firmOne, day, lang);
  expect(await note('2026-12-25')).toBe('é feriado');
  expect(await note('2026-12-26')).toBe('é fim de semana');
  expect(await note('2026-12-26', 'en-us')).toBe('a weekend');
  expect(await note('2026-12-28')).toBe('');
});

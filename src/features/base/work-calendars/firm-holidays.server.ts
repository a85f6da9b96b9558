import { z } from 'zod';
import { firmOf, languageOfFirm } from '#features/base/firms/firms.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { line } from '#platform/inputs/line-schemas.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { calendarOf, type WorkCalendar, type Workplace } from './calendar.ts';
import type { Day } from './days.ts';
import type { DecidedHoliday } from './holidays.ts';
import { LOCAL_HOLIDAYS } from './local-holidays.ts';

/*
 * The holidays as a firm has decided about them: those of states and cities that it has confirmed or left out, and those
 * that it has added for places of its clients.
 */

const MAX_ADDED = 500;

/** A holiday that a firm has added. */
interface AddedHoliday {
  id: string;
  place: string;
  monthDay: string;
  /** 0 for each year. */
  year: number;
  name: string;
}

export interface FirmHolidays {
  /** Of rules, by place and day: `BR-SP 07-09`. */
  decisions: ReadonlyMap<string, 'confirmed' | 'muted'>;
  added: AddedHoliday[];
}

export const ruleKey = (place: string, monthDay: string): string => `${place} ${monthDay}`;

/** What a firm has decided about holidays, those added by place and day. */
export async function firmHolidays(companyId: string): Promise<FirmHolidays> {
  const rows = await rowsOf(companyId);
  return {
    decisions: new Map(
      rows.flatMap(({ decision, place, month_day: day }) =>
        decision === 'added' ? [] : [[ruleKey(place, day), decision] as const],
      ),
    ),
    added: rows
      .filter(({ decision }) => decision === 'added')
      .map(({ holiday_id: id, place, month_day: monthDay, year, name }) => ({
        id,
        place,
        monthDay,
        year: Number(year),
        name,
      })),
  };
}

const rowsOf = (companyId: string) =>
  db()
    .selectFrom('firm_holidays')
    .selectAll()
    .where('company_id', '=', companyId)
    .orderBy('place')
    .orderBy('month_day')
    .orderBy('year')
    .execute();

/** The calendar of a workplace as the firm has decided about holidays. */
export const calendarFor = async (
  companyId: string,
  workplace: Omit<Workplace, 'decided'> = {},
): Promise<WorkCalendar> => calendarOf(await workplaceFor(companyId, workplace));

/** A workplace with what the firm has decided about its holidays, as data for a calendar. */
export async function workplaceFor(
  companyId: string,
  workplace: Omit<Workplace, 'decided'> = {},
): Promise<Workplace> {
  const rows = await rowsOf(companyId);
  const places = new Set(['BR', ...(workplace.places ?? [])]);
  const decided: DecidedHoliday[] = rows
    .filter(({ place }) => places.has(place))
    .map((row) => ({
      place: row.place,
      monthDay: row.month_day,
      year: Number(row.year),
      name: row.name,
      decision: row.decision,
    }));
  return { ...workplace, decided };
}

/** The calendar of a firm itself: the days on which it is closed, besides holidays. */
export async function calendarOfFirm(companyId: string): Promise<WorkCalendar> {
  const { holidays } = await firmOf(companyId);
  return calendarFor(companyId, { own: holidays.map(({ date }) => date) });
}

/**
 * Whether nobody works on a day because a firm is closed, or because it is a holiday in its whole country. Only holidays of
 * Brazil are known.
 */
export async function holidaysAt(companyId: string): Promise<(day: Day) => boolean> {
  if ((await languageOfFirm(companyId)) === 'pt') {
    const { holidayOn } = await calendarOfFirm(companyId);
    return (day) => holidayOn(day) !== undefined;
  }
  const closed = new Set((await firmOf(companyId)).holidays.map(({ date }) => date));
  return (day) => closed.has(day);
}

const MONTH_DAY = /^(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

const holidayInput = z.strictObject({
  place: z.string().regex(/^BR(?:-[A-Z]{2})?$|^\d{7}$/),
  monthDay: z.string().regex(MONTH_DAY),
  year: z.int().min(2000).max(2100).or(z.literal(0)),
  name: line(80).min(1),
});
type HolidayInput = z.output<typeof holidayInput>;

/** Adds a holiday to a place. NAME_CONFLICT if the place has one on that day, TOO_MANY, FORBIDDEN. */
export const addHoliday = (actor: Actor, input: HolidayInput): Promise<void> =>
  asManager(actor, async ({ companyId, contactId }) => {
    const { added, decisions } = await firmHolidays(companyId);
    const { place, monthDay, year, name } = holidayInput.parse(input);
    const isTaken =
      added.some((each) => each.place === place && each.monthDay === monthDay && each.year === year) ||
      (isRule(place, monthDay) && decisions.get(ruleKey(place, monthDay)) !== 'muted');
    if (isTaken) throw new PortalError('NAME_CONFLICT');
    if (added.length >= MAX_ADDED) throw new PortalError('TOO_MANY', { most: MAX_ADDED });
    const id = newId('holiday');
    await db()
      .insertInto('firm_holidays')
      .values({
        holiday_id: id,
        company_id: companyId,
        place,
        month_day: monthDay,
        year,
        name,
        decision: 'added',
        changed_at: now(),
        changed_by: contactId,
      })
      .execute();
    await record(companyId, contactId, 'holiday.add', `${place} ${monthDay}`);
  });

/** Confirms a holiday of a state or city, leaves it out, or neither. NOT_FOUND for one that is not known, FORBIDDEN. */
export const decideHoliday = (
  actor: Actor,
  { place, monthDay }: { place: string; monthDay: string },
  decision: 'confirmed' | 'muted' | undefined,
): Promise<void> =>
  asManager(actor, async ({ companyId, contactId }) => {
    const rule = LOCAL_HOLIDAYS.find(([where, day]) => where === place && day === monthDay);
    if (!rule) throw notFound();
    await db()
      .deleteFrom('firm_holidays')
      .where('company_id', '=', companyId)
      .where('place', '=', place)
      .where('month_day', '=', monthDay)
      .where('decision', '<>', 'added')
      .execute();
    if (decision !== undefined)
      await db()
        .insertInto('firm_holidays')
        .values({
          holiday_id: newId('holiday'),
          company_id: companyId,
          place,
          month_day: monthDay,
          year: 0,
          name: rule[2],
          decision,
          changed_at: now(),
          changed_by: contactId,
        })
        .execute();
    await record(companyId, contactId, 'holiday.decide', `${place} ${monthDay}`);
  });

/** Removes a holiday that the firm has added. NOT_FOUND, FORBIDDEN. */
export const removeHoliday = (actor: Actor, id: string): Promise<void> =>
  asManager(actor, async ({ companyId, contactId }) => {
    const row = await db()
      .deleteFrom('firm_holidays')
      .where('company_id', '=', companyId)
      .where('holiday_id', '=', id)
      .where('decision', '=', 'added')
      .returning(['place', 'month_day'])
      .executeTakeFirst();
    if (!row) throw notFound();
    await record(companyId, contactId, 'holiday.remove', `${row.place} ${row.month_day}`);
  });

const isRule = (place: string, monthDay: string): boolean =>
  LOCAL_HOLIDAYS.some(([where, day]) => where === place && day === monthDay);

const mayDecide = ({ staff, access }: Actor): boolean => staff && access.permissions.has('ManageFirm');

async function asManager(actor: Actor, work: (current: Actor) => Promise<void>): Promise<void> {
  if (!mayDecide(actor)) throw new PortalError('FORBIDDEN');
  await inTransaction(async () => {
    const current = await actorNow(actor);
    if (!mayDecide(current)) throw new PortalError('FORBIDDEN');
    await work(current);
  });
}

const record = (
  companyId: string,
  actor: string,
  action: 'holiday.add' | 'holiday.decide' | 'holiday.remove',
  target: string,
): Promise<void> => audit({ companyId, actor, action, target });

import { addMonths, type Day } from '#features/base/work-calendars/days.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { dueDays, type DueDay, type Taxpayer } from './due-days.ts';
import { RULES, RULES_VERSION } from './obligations/all.ts';
import { ownDueDays } from './own-dates.ts';
import { applies, calendarOfProfile, choices, factsIn, type Country } from './profile.ts';
import type { Kind } from './rules.ts';
import { MONTHS_AHEAD } from './tax-calendar.ts';

/*
 * The dates of a client for the next months are rows, so that the home page, the calendar and reminders find them by an
 * index, for however many clients. They are computed when what they depend on changes, and about once a month.
 */

/** Dates are computed again when fewer months than these are left. */
const MIN_MONTHS = MONTHS_AHEAD - 1;
const CLIENTS_AT_ONCE = 50;

interface PlannedDate extends DueDay {
  ruleKey: string;
  kind: Kind;
}

/** Computes the dates of a client again: those that nobody moved or marked follow, those that are over stay. */
export async function planClient(clientId: string): Promise<void> {
  const profile = await db()
    .selectFrom('tax_profiles')
    .innerJoin('clients', 'clients.client_id', 'tax_profiles.client_id')
    .selectAll('tax_profiles')
    .select('clients.year_end')
    .where('tax_profiles.client_id', '=', clientId)
    .executeTakeFirst();
  if (!profile) return;
  const { company_id: companyId } = profile;
  const today = dayOf(now(), (await firmOf(companyId)).timeZone);
  const until = addMonths(today, MONTHS_AHEAD);
  await storePlan({ companyId, clientId, today }, await datesOfProfile(profile, { from: today, until }));
  await db()
    .updateTable('tax_profiles')
    .set({ planned_until: until, planned_at: now(), rules_version: RULES_VERSION })
    .where('client_id', '=', clientId)
    .execute();
}

interface Profile {
  client_id: string;
  company_id: string;
  country: Country;
  facts: string;
  choices: string;
  year_end: string;
}

async function datesOfProfile(profile: Profile, window: { from: Day; until: Day }): Promise<PlannedDate[]> {
  const { country } = profile;
  const known = factsIn(country, profile.facts);
  const chosen = choices.parse(JSON.parse(profile.choices));
  const taxpayer: Taxpayer = {
    calendar: calendarOfProfile(country, known),
    yearEnd: profile.year_end,
    lastDigit: await lastDigitOf(profile),
  };
  const byRules = RULES[country]
    .filter(
      ({ key, when }) => chosen[key] === 'on' || (chosen[key] !== 'off' && applies(when, known) === 'yes'),
    )
    .flatMap((rule) =>
      dueDays(rule, taxpayer, window).map((day) => ({ ...day, ruleKey: rule.key, kind: rule.kind })),
    );
  const added = await ownDatesFor(profile);
  const byFirm = added
    .filter((own) => chosen[own.own_date_id] !== 'off')
    .flatMap((own) =>
      ownDueDays(
        { startsOn: own.starts_on, repeats: own.repeats, roll: own.roll },
        taxpayer.calendar,
        window,
      ).map((day) => ({ ...day, ruleKey: own.own_date_id, kind: own.kind })),
    );
  return [...byRules, ...byFirm];
}

/** Only Argentina spreads dates by the last digit. */
async function lastDigitOf({ client_id: clientId, country }: Profile): Promise<string | undefined> {
  if (country !== 'ar') return undefined;
  const row = await db()
    .selectFrom('client_tax_ids')
    .select('value')
    .where('client_id', '=', clientId)
    .where('kind', '=', 'cuit')
    .executeTakeFirst();
  return row && decryptFrom('client_tax_ids.value', `${clientId}/cuit`, row.value).at(-1);
}

const ownDatesFor = ({ company_id: companyId, client_id: clientId }: Profile) =>
  db()
    .selectFrom('tax_own_dates')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('removed_at', 'is', null)
    .where((e) => e.or([e('client_id', 'is', null), e('client_id', '=', clientId)]))
    .execute();

interface Scope {
  companyId: string;
  clientId: string;
  today: Day;
}

const keyOf = (date: { ruleKey: string; period: string }): string => `${date.ruleKey} ${date.period}`;

async function storePlan(
  { companyId, clientId, today }: Scope,
  planned: readonly PlannedDate[],
): Promise<void> {
  const rows = await db()
    .selectFrom('tax_dates')
    .select(['tax_date_id', 'rule_key as ruleKey', 'period', 'planned_on', 'reason', 'mark'])
    .where('client_id', '=', clientId)
    .execute();
  const stored = new Map(rows.map((row) => [keyOf(row), row]));
  const wanted = new Set(planned.map(keyOf));
  const gone = rows.filter(
    (row) => row.planned_on >= today && row.mark === 'open' && row.reason === null && !wanted.has(keyOf(row)),
  );
  for (const some of inBatches(gone))
    await db()
      .deleteFrom('tax_dates')
      .where(
        'tax_date_id',
        'in',
        some.map((row) => row.tax_date_id),
      )
      .execute();
  const instant = now();
  for (const date of planned) {
    const row = stored.get(keyOf(date));
    if (!row || row.planned_on === date.dueOn) continue;
    await db()
      .updateTable('tax_dates')
      .set(({ eb }) => ({
        planned_on: date.dueOn,
        changed_at: instant,
        version: eb('version', '+', 1),
        ...(row.reason === null && { due_on: date.dueOn }), // what the firm moved stays there
      }))
      .where('tax_date_id', '=', row.tax_date_id)
      .execute();
  }
  const added = planned
    .filter((date) => !stored.has(keyOf(date)))
    .map(({ ruleKey, period, kind, dueOn }) => ({
      tax_date_id: newId('taxdate'),
      company_id: companyId,
      client_id: clientId,
      rule_key: ruleKey,
      period,
      kind,
      planned_on: dueOn,
      due_on: dueOn,
      reason: null,
      mark: 'open' as const,
      marked_by: '',
      marked_at: null,
      version: 1,
      changed_at: instant,
    }));
  for (const some of inBatches(added)) await db().insertInto('tax_dates').values(some).execute();
}

/** The job that computes the dates of all clients whose dates depend on something that changed. */
export const PLAN_JOB = 'tax-plan';

/** Computes the dates of all clients of a firm again, after this transaction. */
export async function replanFirm(companyId: string): Promise<void> {
  await db()
    .updateTable('tax_profiles')
    .set({ planned_until: '' })
    .where('company_id', '=', companyId)
    .execute();
  await enqueue(PLAN_JOB, {}, `${PLAN_JOB}:${newId('plan')}`, companyId);
}

/** Computes the dates that are missing, of some clients at a time. */
export async function planDue(signal?: AbortSignal): Promise<void> {
  for (let planned = CLIENTS_AT_ONCE; planned === CLIENTS_AT_ONCE && !signal?.aborted;)
    planned = await inTransaction(planSome);
}

async function planSome(): Promise<number> {
  const soon = addMonths(dayOf(now(), 'UTC'), MIN_MONTHS);
  const rows = await db()
    .selectFrom('tax_profiles')
    .innerJoin('clients', 'clients.client_id', 'tax_profiles.client_id')
    .select('tax_profiles.client_id')
    .where((e) =>
      e.or([
        e('tax_profiles.planned_until', '<', soon),
        e('tax_profiles.rules_version', '<', RULES_VERSION),
        e('clients.modified_at', '>', e.ref('tax_profiles.planned_at')),
      ]),
    )
    .orderBy('tax_profiles.client_id')
    .limit(CLIENTS_AT_ONCE)
    .execute();
  for (const { client_id: clientId } of rows) await planClient(clientId);
  return rows.length;
}

const KEPT_MONTHS = 24;

/** Deletes dates that were due two years ago. */
export async function deleteOldDates(): Promise<void> {
  const before = addMonths(dayOf(now(), 'UTC'), -KEPT_MONTHS);
  await db().deleteFrom('tax_dates').where('due_on', '<', before).execute();
}

/** The same with all of a client, before it is deleted without a trace. */
export async function removeClient({ clientId }: { clientId: string }): Promise<void> {
  for (const table of ['tax_dates', 'tax_own_dates', 'tax_profiles'] as const)
    await db().deleteFrom(table).where('client_id', '=', clientId).execute();
}

/** The dates of a merged client follow to the other one; what both have stays as the other has it. */
export async function followMergedClient({ from, into }: { from: string; into: string }): Promise<void> {
  const target = await db()
    .selectFrom('tax_profiles')
    .select('client_id')
    .where('client_id', '=', into)
    .executeTakeFirst();
  if (target) await db().deleteFrom('tax_profiles').where('client_id', '=', from).execute();
  else
    await db().updateTable('tax_profiles').set({ client_id: into }).where('client_id', '=', from).execute();
  const both = db()
    .selectFrom('tax_dates as theirs')
    .innerJoin('tax_dates as own', (join) =>
      join.onRef('own.rule_key', '=', 'theirs.rule_key').onRef('own.period', '=', 'theirs.period'),
    )
    .select('theirs.tax_date_id')
    .where('theirs.client_id', '=', from)
    .where('own.client_id', '=', into);
  const twins = await both.execute();
  for (const some of inBatches(twins))
    await db()
      .deleteFrom('tax_dates')
      .where(
        'tax_date_id',
        'in',
        some.map((row) => row.tax_date_id),
      )
      .execute();
  await db().updateTable('tax_dates').set({ client_id: into }).where('client_id', '=', from).execute();
  await db().updateTable('tax_own_dates').set({ client_id: into }).where('client_id', '=', from).execute();
  await planClient(into);
}

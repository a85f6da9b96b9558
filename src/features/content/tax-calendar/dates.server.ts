import type { Actor } from '#features/base/people/people.ts';
import { yearOf } from '#features/base/work-calendars/holidays.ts';
import { db } from '#platform/database/database.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { datesOf } from './internal/scope.server.ts';
import { ruleOf } from './obligations/all.ts';
import type { Kind } from './rules.ts';
import type { Mark, TaxDate } from './tax-calendar.ts';

/* The tax dates of clients as contacts and staff see them. */

export interface DatesWanted {
  clientId?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
  kind?: Kind | undefined;
  mark?: Mark | undefined;
  /** The latest first. */
  isReversed?: boolean;
  start: number;
  limit: number;
}

/** Lists dates of clients that the actor may act for, in their order. */
export async function listDates(
  actor: Actor,
  { start, limit, isReversed = false, ...wanted }: DatesWanted,
): Promise<{ items: TaxDate[]; totalItems: number }> {
  const { total } = await matching(actor, wanted)
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await columns(matching(actor, wanted))
    .orderBy('tax_dates.due_on', isReversed ? 'desc' : 'asc')
    .orderBy('tax_dates.client_id')
    .orderBy('tax_dates.rule_key')
    .orderBy('tax_dates.tax_date_id')
    .limit(limit)
    .offset(start)
    .execute();
  return { items: rows.map(present), totalItems: Number(total) };
}

/** The next dates of clients that wait, for lists that show no more. */
export async function nextDates(
  actor: Actor,
  { from, until, limit }: { from: string; until?: string; limit: number },
): Promise<TaxDate[]> {
  const rows = await columns(matching(actor, { from, until, mark: 'open' }))
    .orderBy('tax_dates.due_on')
    .orderBy('tax_dates.rule_key')
    .orderBy('tax_dates.tax_date_id')
    .limit(limit)
    .execute();
  return rows.map(present);
}

/** Dates with what a calendar program needs to recognize them. */
export async function eventRows(
  actor: Actor,
  { from, until, limit }: { from: string; until: string; limit: number },
): Promise<{ date: TaxDate; client: string; version: number; changedAt: number }[]> {
  const rows = await columns(matching(actor, { from, until, mark: 'open' }))
    .select('clients.name as client')
    .orderBy('tax_dates.due_on')
    .orderBy('tax_dates.rule_key')
    .orderBy('tax_dates.tax_date_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    date: present(row),
    client: row.client,
    version: row.version,
    changedAt: row.changed_at,
  }));
}

const matching = (
  actor: Actor,
  { clientId, from, until, kind, mark }: Omit<DatesWanted, 'start' | 'limit' | 'isReversed'>,
) =>
  datesOf(actor)
    .$if(clientId !== undefined, (dates) => dates.where('tax_dates.client_id', '=', clientId ?? ''))
    .$if(from !== undefined, (dates) => dates.where('tax_dates.due_on', '>=', from ?? ''))
    .$if(until !== undefined, (dates) => dates.where('tax_dates.due_on', '<=', until ?? ''))
    .$if(kind !== undefined, (dates) => dates.where('tax_dates.kind', '=', kind ?? 'file'))
    .$if(mark !== undefined, (dates) => dates.where('tax_dates.mark', '=', mark ?? 'open'));

/** A date; NOT_FOUND unless it is of a client that the actor may act for. */
export async function taxDateOf(actor: Actor, taxDateId: string): Promise<TaxDate> {
  const row = await columns(datesOf(actor)).where('tax_dates.tax_date_id', '=', taxDateId).executeTakeFirst();
  if (!row) throw notFound();
  return present(row);
}

const columns = (dates: ReturnType<typeof datesOf>) =>
  dates.selectAll('tax_dates').select(['choices.confirmed_until', 'own.name as own_name']);

interface Row {
  tax_date_id: string;
  client_id: string;
  rule_key: string;
  period: string;
  kind: Kind;
  planned_on: string;
  due_on: string;
  reason: string | null;
  mark: Mark;
  confirmed_until: number | null;
  own_name: string | null;
}

const present = (row: Row): TaxDate => ({
  id: row.tax_date_id,
  clientId: row.client_id,
  ruleKey: row.rule_key,
  name: nameOf(row),
  kind: row.kind,
  period: row.period,
  dueOn: row.due_on,
  movedFrom: row.reason === null ? null : row.planned_on,
  reason: row.reason === null ? null : decryptFrom('tax_dates.reason', row.tax_date_id, row.reason),
  isConfirmed: isConfirmed(row),
  mark: row.mark,
});

const nameOf = ({ rule_key: key, own_name: own }: Row): string =>
  ruleOf(key)?.name ?? (own === null ? key : decryptFrom('tax_own_dates.name', key, own));

/** A date that the firm added or moved is its own word; of a rule, somebody must have compared the year. */
function isConfirmed({ rule_key: key, planned_on: on, reason, confirmed_until: until }: Row): boolean {
  const rule = ruleOf(key);
  if (!rule || reason !== null) return true;
  return rule.confirmed.includes(yearOf(on)) || (until ?? 0) >= yearOf(on);
}

/** The names of dates that the firm added, by their ids. */
export async function ownNames(ids: readonly string[]): Promise<Map<string, string>> {
  const own = ids.filter((id) => !ruleOf(id));
  if (own.length === 0) return new Map();
  const rows = await db()
    .selectFrom('tax_own_dates')
    .select(['own_date_id', 'name'])
    .where('own_date_id', 'in', own)
    .execute();
  return new Map(
    rows.map((row) => [row.own_date_id, decryptFrom('tax_own_dates.name', row.own_date_id, row.name)]),
  );
}

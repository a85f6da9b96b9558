import { actorNow, assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { assertKeepsCalendar, assertKeepsFirmCalendar } from './internal/scope.server.ts';
import { ruleOf } from './obligations/all.ts';
import { planClient, replanFirm } from './planning.server.ts';
import type { Country } from './profile.ts';
import { COUNTRIES } from './profile.ts';
import type { Kind } from './rules.ts';
import { MAX_OWN_DATES, type Repeat } from './tax-calendar.ts';

/* What the firm decides for all its clients: rules that it turns off or has compared, and dates that it adds. */

export interface RuleChoice {
  isMuted: boolean;
  /** The last year that was compared with the official dates; 0 for none. */
  confirmedUntil: number;
}

/** What the firm decided about rules, by their keys. */
export async function ruleChoices({ companyId }: Actor): Promise<Map<string, RuleChoice>> {
  const rows = await db()
    .selectFrom('tax_rule_choices')
    .select(['rule_key', 'is_muted', 'confirmed_until'])
    .where('company_id', '=', companyId)
    .execute();
  return new Map(
    rows.map((row) => [row.rule_key, { isMuted: row.is_muted === 1, confirmedUntil: row.confirmed_until }]),
  );
}

/** The countries of the firm's clients with a tax profile; the first one if there are none. */
export async function countriesOf({ companyId }: Actor): Promise<Country[]> {
  const rows = await db()
    .selectFrom('tax_profiles')
    .select('country')
    .distinct()
    .where('company_id', '=', companyId)
    .execute();
  return COUNTRIES.filter((country) => rows.some((row) => row.country === country));
}

/** Hides a rule from all clients, or shows it again. NOT_FOUND, FORBIDDEN for staff with assigned clients. */
export const muteRule = (actor: Actor, key: string, isMuted: boolean): Promise<void> =>
  changeRule(actor, key, { is_muted: isMuted ? 1 : 0 }, { muted: isMuted ? 1 : 0 });

/** Notes that the firm compared the dates of a rule with the official ones, up to a year; 0 takes it back. */
export const confirmRule = (actor: Actor, key: string, year: number): Promise<void> =>
  changeRule(actor, key, { confirmed_until: year }, { confirmed: year });

async function changeRule(
  actor: Actor,
  key: string,
  change: { is_muted: 0 | 1 } | { confirmed_until: number },
  details: Record<string, number>,
): Promise<void> {
  assertKeepsFirmCalendar(actor);
  if (!ruleOf(key)) throw notFound();
  await inTransaction(async () => {
    const { companyId, contactId } = await keeperNow(actor);
    const values = { ...change, changed_by: contactId, changed_at: now() };
    await db()
      .insertInto('tax_rule_choices')
      .values({ company_id: companyId, rule_key: key, is_muted: 0, confirmed_until: 0, ...values })
      .onConflict((conflict) => conflict.columns(['company_id', 'rule_key']).doUpdateSet(values))
      .execute();
    await audit({ companyId, actor: contactId, action: 'calendar.rule', target: key, details });
  });
}

async function keeperNow(actor: Actor): Promise<Actor> {
  const current = await actorNow(actor);
  assertKeepsFirmCalendar(current);
  return current;
}

export interface OwnDateInput {
  name: string;
  kind: Kind;
  startsOn: string;
  repeats: Repeat;
  roll: 'after' | 'before' | 'none';
}

export interface AddedDate extends OwnDateInput {
  id: string;
  clientId: string | null;
}

/** The dates that the firm added for all clients, or with an id, for this one as well. FORBIDDEN for contacts, NOT_FOUND. */
export async function addedDates(actor: Actor, clientId?: string): Promise<AddedDate[]> {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  if (clientId !== undefined) await assertActsFor(actor, clientId);
  const rows = await db()
    .selectFrom('tax_own_dates')
    .selectAll()
    .where('company_id', '=', actor.companyId)
    .where('removed_at', 'is', null)
    .where((e) =>
      e.or([e('client_id', 'is', null), ...(clientId === undefined ? [] : [e('client_id', '=', clientId)])]),
    )
    .orderBy('starts_on')
    .orderBy('own_date_id')
    .execute();
  return rows.map((row) => ({
    id: row.own_date_id,
    clientId: row.client_id,
    name: decryptFrom('tax_own_dates.name', row.own_date_id, row.name),
    kind: row.kind,
    startsOn: row.starts_on,
    repeats: row.repeats,
    roll: row.roll,
  }));
}

/** Adds a date for a client, or for all with a tax profile. TOO_MANY, NOT_FOUND, FORBIDDEN. */
export async function addDate(
  actor: Actor,
  clientId: string | undefined,
  { name, kind, startsOn, repeats, roll }: OwnDateInput,
): Promise<string> {
  return asKeeper(actor, clientId, async ({ companyId, contactId }) => {
    const { count } = await db()
      .selectFrom('tax_own_dates')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('company_id', '=', companyId)
      .where('removed_at', 'is', null)
      .where('client_id', clientId === undefined ? 'is' : '=', clientId ?? null)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_OWN_DATES) throw new PortalError('TOO_MANY', { most: MAX_OWN_DATES });
    const id = newId('owndate');
    await db()
      .insertInto('tax_own_dates')
      .values({
        own_date_id: id,
        company_id: companyId,
        client_id: clientId ?? null,
        name: encryptFor('tax_own_dates.name', id, name),
        kind,
        starts_on: startsOn,
        repeats,
        roll,
        created_by: contactId,
        created_at: now(),
        removed_at: null,
      })
      .execute();
    await noteOwn({ companyId, contactId }, 'calendar.add', id, clientId);
    return id;
  });
}

/** Removes a date that the firm added; what was marked stays. NOT_FOUND, FORBIDDEN. */
export async function removeDate(actor: Actor, id: string): Promise<void> {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  const row = await db()
    .selectFrom('tax_own_dates')
    .select('client_id')
    .where('own_date_id', '=', id)
    .where('company_id', '=', actor.companyId)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound();
  const clientId = row.client_id ?? undefined;
  await asKeeper(actor, clientId, async ({ companyId, contactId }) => {
    await db()
      .updateTable('tax_own_dates')
      .set({ removed_at: now() })
      .where('own_date_id', '=', id)
      .execute();
    await noteOwn({ companyId, contactId }, 'calendar.remove', id, clientId);
  });
}

async function asKeeper<Result>(
  actor: Actor,
  clientId: string | undefined,
  work: (current: Actor) => Promise<Result>,
): Promise<Result> {
  const assertKeeps = clientId === undefined ? assertKeepsFirmCalendar : assertKeepsCalendar;
  assertKeeps(actor);
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertKeeps(current);
    if (clientId !== undefined) await assertActsFor(current, clientId);
    const result = await work(current);
    if (clientId === undefined) await replanFirm(current.companyId);
    else await planClient(clientId);
    return result;
  });
}

const noteOwn = (
  { companyId, contactId }: Pick<Actor, 'companyId' | 'contactId'>,
  action: 'calendar.add' | 'calendar.remove',
  target: string,
  clientId: string | undefined,
): Promise<void> =>
  audit({ companyId, actor: contactId, action, target, ...(clientId !== undefined && { clientId }) });

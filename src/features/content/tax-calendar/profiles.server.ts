import { actorNow, assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { assertKeepsCalendar } from './internal/scope.server.ts';
import { RULES } from './obligations/all.ts';
import { planClient } from './planning.server.ts';
import { applies, choices, factsIn, validFacts, type Choices, type Country, type Facts } from './profile.ts';
import type { TaxRule } from './rules.ts';

/* What the tax dates of a client depend on, as the firm knows it. */

export interface TaxProfile {
  country: Country;
  facts: Facts;
  choices: Choices;
  version: number;
}

/** The tax profile of a client; undefined where the firm has not made one. FORBIDDEN for contacts, NOT_FOUND. */
export async function profileOf(actor: Actor, clientId: string): Promise<TaxProfile | undefined> {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  await assertActsFor(actor, clientId);
  return storedProfile(clientId);
}

async function storedProfile(clientId: string): Promise<TaxProfile | undefined> {
  const row = await db()
    .selectFrom('tax_profiles')
    .select(['country', 'facts', 'choices', 'version'])
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return (
    row && {
      country: row.country,
      facts: factsIn(row.country, row.facts),
      choices: choices.parse(JSON.parse(row.choices)),
      version: row.version,
    }
  );
}

interface GivenProfile {
  country: Country;
  /** What the rules of the country do not ask for is left out. */
  facts: Readonly<Record<string, string | undefined>>;
  version: number;
}

/**
 * Stores what is known of a client, and computes its dates. EDIT_CONFLICT if `version` is not the current one (0 for a new
 * profile), FORBIDDEN, NOT_FOUND.
 */
export const saveProfile = (
  actor: Actor,
  clientId: string,
  { country, facts: given, version }: GivenProfile,
): Promise<void> =>
  changeProfile(actor, clientId, async (current, before) => {
    if (version !== (before?.version ?? 0)) throw new PortalError('EDIT_CONFLICT');
    const known = validFacts(country, given);
    const kept = before?.country === country ? before.choices : {};
    await store(current, clientId, { country, facts: known, choices: kept, version: version + 1 });
  });

/** What the firm decides about a rule, or a date that it added, for one client; `auto` goes by the facts. NOT_FOUND, FORBIDDEN. */
export const chooseRule = (
  actor: Actor,
  clientId: string,
  key: string,
  choice: 'on' | 'off' | 'auto',
): Promise<void> =>
  changeProfile(actor, clientId, async (current, before) => {
    if (!before) throw notFound();
    const isKnown = RULES[before.country].some((rule) => rule.key === key);
    if (!isKnown && !(await isOwnDate(current, key))) throw notFound();
    const { [key]: _, ...others } = before.choices;
    const chosen = choice === 'auto' ? others : { ...others, [key]: choice };
    await store(current, clientId, { ...before, choices: chosen, version: before.version + 1 });
  });

const isOwnDate = async ({ companyId }: Actor, id: string): Promise<boolean> =>
  (await db()
    .selectFrom('tax_own_dates')
    .select('own_date_id')
    .where('own_date_id', '=', id)
    .where('company_id', '=', companyId)
    .executeTakeFirst()) !== undefined;

async function changeProfile(
  actor: Actor,
  clientId: string,
  change: (current: Actor, before: TaxProfile | undefined) => Promise<void>,
): Promise<void> {
  assertKeepsCalendar(actor);
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertKeepsCalendar(current);
    await assertActsFor(current, clientId);
    await change(current, await storedProfile(clientId));
    await planClient(clientId);
  });
}

async function store(
  { companyId, contactId }: Actor,
  clientId: string,
  { country, version, ...profile }: TaxProfile,
): Promise<void> {
  const values = {
    country,
    version,
    facts: JSON.stringify(profile.facts),
    choices: JSON.stringify(profile.choices),
    planned_until: '',
    planned_at: 0,
    rules_version: 0,
    modified_by: contactId,
    modified_at: now(),
  };
  await db()
    .insertInto('tax_profiles')
    .values({ client_id: clientId, company_id: companyId, ...values })
    .onConflict((conflict) => conflict.column('client_id').doUpdateSet(values))
    .execute();
  await audit({ companyId, actor: contactId, action: 'calendar.profile', target: clientId, clientId });
}

/** A rule of the country of a client, and whether it has dates for it. */
export interface RuleOfClient {
  rule: TaxRule;
  /** By the facts. */
  applies: 'yes' | 'maybe' | 'no';
  choice: 'on' | 'off' | undefined;
}

/** The rules of the country of a client: those that apply first, then those that may, then the others. */
export function rulesOfClient({ country, facts: known, choices: chosen }: TaxProfile): RuleOfClient[] {
  const order = { yes: 0, maybe: 1, no: 2 } as const;
  return RULES[country]
    .map((rule) => ({ rule, applies: applies(rule.when, known), choice: chosen[rule.key] }))
    .toSorted((a, b) => order[a.applies] - order[b.applies]);
}

import type { Actor } from '#features/base/people/people.ts';
import { listDates } from '#features/content/tax-calendar/dates.server.ts';
import { addDate, confirmRule } from '#features/content/tax-calendar/firm-rules.server.ts';
import { markDate, moveDate } from '#features/content/tax-calendar/keeping.server.ts';
import { saveProfile } from '#features/content/tax-calendar/profiles.server.ts';
import type { Country, Facts } from '#features/content/tax-calendar/profile.ts';
import { addDays } from '#features/base/work-calendars/days.ts';

/** What is known of the companies in the demo. */
const BRAZILIAN = { entity: 'company', regime: 'simples', employees: 'yes', substitution: 'no' } as const;
const BRAZILIAN_PERSON = { entity: 'person' } as const;
const CANADIAN = {
  region: 'quebec',
  entity: 'company',
  payroll: 'monthly',
  salesTax: 'quarterly',
  smallCompany: 'yes',
} as const;
const AMERICAN = { entity: 'corporation', payroll: 'monthly', contractors: 'yes' } as const;

const begin = (firm: Actor, clientId: string, country: Country, facts: Facts): Promise<void> =>
  saveProfile(firm, clientId, { country, facts, version: 0 });

export const brazilianCalendar = (firm: Actor, clientId: string, isPerson: boolean): Promise<void> =>
  begin(firm, clientId, 'br', isPerson ? BRAZILIAN_PERSON : BRAZILIAN);
export const canadianCalendar = (firm: Actor, clientId: string): Promise<void> =>
  begin(firm, clientId, 'ca', CANADIAN);
export const americanCalendar = (firm: Actor, clientId: string): Promise<void> =>
  begin(firm, clientId, 'us', AMERICAN);

/** The firm compares some rules with the law, adds a date of its own and moves one; a contact says what became of another. */
export async function decideOnDates(firm: Actor, contact: Actor, clientId: string): Promise<void> {
  for (const key of ['br-das', 'br-fgts', 'br-darf', 'br-esocial']) await confirmRule(firm, key, 2027);
  await addDate(firm, clientId, {
    name: 'Enviar as notas de entrada ao escritório',
    kind: 'give',
    startsOn: '2026-11-05',
    repeats: 'monthly',
    roll: 'after',
  });
  const { items } = await listDates(firm, { clientId, mark: 'open', start: 0, limit: 100 });
  const wages = items.find(({ ruleKey }) => ruleKey === 'br-wages');
  if (wages)
    await moveDate(firm, wages.id, {
      day: addDays(wages.dueOn, -1),
      reason: 'A convenção coletiva pede o pagamento no dia anterior.',
    });
  const das = items.find(({ ruleKey }) => ruleKey === 'br-das');
  if (das) await markDate(contact, das.id, 'done');
}

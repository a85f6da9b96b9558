import { z } from 'zod';
import type { TaxCalendar } from '#features/base/work-calendars/public-holidays.ts';

/* What the tax dates of a client depend on: its country, and facts that the rules of this country ask for. */

export const COUNTRIES = ['us', 'gb', 'ca', 'au', 'ar', 'br'] as const;
export type Country = (typeof COUNTRIES)[number];

const YES_NO = ['yes', 'no'] as const;

/** The facts of each country with their values. */
export const FACTS = {
  us: {
    entity: ['person', 'partnership', 'sCorporation', 'corporation', 'exempt'],
    payroll: ['none', 'monthly', 'moreOften'],
    contractors: YES_NO,
    estimates: YES_NO,
    extension: YES_NO,
    foreignAccounts: YES_NO,
    manyEmployees: YES_NO,
    retirementPlan: YES_NO,
  },
  gb: {
    region: ['england', 'scotland', 'northernIreland'],
    entity: ['person', 'company'],
    payroll: ['none', 'monthly', 'quarterly'],
    vat: ['none', 'monthly', 'march', 'april', 'may'],
    selfAssessment: YES_NO,
    digitalUpdates: YES_NO,
    subcontractors: YES_NO,
    benefits: YES_NO,
    settlement: YES_NO,
  },
  ca: {
    region: ['ontario', 'quebec', 'britishColumbia', 'alberta', 'elsewhere'],
    entity: ['person', 'company', 'trust'],
    payroll: ['none', 'monthly', 'quarterly', 'threshold1', 'threshold2'],
    salesTax: ['none', 'monthly', 'quarterly', 'annual'],
    selfEmployed: YES_NO,
    estimates: YES_NO,
    smallCompany: YES_NO,
    nonResidents: YES_NO,
    contractors: YES_NO,
  },
  au: {
    entity: ['person', 'company', 'trust'],
    statements: ['none', 'monthly', 'quarterly', 'annual'],
    payday: ['none', 'middle', 'end'],
    taxAgent: YES_NO,
    largeCompany: YES_NO,
    contractors: YES_NO,
    benefits: YES_NO,
    payrollTax: YES_NO,
  },
  ar: {
    entity: ['person', 'company'],
    regime: ['general', 'monotributo', 'exempt'],
    employees: YES_NO,
    selfEmployed: YES_NO,
    domesticWorkers: YES_NO,
    deferredVat: YES_NO,
    multilateral: YES_NO,
  },
  br: {
    entity: ['person', 'company'],
    regime: ['simples', 'mei', 'presumed', 'actual'],
    employees: YES_NO,
    industry: YES_NO,
    substitution: YES_NO,
    saoPauloServices: YES_NO,
  },
} as const satisfies Record<Country, Readonly<Record<string, readonly string[]>>>;

type FactsOf<C extends Country> = C extends Country ? keyof (typeof FACTS)[C] : never;
export type Fact = FactsOf<Country>;
type ValuesOf<C extends Country> = C extends Country
  ? (typeof FACTS)[C][keyof (typeof FACTS)[C]] extends readonly (infer V extends string)[]
    ? V
    : never
  : never;
export type FactValue = ValuesOf<Country>;

/** The values of facts for which a rule applies; all of them. */
export type Conditions = Readonly<Partial<Record<Fact, readonly FactValue[]>>>;

export const ALL_FACTS = [
  ...new Set(COUNTRIES.flatMap((country) => Object.keys(FACTS[country]) as Fact[])),
] as const;

/** The values of a fact in a country; none if the rules of the country do not ask for it. */
export const valuesOf = (country: Country, fact: Fact): readonly FactValue[] =>
  asked(FACTS[country])[fact] ?? [];

/** The facts of a country as one that may lack others. */
const asked = (
  own: Readonly<Partial<Record<Fact, readonly FactValue[]>>>,
): Readonly<Partial<Record<Fact, readonly FactValue[]>>> => own;

/** What is known of a client; a fact that is missing is not known. */
export type Facts = Readonly<Partial<Record<Fact, FactValue>>>;

/** A rule that the firm decided on for one client, whatever the facts say. */
const CHOICES = ['on', 'off'] as const;
export const choices = z.record(z.string().max(60), z.enum(CHOICES));
export type Choices = z.infer<typeof choices>;

/** Only what the rules of the country ask for, with a value that they know. */
export const validFacts = (country: Country, given: Readonly<Record<string, string | undefined>>): Facts =>
  Object.fromEntries(
    ALL_FACTS.flatMap((fact) => {
      const value = valuesOf(country, fact).find((each) => each === given[fact]);
      return value === undefined ? [] : [[fact, value]];
    }),
  );

/** Facts as they are stored. */
export const factsIn = (country: Country, json: string): Facts =>
  validFacts(country, z.record(z.string(), z.string()).parse(JSON.parse(json)));

const REGIONS: Readonly<Partial<Record<FactValue, TaxCalendar>>> = {
  scotland: 'gb-sct',
  northernIreland: 'gb-nir',
  ontario: 'ca-on',
  quebec: 'ca-qc',
  britishColumbia: 'ca-bc',
  alberta: 'ca-ab',
};

/** The calendar whose holidays move a client's dates. */
export const calendarOfProfile = (country: Country, { region }: Facts): TaxCalendar =>
  (region && REGIONS[region]) ?? (country === 'gb' ? 'gb-eng' : country);

/** Whether a rule applies to a client: it may if a fact is not known. */
export function applies(when: Conditions, known: Facts): 'yes' | 'maybe' | 'no' {
  const answers = (Object.keys(when) as Fact[]).map((fact) => {
    const value = known[fact];
    return value === undefined ? 'maybe' : when[fact]?.includes(value) ? 'yes' : 'no';
  });
  return answers.includes('no') ? 'no' : answers.includes('maybe') ? 'maybe' : 'yes';
}

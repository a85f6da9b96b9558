import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { Country } from './profile.ts';
import type { Kind } from './rules.ts';
import type { Mark, Repeat } from './tax-calendar.ts';

export const tables = {
  tax_profiles: {
    key: ['client_id'],
    ofClient: { exported: 'tax-profile.csv', merged: 'united', kept: 'with client' },
  },
  tax_rule_choices: { key: ['company_id', 'rule_key'] },
  tax_own_dates: {
    key: ['own_date_id'],
    encrypted: { name: 'always' },
    ofClient: { exported: 'tax-own-dates.csv', merged: 'united', kept: 'with client' },
  },
  tax_dates: {
    key: ['tax_date_id'],
    encrypted: { reason: 'some rows' },
    ofClient: {
      exported: 'tax-dates.csv',
      merged: 'united',
      kept: { until: 'two years after the due day' },
    },
  },
  tax_reminders: { key: ['contact_id'] },
  tax_reminded: {
    key: ['contact_id', 'tax_date_id'],
    ofClient: { exported: { not: 'The emails are exported.' } },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    tax_profiles: TaxProfiles;
    tax_rule_choices: TaxRuleChoices;
    tax_own_dates: TaxOwnDates;
    tax_dates: TaxDates;
    tax_reminders: TaxReminders;
    tax_reminded: TaxReminded;
  }
}

/** What the tax dates of a client depend on. Days are `2026-02-28`. */
interface TaxProfiles {
  client_id: string;
  company_id: string;
  country: Country;
  /** As JSON; a fact that is missing is not known. */
  facts: string;
  /** The rules that the firm decided on for this client, as JSON. */
  choices: string;
  version: number;
  /** The day up to which its dates are computed; empty if they must be computed again. */
  planned_until: string;
  /** When they were; they are again when the client was changed since. */
  planned_at: Millis;
  /** Of the rules that they were computed with. */
  rules_version: number;
  modified_by: string;
  modified_at: Millis;
}

/** What the firm decided about a rule for all its clients. */
interface TaxRuleChoices {
  company_id: string;
  rule_key: string;
  is_muted: Bit;
  /** The last year whose dates the firm compared with the official ones; 0 for none. */
  confirmed_until: number;
  changed_by: string;
  changed_at: Millis;
}

/** Dates that the firm added. */
interface TaxOwnDates {
  own_date_id: string;
  company_id: string;
  /** Null for all clients with a tax profile. */
  client_id: string | null;
  name: Encrypted;
  kind: Kind;
  starts_on: string;
  repeats: Repeat;
  roll: 'after' | 'before' | 'none';
  created_by: string;
  created_at: Millis;
  removed_at: Millis | null;
}

/** A date of a client: computed by a rule, and what became of it. */
interface TaxDates {
  tax_date_id: string;
  company_id: string;
  client_id: string;
  /** Of a rule, or the id of a date that the firm added. */
  rule_key: string;
  /** The last day of the period that it is for. */
  period: string;
  kind: Kind;
  /** By the rule, and as the firm moved it. */
  planned_on: string;
  due_on: string;
  /** Why the firm moved it; null if it did not. */
  reason: Encrypted<string | null>;
  mark: Mark;
  marked_by: string;
  marked_at: Millis | null;
  version: number;
  changed_at: Millis;
}

/** How many days before a date a contact wants to be reminded. */
interface TaxReminders {
  contact_id: string;
  company_id: string;
  days_before: number;
  /** The last day on which it was looked what they are to be reminded of; empty for never. */
  checked_on: string;
  changed_at: Millis;
}

/** The dates that a contact was reminded of. */
interface TaxReminded {
  contact_id: string;
  tax_date_id: string;
  reminded_at: Millis;
}

import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  firm_holidays: { key: ['holiday_id'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    firm_holidays: FirmHolidays;
  }
}

/** What a firm has decided about a holiday of a state or city, or one that it has added. */
interface FirmHolidays {
  holiday_id: string;
  company_id: string;
  /** `BR`, a state (`BR-SP`) or a city (IBGE). */
  place: string;
  /** `07-09`. */
  month_day: string;
  /** The year of one that was added for one year only; 0 for each year. */
  year: number;
  name: string;
  decision: 'confirmed' | 'muted' | 'added';
  changed_at: Millis;
  changed_by: string;
}

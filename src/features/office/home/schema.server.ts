import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  home_arrangements: { key: ['company_id', 'contact_id'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    home_arrangements: HomeArrangements;
  }
}

/** How a person arranged their home page, or the firm that of all its contacts. */
interface HomeArrangements {
  company_id: string;
  /** Empty for the arrangement of the firm. */
  contact_id: string;
  /** Widgets in order, as JSON. */
  widgets: string;
  modified_at: Millis;
}

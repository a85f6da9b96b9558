import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  grid_columns: { key: ['contact_id', 'grid'] },
  grid_filters: { key: ['filter_id'], encrypted: { name: 'always', query: 'always' } },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    grid_columns: GridColumns;
    grid_filters: GridFilters;
  }
}

/** The columns that a person shows: their names as JSON. */
interface GridColumns {
  contact_id: string;
  grid: string;
  columns: string;
}

/** The filters that a person saved. `query` is that of an address; both may contain names. */
interface GridFilters {
  filter_id: string;
  contact_id: string;
  grid: string;
  name: Encrypted;
  query: Encrypted;
  created_at: Millis;
}

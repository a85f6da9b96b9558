import type { Bit, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  dismissed_duplicates: {
    key: ['first_id', 'second_id'],
    ofClient: { exported: { not: 'What the firm said about its list of clients.' } },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    dismissed_duplicates: DismissedDuplicates;
    possible_duplicates: PossibleDuplicates;
  }
}

/** Two clients that are not the same, as somebody said; `first_id` sorts before `second_id`. */
interface DismissedDuplicates {
  company_id: string;
  first_id: string;
  second_id: string;
  dismissed_by: string;
  dismissed_at: Millis;
}

/** Two current clients that may be the same: an index, which triggers keep. */
interface PossibleDuplicates {
  company_id: string;
  first_id: string;
  second_id: string;
  /** The most telling of what both have: 1 for the tax id, 2 for the number, 3 for the name. */
  likeness: 1 | 2 | 3;
  /** That of the two that sorts first: the order of the list. */
  name_key: string;
  same_tax_id: Bit;
  same_number: Bit;
  same_name: Bit;
  is_dismissed: Bit;
}

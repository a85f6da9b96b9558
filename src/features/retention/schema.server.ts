import type { Generated } from 'kysely';
import type { Millis, TableDeclarations } from '#platform/schema.server.ts';

export const tables = {
  retention_policies: { key: ['company_id'] },
  retention_moves: { key: ['document_id'] },
} as const satisfies TableDeclarations;

declare module '#platform/schema.server.ts' {
  interface Tables {
    retention_policies: RetentionPolicies;
    retention_moves: RetentionMoves;
  }
}

interface RetentionPolicies {
  company_id: string;
  /** JSON: the years of each category. */
  rules: string;
  /** Before this, nothing is moved. */
  starts_at: Millis;
  /** The day of the last sweep. */
  swept_at: Generated<Millis>;
  changed_at: Millis;
}

/** Documents that were moved to the trash once: whoever restores one keeps it. */
interface RetentionMoves {
  document_id: string;
  company_id: string;
  moved_at: Millis;
}

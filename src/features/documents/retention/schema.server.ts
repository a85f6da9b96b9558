import type { Generated } from 'kysely';
import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  retention_policies: { key: ['company_id'] },
  retention_moves: {
    key: ['document_id'],
    ofClient: {
      exported: { not: 'It only says that the document was in the trash before; the audit log has when.' },
    },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
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

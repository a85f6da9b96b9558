import type { Generated } from 'kysely';
import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  exports: { key: ['export_id'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    exports: Exports;
  }
}

/** An export of documents as one archive: checked one by one, and written when it is downloaded. */
interface Exports {
  export_id: string;
  company_id: string;
  contact_id: string;
  status: 'PENDING' | 'SUCCESS' | 'PARTIAL_SUCCESS' | 'ERROR' | 'CANCELLED';
  /** JSON: id and name of each document, in the requested order. */
  files: string;
  /** JSON: indexes in `files` of the unavailable ones. */
  missing: string;
  checked: number;
  total: number;
  /** Bytes of the available documents checked so far. */
  size: number;
  created_at: Millis;
  ends_at: Millis;
  /** When its job last made progress; null while it is queued. */
  moved_at: Generated<Millis | null>;
}

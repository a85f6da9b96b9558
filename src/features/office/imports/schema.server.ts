import type { Generated } from 'kysely';
import type { Bit, Encrypted, TableDeclarations } from '#platform/database/schema.server.ts';
import type { ImportKind, RowAction, RowState } from './imports.ts';

export const tables = {
  imports: { key: ['import_id'], encrypted: { file_name: 'always', columns: 'always', place: 'some rows' } },
  import_rows: { key: ['import_id', 'number'], encrypted: { cells: 'always', before_image: 'always' } },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    imports: Imports;
    import_rows: ImportRows;
  }
}

/** A file, and what is to be done with it; how far that is, its head says (src/features/base/batches). */
interface Imports {
  import_id: string;
  kind: ImportKind;
  file_name: Encrypted;
  /** JSON: the names in the header. */
  columns: Encrypted;
  /** The file, until the import begins. */
  blob_key: string | null;
  /** JSON: where the table is in the file, and the names of its sheets; as long as the file is kept. */
  place: Encrypted<string | null>;
  /** JSON: the field of each column; '[]' until they are assigned. */
  mapping: string;
  /** 1 if contacts without access are invited when it is finished. */
  invites: Bit;
  /** How many invitations it queued. */
  invited: Generated<number>;
}

/** A row of a file. Deleted some weeks after the import, which remains. */
interface ImportRows {
  import_id: string;
  /** From 1. */
  number: number;
  /** The line of the file. */
  line: number;
  /** JSON: the cells. */
  cells: Encrypted;
  /** A blind index of what identifies the record, to find duplicates in the file. */
  row_key: string;
  action: RowAction | '';
  state: RowState;
  /** JSON: what is wrong with it, or why it was kept. */
  problems: string;
  /** JSON: the fields that change. */
  changes: string;
  /** The id of what it created or changed. */
  target_id: string;
  /** JSON: what the record was before. */
  before_image: Encrypted<string | null>;
}

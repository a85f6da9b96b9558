import { clientRows } from './client-rows.server.ts';
import type { ImportKind } from './imports.ts';
import type { RecordKind } from './record-kind.ts';

export const RECORD_KINDS: Readonly<Record<ImportKind, RecordKind>> = {
  clients: clientRows,
};

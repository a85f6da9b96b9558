import { clientRows } from './client-rows.server.ts';
import { contactRows } from './contact-rows.server.ts';
import type { ImportKind } from './imports.ts';
import { linkRows } from './link-rows.server.ts';
import type { RecordKind } from './record-kind.ts';

export const RECORD_KINDS: Readonly<Record<ImportKind, RecordKind>> = {
  clients: clientRows,
  contacts: contactRows,
  links: linkRows,
};

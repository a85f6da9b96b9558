import type { Bit, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { Reading } from './reading.ts';

export const tables = {
  reading_settings: { key: ['contact_id'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    reading_settings: ReadingSettings;
  }
}

/** How a person reads the pages of the portal; no row for the usual way. */
interface ReadingSettings {
  contact_id: string;
  size: Reading['size'];
  has_plain_words: Bit;
  is_read_aloud: Bit;
  changed_at: Millis;
}

import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = { attention: { key: ['subject'] } } as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    attention: Attention;
  }
}

/** Whose open pages show something that has changed. */
interface Attention {
  /** The id of a contact, or that of a firm for all of its staff. */
  subject: string;
  /** Another one after each change. */
  version: string;
  changed_at: Millis;
}

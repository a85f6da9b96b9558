import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  password_resets: { key: ['reset_id'] },
  rescue_codes: { key: ['contact_id'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    password_resets: PasswordResets;
    rescue_codes: RescueCodes;
  }
}

/** Password reset links; at most one per person. */
interface PasswordResets {
  reset_id: string;
  prism_guid: string;
  token_hash: string;
  expires_at: Millis;
}

/** Recovery codes that staff give a contact by phone; at most one per contact. */
interface RescueCodes {
  contact_id: string;
  prism_guid: string;
  code_hash: string;
  issued_by: string;
  expires_at: Millis;
}

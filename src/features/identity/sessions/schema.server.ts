import type { Generated } from 'kysely';
import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  sessions: { key: ['session_hash'], encrypted: { device: 'always', view_reason: 'always' } },
  terms: { key: ['company_id', 'version', 'language'] },
  terms_acceptances: { key: ['contact_id', 'version'] },
  long_tokens: { key: ['token_hash'] },
  ended_sessions: { key: ['session_hash'] },
  kept_forms: { key: ['form_hash'], encrypted: { fields: 'always' } },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    sessions: Sessions;
    terms: Terms;
    terms_acceptances: TermsAcceptances;
    long_tokens: LongTokens;
    ended_sessions: EndedSessions;
    kept_forms: KeptForms;
  }
}

interface Sessions {
  session_hash: string;
  /** The hash that it began with; null unless it has another one now. It opens nothing. */
  first_hash: string | null;
  prism_guid: string;
  contact_id: string;
  company_id: string;
  amr: string;
  created_at: Millis;
  last_seen_at: Millis;
  /** When the person last authenticated. */
  authenticated_at: Millis;
  /** Browser and network at sign-in, encrypted JSON, for the person's own list of sessions. */
  device: Encrypted;
  /** Set while a staff member impersonates `contact_id`: who, why (encrypted), until when. */
  viewer_contact_id: string | null;
  view_reason: Encrypted<string | null>;
  view_until: Millis | null;
  /** The account from which somebody of a firm entered its practice firm; it must stay good, and they return to it. */
  practiced_by: Generated<string | null>;
}

interface Terms {
  company_id: string;
  version: number;
  language: string;
  body: string;
  sha256: string;
  published_at: Millis;
}

/** Who accepted which terms, in which language. */
interface TermsAcceptances {
  company_id: string;
  contact_id: string;
  version: number;
  language: string;
  sha256: string;
  accepted_at: Millis;
}

/**
 * An API token of a contact, by its hash: a `link` token is redeemed once, an `api` token authenticates calls
 * until it expires.
 */
interface LongTokens {
  token_hash: string;
  token_id: string;
  kind: 'link' | 'api';
  prism_guid: string;
  contact_id: string;
  company_id: string;
  /** How and when the session that issued it was authenticated, and since when it exists. */
  amr: string;
  authenticated_at: Millis;
  session_since: Millis;
  /** The session that issued an `api` token; the token ends with it. */
  session_hash: Generated<string | null>;
  created_at: Millis;
  expires_at: Millis;
  used_at: Millis | null;
}

/** Recently expired sessions, whose unsaved form input is still accepted. */
interface EndedSessions {
  session_hash: string;
  contact_id: string;
  ended_at: Millis;
}

/**
 * Form input posted after the session had expired: the fields (encrypted JSON), for the same person, until
 * they sign in again.
 */
interface KeptForms {
  form_hash: string;
  contact_id: string;
  path: string;
  fields: Encrypted;
  expires_at: Millis;
}

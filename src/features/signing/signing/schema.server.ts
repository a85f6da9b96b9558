import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { FieldKind, IdentityCheck, SignerState, SigningState } from './signing.ts';

export const tables = {
  sign_documents: {
    key: ['signing_id'],
    encrypted: { foreign_signatures: 'some rows' },
    ofClient: { exported: 'signings.csv', merged: 'follows', kept: 'with client' },
  },
  sign_consents: { key: ['company_id', 'sha256'], ofClient: { exported: 'consent-texts.csv' } },
  sign_consent_texts: { key: ['company_id', 'language', 'version'] },
  signers: {
    key: ['signer_id'],
    encrypted: {
      name: 'always',
      email: 'always',
      typed_name: 'some rows',
      drawing: 'some rows',
      reason: 'some rows',
      access_code: 'some rows',
      mailed_code: 'some rows',
    },
    ofClient: { exported: 'signers.csv' },
  },
  sign_fields: {
    key: ['field_id'],
    encrypted: { label: 'always', value: 'some rows' },
    ofClient: { exported: 'signing-fields.csv' },
  },
  sign_links: { key: ['token_hash'], ofClient: { exported: { not: 'It opens something.' } } },
  sign_visits: { key: ['visit_hash'], ofClient: { exported: { not: 'A browser in which a link is open.' } } },
  sign_evidence: {
    key: ['signing_id', 'sequence'],
    encrypted: { data: 'always' },
    ofClient: { exported: 'signing-evidence.csv' },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    sign_documents: SignDocuments;
    sign_consents: SignConsents;
    sign_consent_texts: SignConsentTexts;
    signers: Signers;
    sign_fields: SignFields;
    sign_links: SignLinks;
    sign_visits: SignVisits;
    sign_evidence: SignEvidence;
  }
}

/** A document to be signed. It is prepared once; every page shown and every signature names these bytes. */
interface SignDocuments {
  signing_id: string;
  company_id: string;
  client_id: string;
  /** Null for a draft, and when its task was removed for good. */
  task_id: string | null;
  title: string;
  document_id: string;
  document_name: string;
  source_sha256: string;
  prepared_blob: string;
  prepared_size: number;
  prepared_sha256: string;
  /** The sizes of the pages as JSON, in points. */
  pages: string;
  /** The digital signatures that only the original bears, as JSON. */
  foreign_signatures: Encrypted<string | null>;
  /** The pages that the prepared document shows differently, as JSON. */
  differences: string | null;
  /** The original, kept for its signatures. Its digest is that of the source. */
  original_blob: string | null;
  original_size: number | null;
  identity: IdentityCheck;
  due_on: string | null;
  /** The language of the firm in mails to people without one, and in the certificate. */
  language: string;
  state: SigningState;
  sender: string;
  created_at: Millis;
  sent_at: Millis | null;
  signed_at: Millis | null;
  /** Since when it waits for the seal. */
  seal_since: Millis | null;
  /** Since when its seal waits for a timestamp authority that does not answer. */
  stamp_wait_since: Millis | null;
  sealed_at: Millis | null;
  sealed_document: string | null;
  sealed_sha256: string | null;
  seal_level: string | null;
  seal_key: string | null;
  /** The head of the chain of evidence. */
  evidence_count: number;
  evidence_hash: string;
}

/** A text in which people agreed to sign electronically, by its digest. */
interface SignConsents {
  company_id: string;
  sha256: string;
  language: string;
  text: string;
  used_at: Millis;
}

/** The firm's own texts, version by version; an empty one means the text of the portal. */
interface SignConsentTexts {
  company_id: string;
  language: Lang;
  version: number;
  text: string;
  changed_by: string;
  changed_at: Millis;
}

interface Signers {
  signer_id: string;
  signing_id: string;
  number: number;
  /** Null for somebody without an account, who signs by link. */
  contact_id: string | null;
  name: Encrypted;
  email: Encrypted;
  place: number;
  language: string;
  state: SignerState;
  invited_at: Millis | null;
  opened_at: Millis | null;
  consent_sha256: string | null;
  consent_version: number | null;
  consent_language: string | null;
  consent_at: Millis | null;
  /** The pages shown, as JSON: `[1,2]`. */
  seen_pages: string;
  typed_name: Encrypted<string | null>;
  /** A PNG in base64. */
  drawing: Encrypted<string | null>;
  acted_at: Millis | null;
  /** Why they declined. */
  reason: Encrypted<string | null>;
  receipt: number | null;
  /** The code that the sender tells somebody without an account. */
  access_code: Encrypted<string | null>;
  code_tries: number;
  code_paused_until: Millis | null;
  /** The code that was mailed before signing. */
  mailed_code: Encrypted<string | null>;
  mailed_code_until: Millis | null;
}

interface SignFields {
  field_id: string;
  signing_id: string;
  signer_id: string;
  number: number;
  kind: FieldKind;
  page: number;
  x: number;
  y: number;
  width: number;
  height: number;
  is_required: Bit;
  /** The text of the document next to it, which names it. */
  label: Encrypted;
  value: Encrypted<string | null>;
}

/** The links of a signer without an account. */
interface SignLinks {
  token_hash: string;
  signer_id: string;
  created_at: Millis;
  expires_at: Millis;
  revoked_at: Millis | null;
}

/** The browsers in which a link was opened with its code. */
interface SignVisits {
  visit_hash: string;
  signer_id: string;
  expires_at: Millis;
}

/** What happened, in order: each entry covers the one before. Never changed. */
interface SignEvidence {
  signing_id: string;
  sequence: number;
  signer_id: string | null;
  at: Millis;
  kind: string;
  /** JSON. */
  data: Encrypted;
  previous_hash: string;
  hash: string;
}

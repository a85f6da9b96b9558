import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  seal_keys: { key: ['key_id'], encrypted: { secret: 'always' } },
  sealed_files: { key: ['company_id', 'sha256'], encrypted: { title: 'always' } },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    seal_keys: SealKeys;
    sealed_files: SealedFiles;
  }
}

/** The keys with which a firm seals documents: at most one is in use, the others are kept to verify with. */
interface SealKeys {
  key_id: string;
  company_id: string;
  /** Made by the portal, or loaded by the firm. */
  origin: 'portal' | 'loaded';
  /** The certificate: base64 of its DER form, and its SHA-256 in hex. */
  certificate: string;
  fingerprint: string;
  valid_to: Millis;
  /** JSON of a SealSecret. */
  secret: Encrypted;
  created_at: Millis;
  /** When it went out of use. */
  replaced_at: Millis | null;
}

/** Every sealed file, by the digest of its bytes. It outlives the task and the document. */
interface SealedFiles {
  company_id: string;
  sha256: string;
  key_id: string;
  title: Encrypted;
  task_id: string;
  sealed_at: Millis;
}

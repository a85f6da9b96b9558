import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  client_certificates: {
    key: ['certificate_id'],
    encrypted: { secret: 'always' },
    ofClient: {
      exported: { not: 'A private key leaves the portal in no export; whoever owns it has the file.' },
      merged: 'united',
      kept: 'with client',
    },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    client_certificates: ClientCertificates;
  }
}

/** The digital certificate (A1) of a client, with its private key. */
interface ClientCertificates {
  certificate_id: string;
  company_id: string;
  /** A client has one at a time. */
  client_id: string;
  /** The private key and the certificates, as PEM in JSON. */
  secret: Encrypted;
  /** The CNPJ in the certificate, without punctuation; empty for that of a person, whose CPF is in the secret alone. */
  cnpj: string;
  holder: string;
  issuer: string;
  /** SHA-256 of the certificate in hex. */
  fingerprint: string;
  valid_from: Millis;
  valid_to: Millis;
  /** The next day on which people are told that it ends; empty for none. */
  next_notice_on: string;
  /** Why the authority has refused it, by its number: it is not used until somebody decides; empty otherwise. */
  refused_code: string;
  stored_by: string;
  stored_at: Millis;
}

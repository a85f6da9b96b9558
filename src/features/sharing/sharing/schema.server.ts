import type { Generated } from 'kysely';
import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  shares: {
    key: ['share_id'],
    encrypted: { subject: 'always', message: 'always' },
    ofClient: { exported: 'shares.csv' },
  },
  share_items: { key: ['share_id', 'document_id'], ofClient: { exported: 'shared-items.csv' } },
  share_containers: { key: ['share_id', 'container_id'], ofClient: { exported: 'shared-items.csv' } },
  share_clients: {
    key: ['client_id', 'share_id'],
    ofClient: { exported: 'shares.csv', merged: 'united', kept: 'with client' },
  },
  share_recipients: {
    key: ['recipient_id'],
    encrypted: { email: 'always', name: 'some rows' },
    ofClient: { exported: 'share-recipients.csv' },
  },
  share_visits: {
    key: ['visit_hash'],
    ofClient: { exported: { not: 'A browser in which a link is open.' } },
  },
  share_openings: {
    key: ['recipient_id'],
    ofClient: {
      exported: { not: 'What its sender has not seen yet; the recipients have when they opened it.' },
    },
  },
  share_domains: { key: ['company_id', 'domain'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    shares: Shares;
    share_items: ShareItems;
    share_containers: ShareContainers;
    share_clients: ShareClients;
    share_recipients: ShareRecipients;
    share_visits: ShareVisits;
    share_openings: ShareOpenings;
    share_domains: ShareDomains;
  }
}

interface Shares {
  share_id: string;
  company_id: string;
  sender_contact_id: string;
  subject: Encrypted;
  message: Encrypted;
  language: string;
  code_hash: string | null;
  created_at: Millis;
  expires_at: Millis;
  revoked_at: Millis | null;
  /** Maximum downloads per recipient; null for unlimited. */
  max_downloads: Generated<number | null>;
}

interface ShareItems {
  share_id: string;
  document_id: string;
}

/** A shared project or folder, with its content at the time the link is opened. */
interface ShareContainers {
  share_id: string;
  container_id: string;
}

/** The clients whose documents a share includes. */
interface ShareClients {
  share_id: string;
  client_id: string;
}

interface ShareRecipients {
  recipient_id: string;
  share_id: string;
  email: Encrypted;
  /** The name that stood before the address, a label for the sender. */
  name: Encrypted<string | null>;
  token_hash: string;
  opens: number;
  first_opened_at: Millis | null;
  code_tries: number;
  code_paused_until: Millis | null;
  asked_again_at: Millis | null;
  revoked_at: Generated<Millis | null>;
  last_opened_at: Generated<Millis | null>;
  downloads: Generated<number>;
}

interface ShareVisits {
  visit_hash: string;
  recipient_id: string;
  expires_at: Millis;
}

/** A link that was opened for the first time, until its sender has seen that in the list of shares. */
interface ShareOpenings {
  recipient_id: string;
  /** The sender. */
  contact_id: string;
  opened_at: Millis;
  /** Whether the sender has had a message about it. */
  is_announced: Generated<Bit>;
}

/**
 * The domains that a firm may share with, as `example.com` or `*.example.com` in ASCII; without any, all are
 * allowed.
 */
interface ShareDomains {
  company_id: string;
  domain: string;
}

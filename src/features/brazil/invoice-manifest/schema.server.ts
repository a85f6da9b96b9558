import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { Intent, Status } from './invoice-manifest.ts';
import type { ManifestEvent } from './rules.ts';

export const tables = {
  manifest_settings: { key: ['company_id'] },
  manifest_documents: {
    key: ['manifest_id'],
    ofClient: { exported: 'invoices-to-manifest.csv', merged: 'united', kept: 'always' },
  },
  manifest_intents: {
    key: ['intent_id'],
    encrypted: { justification: 'always', reason: 'always' },
    ofClient: { exported: 'manifest-intents.csv', merged: 'united', kept: 'always' },
  },
  manifest_events: {
    key: ['event_id'],
    ofClient: { exported: 'manifest-events.csv', merged: 'united', kept: 'always' },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    manifest_settings: ManifestSettings;
    manifest_documents: ManifestDocuments;
    manifest_intents: ManifestIntents;
    manifest_events: ManifestEvents;
  }
}

interface ManifestSettings {
  company_id: string;
  /** People are reminded of invoices from this value on. */
  remind_from_cents: number;
  changed_at: Millis;
  changed_by: string;
}

/** An NF-e of somebody else, addressed to the client. */
interface ManifestDocuments {
  manifest_id: string;
  company_id: string;
  client_id: string;
  access_key: string;
  number: number | null;
  series: string;
  /** The CNPJ of the issuer, empty for people; its name, and that folded. */
  issuer_id: string;
  issuer_name: string;
  issuer_key: string;
  issued_at: Millis;
  authorized_at: Millis;
  total_cents: number;
  /** The last day on which it can be manifested, `2026-11-27`. */
  last_day: string;
  /** The next day on which people are reminded of it; empty for none. */
  next_reminder_on: string;
  /** The document of the archive; null while only a summary is known. */
  document_id: string | null;
  /** An invoice that expired is `pending` or `aware`. */
  status: Exclude<Status, 'expired'>;
  intent: Intent;
  /** The open intent. */
  intent_id: string | null;
  version: number;
  created_at: Millis;
  changed_at: Millis;
}

/** What somebody wanted to be told to the authority. */
export interface ManifestIntents {
  intent_id: string;
  manifest_id: string;
  company_id: string;
  client_id: string;
  event: ManifestEvent;
  justification: Encrypted;
  by_staff: Bit;
  marked_by: string;
  marked_at: Millis;
  /** Who accepted or refused it. */
  decided_by: string | null;
  decided_at: Millis | null;
  /** Why it was refused. */
  reason: Encrypted;
  state: 'marked' | 'accepted' | 'withdrawn' | 'superseded' | 'refused' | 'registered' | 'void';
  receipt: number | null;
}

/** An event that the authority has registered. */
export interface ManifestEvents {
  event_id: string;
  manifest_id: string;
  company_id: string;
  client_id: string;
  event: ManifestEvent;
  sequence: number;
  /** How it is known: somebody typed its protocol, or its file is in the archive. */
  source: 'typed' | 'archive';
  protocol: string;
  registered_at: Millis;
  intent_id: string | null;
  /** Who typed it. */
  recorded_by: string | null;
  recorded_at: Millis;
}

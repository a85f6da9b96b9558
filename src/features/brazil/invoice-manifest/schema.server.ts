import type { Generated } from 'kysely';
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
  manifest_sendings: {
    key: ['intent_id'],
    encrypted: { xml: 'always' },
    ofClient: {
      exported: { not: 'What was sent is in manifest-events.csv once it is registered.' },
      merged: 'united',
      kept: 'always',
    },
  },
  manifest_early_events: {
    key: ['client_id', 'access_key', 'type', 'sequence'],
    ofClient: {
      exported: { not: 'Events of invoices that are not known yet.' },
      merged: 'united',
      kept: 'with client',
    },
  },
  manifest_cursors: {
    key: ['client_id', 'cnpj'],
    ofClient: {
      exported: { not: 'How far the authority was asked, which means nothing elsewhere.' },
      merged: 'united',
      kept: 'with client',
    },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    manifest_settings: ManifestSettings;
    manifest_documents: ManifestDocuments;
    manifest_intents: ManifestIntents;
    manifest_events: ManifestEvents;
    manifest_sendings: ManifestSendings;
    manifest_early_events: ManifestEarlyEvents;
    manifest_cursors: ManifestCursors;
  }
}

interface ManifestSettings {
  company_id: string;
  /** People are reminded of invoices from this value on. */
  remind_from_cents: number;
  /** Whether awareness of invoices is registered automatically, so that the authority gives their XML. */
  is_aware_automatic: Generated<Bit>;
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
  /** The CNPJ that received it, where the authority has said so; `cpf` for the client's own CPF; empty otherwise. */
  recipient_id: Generated<string>;
  /** Whether the authority has said that the issuer cancelled it. */
  is_cancelled: Generated<Bit>;
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
  state:
    | 'marked'
    | 'accepted'
    | 'sending'
    | 'rejected'
    | 'withdrawn'
    | 'superseded'
    | 'refused'
    | 'registered'
    | 'void';
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
  /** How it is known: somebody typed its protocol, its file is in the archive, or the authority has said so. */
  source: 'typed' | 'archive' | 'authority';
  protocol: string;
  registered_at: Millis;
  intent_id: string | null;
  /** Who typed it. */
  recorded_by: string | null;
  recorded_at: Millis;
}

/** An event that is sent to the authority for an accepted intent. */
interface ManifestSendings {
  intent_id: string;
  manifest_id: string;
  company_id: string;
  client_id: string;
  /** The `Id` of the event, the number of its request, and the signed event: the same bytes each time. */
  event_id: string;
  lot: string;
  xml: Encrypted;
  sequence: number;
  /**
   * `sending`: on its way, or its answer was lost with the process. `unclear`: the authority is asked whether it has it.
   * `waiting`: it surely has it not, and gets it later.
   */
  state: 'sending' | 'unclear' | 'waiting' | 'registered' | 'rejected';
  attempts: number;
  /** How often in a row the authority had it not. */
  looks: number;
  sent_at: Millis;
  /** When it goes on; null once it is over. */
  next_at: Millis | null;
  /** The number and the words of the last answer; empty without one. */
  code: string;
  reason: string;
}

/** What the authority has said about an invoice of which nothing else is known yet. */
export interface ManifestEarlyEvents {
  client_id: string;
  access_key: string;
  /** The authority's number of the event. */
  type: string;
  sequence: number;
  company_id: string;
  /** The CNPJ of who said so; empty for people. */
  author: string;
  protocol: string;
  registered_at: Millis;
  stored_at: Millis;
}

/** How far the authority was asked for the invoices of a CNPJ of a client, or of its CPF. */
interface ManifestCursors {
  client_id: string;
  /** `cpf` for the client's own CPF. */
  cnpj: string;
  company_id: string;
  environment: string;
  last_nsu: string;
  highest_nsu: string;
  next_at: Millis;
  asked_at: Millis | null;
  /** The number of the last answer; empty without one. */
  code: string;
}

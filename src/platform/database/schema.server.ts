import type { ColumnType, Generated } from 'kysely';
import type { MailKind, MailState, OptionalKind } from '../mail/mail-kinds.ts';

/*
 * The tables of the platform, and the types in which each feature declares its own, in its schema.server.ts.
 * For both engines: time is bigint milliseconds, a boolean is 0 or 1, JSON is text, and columns for
 * case-insensitive comparison are normalized in `*_key`.
 */

export type Bit = 0 | 1;
export type Millis = number;

/** Text encrypted at rest (docs/decisions/0017): write it with `encryptFor`, read it with `decryptFrom`. */
export interface Encrypted<Value extends string | null = string> extends ColumnType<Value, Value, Value> {
  readonly isEncrypted: true;
}

/** Every table with its columns; features add theirs. */
export interface Tables {
  settings: Settings;
  transaction_outcomes: TransactionOutcomes;
  nodes: Nodes;
  request_keys: RequestKeys;
  limits: Limits;
  blobs: Blobs;
  blob_parts: BlobParts;
  jobs: Jobs;
  mails: Mails;
  mail_targets: MailTargets;
  mail_links: MailLinks;
  notification_opt_outs: NotificationOptOuts;
  quiet_hours: QuietHours;
  daily_mail_kinds: DailyMailKinds;
  mail_times: MailTimes;
  contact_phrases: ContactPhrases;
  notices: Notices;
  audit_heads: AuditHeads;
  audit: Audit;
}

type ColumnOf<Row> = keyof Row & string;
type EncryptedIn<Row> = {
  [Column in ColumnOf<Row>]: Row[Column] extends { isEncrypted: true } ? Column : never;
}[ColumnOf<Row>];

/** `table.column` of every encrypted column. */
export type EncryptedColumn = {
  [Table in keyof Tables]: `${Table}.${EncryptedIn<Tables[Table]>}`;
}[keyof Tables];

interface NotDone {
  /** Why not, as a sentence. */
  readonly not: string;
}

/** In which file of an export of all data the rows of a table are. */
interface Exported {
  readonly exported: `${string}.${'csv' | 'jsonl'}` | NotDone;
}

/** What happens to the rows of a table that name a client. */
interface OfClient extends Exported {
  /**
   * In a merge of two clients: `follows` if each row gets the id of the other client (src/features/documents/merging does it);
   * `united` if what both have is combined, by merging or by its feature.
   */
  readonly merged: 'follows' | 'united' | NotDone;
  /** Until when: as long as the client, by the firm's retention rules for documents, for ever, or until something else. */
  readonly kept: 'with client' | 'by retention rules' | 'always' | { readonly until: string };
}

/** A table with clients must say what happens to their rows; one that belongs to a client by another row is found by a test. */
type AboutClients<Row> = 'client_id' extends keyof Row
  ? { readonly ofClient: OfClient }
  : { readonly ofClient?: Exported };

/**
 * A table by its key. Lists all encrypted columns, for key rotation and `npm run verify`: `always`, or `some
 * rows` if others have plain values. `maintained` columns are filled in by the database itself (numbers, and what
 * triggers count or take from other tables): a copy has its own. Rows are copied `inOrderOf` a column, else of the key.
 */
type TableDeclaration<Row> = {
  readonly key: readonly ColumnOf<Row>[];
  readonly maintained?: readonly ColumnOf<Row>[];
  readonly inOrderOf?: ColumnOf<Row>;
} & AboutClients<Row> &
  ([EncryptedIn<Row>] extends [never]
    ? { readonly encrypted?: never }
    : { readonly encrypted: Readonly<Record<EncryptedIn<Row>, 'always' | 'some rows'>> });

export type TableDeclarations = {
  readonly [Table in keyof Tables]?: TableDeclaration<Tables[Table]>;
};

/** Tables that reference no other. */
export const basicTables = {
  settings: { key: ['name'], encrypted: { value: 'some rows' } },
  nodes: { key: ['node_id'] },
  request_keys: { key: ['request_key'], encrypted: { answer: 'some rows' } },
  limits: { key: ['limit_key'] },
  blobs: { key: ['blob_key'], encrypted: { wrapped_key: 'some rows' } },
  blob_parts: { key: ['blob_key', 'number'] },
} as const satisfies TableDeclarations;

export const platformTables = {
  jobs: { key: ['job_id'], encrypted: { payload: 'some rows' } },
  mails: {
    key: ['mail_id'],
    encrypted: { recipient: 'always', subject: 'always', content: 'some rows' },
    ofClient: { exported: 'mails.csv', merged: 'follows', kept: { until: '180 days after it was queued' } },
  },
  mail_targets: {
    key: ['mail_id', 'target'],
    ofClient: { exported: { not: 'By what an email is marked as done.' } },
  },
  mail_links: { key: ['code'] },
  notification_opt_outs: { key: ['contact_id', 'kind'] },
  quiet_hours: { key: ['contact_id'] },
  daily_mail_kinds: { key: ['contact_id', 'kind'] },
  mail_times: { key: ['contact_id'] },
  contact_phrases: { key: ['contact_id'], encrypted: { phrase: 'always' } },
  notices: { key: ['notice_key'] },
  audit_heads: { key: ['company_id'] },
  audit: {
    key: ['company_id', 'seq'],
    ofClient: { exported: 'audit-log.csv', merged: { not: 'Hashes cover the client.' }, kept: 'always' },
  },
} as const satisfies TableDeclarations;

interface Settings {
  name: string;
  value: Encrypted;
}

/**
 * The outcome of recent transactions on PostgreSQL; one that was not committed can no longer be. It belongs to this
 * database alone: it is in no copy, and hidden from introspection.
 */
interface TransactionOutcomes {
  outcome_id: string;
  committed: Bit;
  at: Millis;
}

/** A start of the portal that runs, as far as the others know; times by the clock of the database. */
interface Nodes {
  node_id: string;
  started_at: Millis;
  seen_at: Millis;
}

/** A request with a key (idempotency.server.ts). */
interface RequestKeys {
  /** A digest of the key and of whose it is. */
  request_key: string;
  content_hash: string;
  /** The node that carries it out; empty when it failed without an effect, so that it may run again. */
  node_id: string;
  started_at: Millis;
  /** Whether a transaction of it was committed. */
  acted: Generated<Bit>;
  /** The response, once there is one. */
  answer: Encrypted<string | null>;
}

interface Limits {
  limit_key: string;
  used: number;
  resets_at: Millis;
}

interface Blobs {
  blob_key: string;
  size: number;
  /**
   * The key of the blob, encrypted; null for one that consists of others, and for blobs stored before encryption was
   * introduced.
   */
  wrapped_key: Encrypted<string | null>;
  /** How many blobs it consists of; 0 for one with bytes of its own in the store. */
  part_count: Generated<number>;
  created_at: Millis;
  /** When a read found the bytes missing or altered; null again once they could be read completely. */
  damaged_at: Generated<Millis | null>;
  /** When they were last read through without being requested, or stored. */
  checked_at: Generated<Millis>;
}

/** The blobs that a blob consists of: they have no other owner. */
interface BlobParts {
  blob_key: string;
  /** From 1, in the order of the bytes. */
  number: number;
  part_key: string;
}

interface Jobs {
  job_id: string;
  kind: string;
  payload: Encrypted;
  unique_key: string | null;
  run_at: Millis;
  attempts: number;
  last_error: string | null;
  created_at: Millis;
  done_at: Millis | null;
  /** The firm it belongs to; it waits while that firm is locked. */
  company_id: Generated<string | null>;
  /** The node that works at it (nodes.server.ts). */
  leased_by: Generated<string | null>;
}

/** Mails and their states (mail-log.server.ts). */
interface Mails {
  mail_id: string;
  mail_key: string;
  /** The sending firm; null for mails to people with several firms or none. */
  company_id: string | null;
  contact_id: string | null;
  client_id: string | null;
  kind: MailKind;
  recipient: Encrypted;
  recipient_key: string;
  subject: Encrypted;
  /** The text, to send it again; null if it contains a secret. */
  content: Encrypted<string | null>;
  language: string;
  state: MailState;
  /** Why it was not accepted so far, or bounced. */
  reason: string | null;
  queued_at: Millis;
  /** The end of the recipient's quiet hours, if it waits for them. */
  held_until: Millis | null;
  accepted_at: Millis | null;
  bounced_at: Millis | null;
  opened_at: Millis | null;
  done_at: Millis | null;
  /** What its footer tells the recipient to enter to check it (check-codes.server.ts); null for old ones. */
  check_code: string | null;
}

/** What mails are about, until it is done. */
interface MailTargets {
  mail_id: string;
  target: string;
}

/** The pages of the portal that short links in mails lead to. */
interface MailLinks {
  /** What the link has instead of the address. */
  code: string;
  mail_id: string;
  /** The address without the origin: its query names firm, client and mail. */
  page: string;
  created_at: number;
}

/** The kinds of emails that a person has turned off. */
interface NotificationOptOuts {
  contact_id: string;
  kind: OptionalKind;
  created_at: Millis;
}

/** The hours of the day (0 to 23) in which a person wants no optional emails; `until` may be the next morning. */
interface QuietHours {
  contact_id: string;
  from_hour: number;
  until_hour: number;
  time_zone: string;
}

/** The kinds of emails that a person gets together, once a day. */
interface DailyMailKinds {
  contact_id: string;
  kind: OptionalKind;
  created_at: Millis;
}

/** When a person gets optional emails. */
interface MailTimes {
  contact_id: string;
  /** The hour of the daily email (0 to 23). */
  daily_hour: number;
  time_zone: string;
  /** The last day without optional emails; null if they are not paused. */
  paused_until: string | null;
}

/** What a person recognizes the emails of the portal by (mail-phrases.server.ts). */
interface ContactPhrases {
  contact_id: string;
  phrase: Encrypted;
  changed_at: Millis;
}

/** Debounced notifications: when the last one was or is due, and up to when it covered events. */
interface Notices {
  notice_key: string;
  company_id: string;
  due_at: Millis;
  told_at: Millis;
}

interface AuditHeads {
  company_id: string;
  seq: number;
  hash: string;
  /** The number of receipts issued by the firm, and the hash of the last one. */
  receipts: Generated<number>;
  receipts_hash: Generated<string>;
}

interface Audit {
  company_id: string;
  seq: number;
  at: Millis;
  actor: string;
  action: string;
  target: string;
  details: string;
  hash: string;
  /** A copy of the client in the details, to find the entries of a client. */
  client_id: Generated<string | null>;
}

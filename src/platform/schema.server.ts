import type { Generated } from 'kysely';

/*
 * All tables, for both engines: time is bigint milliseconds, a boolean is 0 or 1, JSON is text, and columns
 * for case-insensitive comparison are normalized in `*_key`.
 */

type Bit = 0 | 1;
type Millis = number;

interface Firms {
  company_id: string;
  name: string;
  phone: string;
  email: string;
  language: string;
  locked: Bit;
  /** The IANA time zone of times in mails and receipts. */
  time_zone: Generated<string>;
  /** Who must use two-step sign-in, and from when. */
  second_step: Generated<'nobody' | 'staff' | 'everybody'>;
  second_step_from: Generated<Millis>;
}

interface Themes {
  company_id: string;
  header_fill_color: string;
  header_text_color: string;
  button_fill_color: string;
  button_text_color: string;
  header_line1: string;
  login_page_text: string;
  logo_key: string | null;
  logo_type: string | null;
  version: string;
  /** The banner shown in the header instead of the logo. */
  banner_key: string | null;
  banner_type: string | null;
  /** The page after sign-out; https, on one of LOGOUT_HOSTS. */
  logout_url: string | null;
  login_background: Generated<string>;
  /** An announcement shown to each contact once; empty for none. */
  announcement: Generated<string>;
}

interface Users {
  prism_guid: string;
  email: string;
  email_key: string;
  first_name: string;
  last_name: string;
  prefix: Generated<string>;
  middle_name: Generated<string>;
  suffix: Generated<string>;
  language: string;
  password_hash: string | null;
  mfa_required: Bit;
  created_at: Millis;
  /** The contact used last, which the next sign-in selects. */
  last_contact_id: string | null;
}

interface Contacts {
  contact_id: string;
  company_id: string;
  prism_guid: string;
  full_name: string;
  staff: Bit;
  created_at: Millis;
  /** A MAC of the row's access rights, which reveals rows that the portal did not write. */
  mac: Generated<string>;
}

interface Clients {
  client_id: string;
  company_id: string;
  name: string;
  name_key: string;
  code: string;
  code_key: string;
  kind: 'business' | 'individual';
  doing_business_as: string | null;
  /** The nickname that the client's contacts gave it. */
  nickname: string | null;
  nickname_key: string;
  created_at: Millis;
  modified_at: Millis;
}

interface ClientContacts {
  client_id: string;
  contact_id: string;
  mac: Generated<string>;
}

interface Containers {
  container_id: string;
  company_id: string;
  client_id: string;
  container_type: 'client' | 'project' | 'folder';
  parent_id: string | null;
  name: string;
  name_key: string;
  product_type: string | null;
  processing_year: number | null;
  /** The number of documents that are not deleted, maintained by triggers. */
  document_count: Generated<number>;
  created_by: string;
  created_at: Millis;
  modified_at: Millis;
}

/** The role of a contact in a container and its descendants, where the firm assigned one. */
interface ContainerRoles {
  container_id: string;
  contact_id: string;
  role: 'Owner' | 'Contributor';
}

/** Locks on containers and documents; a `Read` lock of level `Master` makes the item read-only. */
interface ItemLocks {
  item_id: string;
  kind: 'Read';
  level: 'Master';
  client_id: string;
  locked_by: string;
  locked_at: Millis;
}

interface Documents {
  document_id: string;
  seq: Generated<number>;
  company_id: string;
  client_id: string;
  container_id: string;
  name: string;
  name_key: string;
  mime_type: string;
  size: number;
  sha256: string;
  crc32: number;
  blob_key: string;
  created_by: string;
  uploaded_by_staff: Bit;
  created_at: Millis;
  modified_at: Millis;
  deleted_at: Millis | null;
  /** Who deleted it. */
  deleted_by: string | null;
  /** When bytes and name were purged; the row stays because others reference it. */
  purged_at: Millis | null;
  /** The number of comments, maintained by triggers. */
  comments_count: Generated<number>;
  /** The result of the virus scan; null without a scanner. `unscanned` means too large. */
  scan: Generated<'pending' | 'clean' | 'infected' | 'unscanned' | null>;
}

/** Comments of clients and staff on a document. `body` is encrypted. */
interface Comments {
  comment_id: string;
  company_id: string;
  client_id: string;
  document_id: string;
  body: string;
  created_by: string;
  by_staff: Bit;
  created_at: Millis;
}

/**
 * Metadata of a document, set by API clients; `document_created_at` is a copy, to find the newest documents
 * with a value.
 */
interface ItemMetadata {
  document_id: string;
  client_id: string;
  meta_key: string;
  meta_value: string;
  document_created_at: Millis;
}

/** Uploaded documents to notify the other side of, once; `told_at` is null until the mail is queued. */
interface UploadNotices {
  document_id: string;
  company_id: string;
  container_id: string;
  created_by: string;
  by_staff: Bit;
  created_at: Millis;
  told_at: Millis | null;
}

/** Debounced notifications: when the last one was or is due, and up to when it covered events. */
interface Notices {
  notice_key: string;
  company_id: string;
  due_at: Millis;
  told_at: Millis;
}

interface DocumentReads {
  document_id: string;
  contact_id: string;
  read_at: Millis;
}

interface Sessions {
  session_hash: string;
  prism_guid: string;
  contact_id: string;
  company_id: string;
  amr: string;
  created_at: Millis;
  last_seen_at: Millis;
  /** When the person last authenticated. */
  authenticated_at: Millis;
  /** Browser and network at sign-in, encrypted JSON, for the person's own list of sessions. */
  device: string;
  /** Set while a staff member impersonates `contact_id`: who, why (encrypted), until when. */
  viewer_contact_id: string | null;
  view_reason: string | null;
  view_until: Millis | null;
}

/**
 * A firm's settings for access controls, permissions and flags; `contact_id` is empty for settings that apply
 * to everybody.
 */
interface AccessSettings {
  company_id: string;
  contact_id: string;
  kind: 'control' | 'permission' | 'flag';
  name: string;
  granted: Bit;
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
  fields: string;
  expires_at: Millis;
}

/** Password reset links; at most one per person. */
interface PasswordResets {
  reset_id: string;
  prism_guid: string;
  token_hash: string;
  expires_at: Millis;
}

/** Invitations to become a contact. */
interface Invitations {
  invitation_id: string;
  company_id: string;
  email: string;
  email_key: string;
  first_name: string;
  last_name: string;
  language: string;
  client_ids: string;
  token_hash: string;
  invited_by: string;
  created_at: Millis;
  sent_at: Millis;
  expires_at: Millis;
  accepted_at: Millis | null;
  revoked_at: Millis | null;
}

/** Recovery codes that staff give a contact by phone; at most one per contact. */
interface RescueCodes {
  contact_id: string;
  prism_guid: string;
  code_hash: string;
  issued_by: string;
  expires_at: Millis;
}

/** Keyed digests of a user and a device used for sign-in. */
interface KnownDevices {
  device_key: string;
  prism_guid: string;
  last_at: Millis;
}

interface SignInTransactions {
  transaction_hash: string;
  state: string;
  nonce: string;
  code_verifier: string;
  redirect_uri: string;
  return_to: string;
  /** JSON, encrypted; null for a plain sign-in. */
  purpose: string | null;
  expires_at: Millis;
}

interface LoginTickets {
  ticket_hash: string;
  prism_guid: string;
  /** JSON: authentication methods (RFC 8176). */
  amr: Generated<string>;
  expires_at: Millis;
}

/** The authenticator app of a user; active once confirmed. */
interface TotpSecrets {
  prism_guid: string;
  secret: string;
  /** The last accepted time step, so that no code works twice. */
  last_step: number;
  created_at: Millis;
  confirmed_at: Millis | null;
}

interface Passkeys {
  credential_id: string;
  prism_guid: string;
  name: string;
  /** SubjectPublicKeyInfo, base64url. */
  public_key: string;
  algorithm: string;
  counter: number;
  created_at: Millis;
  used_at: Millis | null;
}

interface PasskeyChallenges {
  challenge_hash: string;
  expires_at: Millis;
}

interface RecoveryCodes {
  code_hash: string;
  prism_guid: string;
  created_at: Millis;
}

/** A sign-in with a correct password that awaits the second step. */
interface PendingSignIns {
  pending_hash: string;
  prism_guid: string;
  amr: string;
  return_to: string;
  expires_at: Millis;
}

/** The user of an account at an external issuer; `subject_key` is a blind index of its subject. */
interface Identities {
  issuer: string;
  subject_key: string;
  prism_guid: string;
  linked_at: Millis;
}

interface OidcPayloads {
  model: string;
  id: string;
  payload: string;
  grant_id: string | null;
  uid: string | null;
  consumed_at: Millis | null;
  expires_at: Millis | null;
}

interface Shares {
  share_id: string;
  company_id: string;
  sender_contact_id: string;
  subject: string;
  message: string;
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
  email: string;
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

interface Jobs {
  job_id: string;
  kind: string;
  payload: string;
  unique_key: string | null;
  run_at: Millis;
  attempts: number;
  last_error: string | null;
  created_at: Millis;
  done_at: Millis | null;
  /** The firm it belongs to; it waits while that firm is locked. */
  company_id: Generated<string | null>;
}

interface Limits {
  limit_key: string;
  used: number;
  resets_at: Millis;
}

interface Settings {
  name: string;
  value: string;
}

interface Blobs {
  blob_key: string;
  size: number;
  /** The key of the blob, encrypted; null for blobs stored before encryption was introduced. */
  wrapped_key: string | null;
  created_at: Millis;
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

/** Why a staff member impersonated a contact; start and end are in the audit log. */
interface Views {
  view_id: string;
  company_id: string;
  staff_contact_id: string;
  contact_id: string;
  reason: string;
  started_at: Millis;
}

/** A receipt of a firm for bytes that it received, sent or removed. It outlives the document. */
interface Receipts {
  company_id: string;
  /** Numbered per firm, from 1, without gaps. */
  number: number;
  kind: 'upload' | 'delete' | 'share' | 'download';
  document_id: string;
  client_id: string;
  name: string;
  size: number;
  sha256: string;
  /** The contact who acted, or the recipient of a link. */
  actor: string;
  at: Millis;
  /** The code required, besides the number, for public verification. */
  code: string;
  /** Covers the previous receipt. */
  hash: string;
}

/** An export of documents as one archive: checked one by one, and written when it is downloaded. */
interface Exports {
  export_id: string;
  company_id: string;
  contact_id: string;
  status: 'PENDING' | 'SUCCESS' | 'PARTIAL_SUCCESS' | 'ERROR' | 'CANCELLED';
  /** JSON: id and name of each document, in the requested order. */
  files: string;
  /** JSON: indexes in `files` of the unavailable ones. */
  missing: string;
  checked: number;
  total: number;
  /** Bytes of the available documents checked so far. */
  size: number;
  created_at: Millis;
  ends_at: Millis;
  /** When its job last made progress; null while it is queued. */
  moved_at: Generated<Millis | null>;
}

/**
 * The domains that a firm may share with, as `example.com` or `*.example.com` in ASCII; without any, all are
 * allowed.
 */
interface ShareDomains {
  company_id: string;
  domain: string;
}

/** A resumable upload. Open until `document_id` is set or it expires. */
interface Uploads {
  upload_id: string;
  company_id: string;
  client_id: string;
  contact_id: string;
  /** The requested target; with `into_uploads`, the client's upload folder. */
  container_id: string;
  container_type: 'Client' | 'Project' | 'Folder';
  into_uploads: Bit;
  name: string;
  on_conflict: 'rename' | 'fail';
  size: number;
  /** Bytes of the parts received. */
  received: number;
  parts: number;
  /** The file's last modification time in the browser, which recognizes it by this, its name and its size. */
  last_modified: Millis | null;
  created_at: Millis;
  expires_at: Millis;
  document_id: string | null;
}

interface UploadParts {
  upload_id: string;
  /** From 1, in the order of the file. */
  number: number;
  size: number;
  blob_key: string;
}

interface Mailbox {
  mail_id: string;
  received_at: Millis;
  recipients: string;
  raw: string;
}

export interface Tables {
  firms: Firms;
  themes: Themes;
  users: Users;
  contacts: Contacts;
  clients: Clients;
  client_contacts: ClientContacts;
  containers: Containers;
  container_roles: ContainerRoles;
  item_locks: ItemLocks;
  documents: Documents;
  document_reads: DocumentReads;
  comments: Comments;
  item_metadata: ItemMetadata;
  upload_notices: UploadNotices;
  notices: Notices;
  sessions: Sessions;
  access_settings: AccessSettings;
  terms: Terms;
  terms_acceptances: TermsAcceptances;
  long_tokens: LongTokens;
  ended_sessions: EndedSessions;
  kept_forms: KeptForms;
  password_resets: PasswordResets;
  invitations: Invitations;
  rescue_codes: RescueCodes;
  known_devices: KnownDevices;
  sign_in_transactions: SignInTransactions;
  login_tickets: LoginTickets;
  totp_secrets: TotpSecrets;
  passkeys: Passkeys;
  passkey_challenges: PasskeyChallenges;
  recovery_codes: RecoveryCodes;
  pending_sign_ins: PendingSignIns;
  identities: Identities;
  oidc_payloads: OidcPayloads;
  shares: Shares;
  share_items: ShareItems;
  share_recipients: ShareRecipients;
  share_containers: ShareContainers;
  share_clients: ShareClients;
  share_visits: ShareVisits;
  jobs: Jobs;
  limits: Limits;
  settings: Settings;
  mailbox: Mailbox;
  blobs: Blobs;
  audit_heads: AuditHeads;
  audit: Audit;
  views: Views;
  receipts: Receipts;
  exports: Exports;
  share_domains: ShareDomains;
  uploads: Uploads;
  upload_parts: UploadParts;
}

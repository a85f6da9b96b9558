import type { Generated } from 'kysely';

/*
 * Every table, once, for both engines: time is bigint milliseconds, a boolean is 0 or 1, JSON is text, and what is compared without
 * regard to case has a folded `*_key` beside it (architecture.md, Two engines).
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
  /** The banner that stands in the header instead of the logo. */
  banner_key: string | null;
  banner_type: string | null;
  /** Where people go after signing out; https, of LOGOUT_HOSTS. */
  logout_url: string | null;
  login_background: Generated<string>;
  /** What the firm tells contacts once; empty when there is nothing. */
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
  /** The contact as whom they were here last: the next sign-in enters that one. */
  last_contact_id: string | null;
}

interface Contacts {
  contact_id: string;
  company_id: string;
  prism_guid: string;
  full_name: string;
  staff: Bit;
  created_at: Millis;
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
  /** What those who act for the client call it among themselves. */
  nickname: string | null;
  nickname_key: string;
  created_at: Millis;
  modified_at: Millis;
}

interface ClientContacts {
  client_id: string;
  contact_id: string;
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
  /** Its documents that are not deleted; the database itself keeps it. */
  document_count: Generated<number>;
  created_by: string;
  created_at: Millis;
  modified_at: Millis;
}

/** What a contact is in a container and in those below it, where the firm said so. */
interface ContainerRoles {
  container_id: string;
  contact_id: string;
  role: 'Owner' | 'Contributor';
}

/** Locks on containers and documents; a `Read` lock of level `Master` freezes the item. */
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
  /** Who put it into the trash. */
  deleted_by: string | null;
  /** When its bytes and its name were removed for good; the row stays, for what names it. */
  purged_at: Millis | null;
  /** Its comments; the database itself keeps it. */
  comments_count: Generated<number>;
  /** What the virus scanner said; null where none was asked. `unscanned` is too large for it. */
  scan: Generated<'pending' | 'clean' | 'infected' | 'unscanned' | null>;
}

/** What the client's people and the firm write to each other about a document. `body` is sealed. */
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

/** What programs note about a document; the newest documents with a value are found by `document_created_at`, which repeats theirs. */
interface ItemMetadata {
  document_id: string;
  client_id: string;
  meta_key: string;
  meta_value: string;
  document_created_at: Millis;
}

/** Documents whose arrival the other side is told of, once; `told_at` is null until the mail is in the outbox. */
interface UploadNotices {
  document_id: string;
  company_id: string;
  container_id: string;
  created_by: string;
  by_staff: Bit;
  created_at: Millis;
  told_at: Millis | null;
}

/** Notices that must not come too often: when the last one was or is due, and up to when it told. */
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
  /** When the person last proved who they are. */
  authenticated_at: Millis;
  /** The browser and network it was started from, sealed JSON, for the person's own list of devices. */
  device: string;
  /** Set while a member of staff looks as `contact_id`: who, why (sealed), until when. */
  viewer_contact_id: string | null;
  view_reason: string | null;
  view_until: Millis | null;
}

/** What a firm decided about access controls, permissions and flags; `contact_id` is empty where it holds for everybody. */
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

/** Who accepted which terms, and in which language they were read. */
interface TermsAcceptances {
  company_id: string;
  contact_id: string;
  version: number;
  language: string;
  sha256: string;
  accepted_at: Millis;
}

/** A long token of a contact, by its hash: a `link` is redeemed once, an `api` token signs calls in until it expires. */
interface LongTokens {
  token_hash: string;
  token_id: string;
  kind: 'link' | 'api';
  prism_guid: string;
  contact_id: string;
  company_id: string;
  /** What the session that issued it had proved: how, when, and since when it lives. */
  amr: string;
  authenticated_at: Millis;
  session_since: Millis;
  created_at: Millis;
  expires_at: Millis;
  used_at: Millis | null;
}

/** Sessions that ended by themselves, for a while: whose typed text may still come in. */
interface EndedSessions {
  session_hash: string;
  contact_id: string;
  ended_at: Millis;
}

/** What somebody posted when their session had ended: the fields (sealed JSON), for them alone, until they signed in again. */
interface KeptForms {
  form_hash: string;
  contact_id: string;
  path: string;
  fields: string;
  expires_at: Millis;
}

/** Links that set a new password; a person has at most one. */
interface PasswordResets {
  reset_id: string;
  prism_guid: string;
  token_hash: string;
  expires_at: Millis;
}

/** Whom a firm asked to become a contact. `email` is sealed, `client_ids` a JSON list. */
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

/** Codes that staff tell a contact by phone; a contact has at most one. */
interface RescueCodes {
  contact_id: string;
  prism_guid: string;
  code_hash: string;
  issued_by: string;
  expires_at: Millis;
}

/** Keyed digests of user and network from which they signed in. */
interface KnownNetworks {
  network_key: string;
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
  expires_at: Millis;
}

interface LoginTickets {
  ticket_hash: string;
  prism_guid: string;
  /** JSON: how the person proved who they are (RFC 8176). */
  amr: Generated<string>;
  expires_at: Millis;
}

/** The authenticator app of a user; it counts once it is confirmed. */
interface TotpSecrets {
  prism_guid: string;
  secret: string;
  /** The last time step whose code was accepted: no code works twice. */
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

/** A sign-in whose password was right and whose second step is missing. */
interface PendingSignIns {
  pending_hash: string;
  prism_guid: string;
  amr: string;
  return_to: string;
  expires_at: Millis;
}

/** Who a person of an external issuer is here; `subject_key` is a blind index of their name there. */
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
  /** How often each recipient may fetch something; null for as often as they like. */
  max_downloads: Generated<number | null>;
}

interface ShareItems {
  share_id: string;
  document_id: string;
}

/** A project or folder that is shared with all that stands in it when the link is opened. */
interface ShareContainers {
  share_id: string;
  container_id: string;
}

/** The clients whose papers a share was sent of. */
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
  /** The firm that it is done for: while that firm is locked, it waits. */
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
  /** The blob's own key, sealed; null for what was stored before blobs were encrypted. */
  wrapped_key: string | null;
  created_at: Millis;
}

interface AuditHeads {
  company_id: string;
  seq: number;
  hash: string;
  /** How many receipts the firm has issued, and the hash of the last one. */
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
  /** Repeats the client that stands in the details, to find a client's entries by. */
  client_id: Generated<string | null>;
}

/** Why a member of staff looked as a contact; when it began and ended stands in the audit trail. */
interface Views {
  view_id: string;
  company_id: string;
  staff_contact_id: string;
  contact_id: string;
  reason: string;
  started_at: Millis;
}

/** What a firm confirms: that it took in, gave out or removed these bytes. It stays when the document is gone. */
interface Receipts {
  company_id: string;
  /** Counted per firm, from 1, without gaps. */
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
  /** What a stranger must know besides the number to have it verified. */
  code: string;
  /** Covers the receipt before it. */
  hash: string;
}

/** Documents that somebody fetches as one archive: checked one after the other, and written when it is fetched. */
interface Exports {
  export_id: string;
  company_id: string;
  contact_id: string;
  status: 'PENDING' | 'SUCCESS' | 'PARTIAL_SUCCESS' | 'ERROR' | 'CANCELLED';
  /** JSON: id and name of each document, in the order asked for. */
  files: string;
  /** JSON: places in `files` of those that cannot be had. */
  missing: string;
  checked: number;
  total: number;
  /** Bytes of what was checked and can be had. */
  size: number;
  created_at: Millis;
  ends_at: Millis;
  /** When its job last went on; null while it waits in line. */
  moved_at: Generated<Millis | null>;
}

/** The domains that people of a firm may share with, as `example.com` or `*.example.com` in ASCII; with none of them all. */
interface ShareDomains {
  company_id: string;
  domain: string;
}

/** A file that comes in parts. It is open until `document_id` says what it became, or its time is over. */
interface Uploads {
  upload_id: string;
  company_id: string;
  client_id: string;
  contact_id: string;
  /** Where it goes, as it was asked for; with `into_uploads` into the folder of the client's uploads. */
  container_id: string;
  container_type: 'Client' | 'Project' | 'Folder';
  into_uploads: Bit;
  name: string;
  on_conflict: 'rename' | 'fail';
  size: number;
  /** Bytes of the parts that are kept. */
  received: number;
  parts: number;
  /** When the file was last changed where it comes from: by it, its name and its size a browser knows it again. */
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
  known_networks: KnownNetworks;
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

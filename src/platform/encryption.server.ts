import { encrypt, decrypt } from './crypto.server.ts';

/**
 * Every column that is encrypted at rest, with the columns that identify its row (docs/decisions/0017). Write
 * them with {@link encryptFor}; key rotation re-encrypts them.
 */
export const ENCRYPTED_COLUMNS = {
  'users.email': ['prism_guid'],
  'sessions.device': ['session_hash'],
  'sessions.view_reason': ['session_hash'],
  'kept_forms.fields': ['form_hash'],
  'totp_secrets.secret': ['prism_guid'],
  'invitations.email': ['invitation_id'],
  'comments.body': ['comment_id'],
  'shares.subject': ['share_id'],
  'shares.message': ['share_id'],
  'share_recipients.email': ['recipient_id'],
  'jobs.payload': ['job_id'],
  'oidc_payloads.payload': ['model', 'id'],
  'sign_in_transactions.purpose': ['transaction_hash'],
  'settings.value': ['name'],
  'blobs.wrapped_key': ['blob_key'],
  'mailbox.recipients': ['mail_id'],
  'mailbox.raw': ['mail_id'],
  'views.reason': ['view_id'],
} as const satisfies Record<`${string}.${string}`, readonly string[]>;

export type EncryptedColumn = keyof typeof ENCRYPTED_COLUMNS;

/** Encrypts the value of a column, bound to its row: the id, joined by `/` where it has two columns. */
export const encryptFor = (column: EncryptedColumn, row: string, text: string): string =>
  encrypt(text, `${column}:${row}`);
export const decryptFrom = (column: EncryptedColumn, row: string, encrypted: string): string =>
  decrypt(encrypted, `${column}:${row}`);

import { seal, unseal } from './crypto.server.ts';

/**
 * Every column that is encrypted at rest, with the columns that name its row (docs/decisions/0017). Who writes one goes through
 * {@link sealFor}; a change of keys goes through them all.
 */
export const SEALED = {
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
  'settings.value': ['name'],
  'blobs.wrapped_key': ['blob_key'],
  'mailbox.recipients': ['mail_id'],
  'mailbox.raw': ['mail_id'],
  'views.reason': ['view_id'],
} as const satisfies Record<`${string}.${string}`, readonly string[]>;

export type SealedColumn = keyof typeof SEALED;

/** Encrypts the value of a column, bound to its row; `row` is what names the row, joined by `/` where it takes two columns. */
export const sealFor = (column: SealedColumn, row: string, text: string): string => seal(text, `${column}:${row}`);
export const unsealFrom = (column: SealedColumn, row: string, sealed: string): string => unseal(sealed, `${column}:${row}`);

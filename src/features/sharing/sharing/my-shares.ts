import { z } from 'zod';
import { containerType } from '#features/documents/folders/folders.ts';
import { EXPIRATION_PERIODS } from './rules.ts';

/**
 * The query of 'Shared': the shares of one client, for staff optionally those of one sender. `pageNum`
 * counts from 1.
 */
export const shareQuery = z.strictObject({
  clientId: z.string().max(60),
  senderId: z.string().max(60).optional(),
  pageNum: z.coerce.number().int().min(1).max(100_000).default(1),
  pageSize: z.coerce.number().int().min(1).max(100).default(25),
});
export type ShareQuery = z.infer<typeof shareQuery>;

/** The period by which a share is extended, counted from now. */
export const extension = z.strictObject({ expirationPeriod: z.enum(EXPIRATION_PERIODS) });

/**
 * The state of a recipient's link. `revoked` means revoked or replaced; a mail is `failed` when it was given
 * up.
 */
const sentTo = z.strictObject({
  recipientId: z.string(),
  emailAddress: z.string(),
  /** The name that stood before the address; empty without one. */
  name: z.string(),
  status: z.enum(['queued', 'sent', 'failed', 'revoked']),
  opens: z.number().int(),
  lastOpenedAt: z.iso.datetime().nullable(),
  downloads: z.number().int(),
  asksForANewLink: z.boolean(),
});
export type SentTo = z.infer<typeof sentTo>;

/**
 * A share as its sender sees it. `documents` and `folders` are those that the caller may see now; `missing`
 * counts the others. Times are ISO 8601 in UTC.
 */
export const sentShare = z.strictObject({
  shareId: z.string(),
  subject: z.string(),
  sender: z.strictObject({ contactId: z.string(), fullName: z.string() }),
  /** True if the caller sent it: only the sender can extend it and send links again. */
  isOwn: z.boolean(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  state: z.enum(['open', 'expired', 'revoked']),
  requiresCode: z.boolean(),
  maxDownloads: z.number().int().nullable(),
  documents: z.array(z.strictObject({ documentId: z.string(), name: z.string() })),
  folders: z.array(z.strictObject({ containerId: z.string(), containerType, name: z.string() })),
  missing: z.number().int(),
  recipients: z.array(sentTo),
});
export type SentShare = z.infer<typeof sentShare>;

/** One line of 'Shared': a share and one of its recipients. */
export interface SentLink {
  share: SentShare;
  recipient: SentTo;
}

export const sharePage = z.strictObject({
  shares: z.array(sentShare),
  pageNum: z.number().int(),
  totalPages: z.number().int(),
  total: z.number().int(),
});
export type SharePage = z.infer<typeof sharePage>;

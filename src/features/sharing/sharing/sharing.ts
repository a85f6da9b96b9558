import { z } from 'zod';
import { emailAddress } from '#platform/inputs/line-schemas.ts';
import { MAX_ADDRESS_NAME } from '#platform/inputs/email-addresses.ts';
import { containerType } from '#features/documents/folders/folders.ts';
import { isGuessable, MIN_CODE, MAX_CODE, MAX_MESSAGE, MAX_RECIPIENTS, MAX_SUBJECT } from './rules.ts';

/**
 * The share request of the spec (spec 1, section 3). `authorizationCode` is never in the mail with the link.
 */
export const shareRequest = z.strictObject({
  expirationPeriod: z.enum(['AfterTwoWeeks', 'AfterOneWeek', 'AfterThreeDays', 'AfterOneDay']),
  language: z.string().max(20).optional(),
  locale: z.string().max(20).optional(),
  templateType: z.literal('DOCUMENTS').default('DOCUMENTS'),
  templateId: z.literal('CLIENT_SENDS_DOCUMENT_LINKS').default('CLIENT_SENDS_DOCUMENT_LINKS'),
  overrides: z.strictObject({
    subject: z.string().trim().min(1).max(MAX_SUBJECT),
    body: z.string().max(MAX_MESSAGE).default(''),
  }),
  recipients: z
    // the name is a label for the sender: the recipient does not see it
    .array(z.strictObject({ emailAddress, name: z.string().trim().max(MAX_ADDRESS_NAME).optional() }))
    .min(1)
    .max(MAX_RECIPIENTS + 1),
  sharedItems: z
    .array(
      // Without a document id the project or folder itself is shared, with its contents at the time the link
      // is opened.
      z
        .strictObject({
          containerType,
          containerId: z.string().max(60),
          documentId: z.string().max(60).optional(),
          name: z.string().max(300).optional(),
        })
        .refine(
          (item) => item.documentId !== undefined || item.containerType !== 'Client',
          'must name a document, a project or a folder',
        ),
    )
    .min(1)
    .max(200),
  /** In the spec this is the sender's own address; the server always takes it from the session. */
  variables: z.record(z.string(), z.string().max(300)).optional(),
  authorizationCode: z
    .string()
    .trim()
    .min(MIN_CODE)
    .max(MAX_CODE)
    .refine((code) => !isGuessable(code), 'is too easy to guess')
    .optional(),
  /** How often each recipient may download a file or the archive; unlimited if absent. */
  maxDownloads: z.number().int().min(1).max(1000).optional(),
});
export type ShareRequest = z.input<typeof shareRequest>;

/**
 * The response to sharing. `expiresAt` is ISO 8601 in UTC; a recipient is `queued` until the mail server
 * accepts the mail.
 */
export const shareAnswer = z.strictObject({
  shareId: z.string(),
  expiresAt: z.iso.datetime(),
  recipients: z.array(z.strictObject({ emailAddress: z.string(), status: z.enum(['queued']) })),
});
export type ShareAnswer = z.infer<typeof shareAnswer>;

export interface Sender {
  name: string;
  /** The client whose documents were shared, or the firm itself, if its staff shared them; otherwise the sender. */
  company: string;
  firmName: string;
  companyId: string;
}

export interface SharedFile {
  documentId: string;
  name: string;
  size: number;
  /** The names of the shared folder and its descendants on the path; empty for a document shared directly. */
  folder: readonly string[];
}

/** The public view of a link. */
export type ShareView =
  | { kind: 'unknown' }
  | { kind: 'over'; sender: Sender; askedAgain: boolean }
  | {
      kind: 'closed';
      sender: Sender;
      message: string;
      expiresAt: number;
      needsCode: boolean;
      files: SharedFile[] | undefined;
      fileCount: number;
      totalSize: number;
      isCut: boolean;
    }
  | {
      kind: 'open';
      sender: Sender;
      message: string;
      expiresAt: number;
      files: SharedFile[];
      /** False for a link with a limit of downloads: its documents are only downloaded. */
      canBeShown: boolean;
      totalSize: number;
      isCut: boolean;
    };

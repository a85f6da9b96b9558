import { z } from 'zod';

/* How fiscal documents come in: what was sent, and what became of each file. */

/** What became of a file. */
const OUTCOMES = ['stored', 'known', 'twin', 'event', 'other', 'elsewhere', 'setAside', 'refused'] as const;
export type ItemOutcome = (typeof OUTCOMES)[number];

/** Why a file was refused. */
export const REFUSALS = [
  'notXml',
  'doctype',
  'tooLarge',
  'tooDeep',
  'notRead',
  'encrypted',
  'damaged',
  'nested',
  'emptyArchive',
  'archiveTooLarge',
  'unsignedEvent',
  'mailTooLarge',
  'noFiles',
] as const;
export type Refusal = (typeof REFUSALS)[number];

const INTAKE_STATES = ['reading', 'done', 'interrupted'] as const;
export type IntakeState = (typeof INTAKE_STATES)[number];

export type Source = 'upload' | 'api' | 'authority' | 'folder' | 'mail';

/** Whether files came without a person who sends them: the portal takes them. */
export const isUnattended = (source: Source): source is 'folder' | 'mail' =>
  source === 'folder' || source === 'mail';

/** The largest file of an upload, which is an archive. */
export const MAX_UPLOAD = 500 * 1024 * 1024;
/** The most files of a request, besides those in archives. */
export const MAX_FILES = 1000;
/** The most files in an archive. */
export const MAX_ENTRIES = 50_000;

/** What the answer says of a file, as HTTP would of a request for it alone. */
export const STATUS_OF = {
  stored: 201,
  event: 201,
  other: 201,
  elsewhere: 201,
  known: 200,
  twin: 409,
  setAside: 202,
  refused: 422,
} as const satisfies Record<ItemOutcome, number>;

const item = z.strictObject({
  name: z.string(),
  status: z.number(),
  outcome: z.enum(OUTCOMES),
  /** Why it was refused. */
  code: z.string().optional(),
  /** The client that has it now, if that is another one. */
  clientId: z.string().optional(),
});

export const intakeAnswer = z.strictObject({
  data: z.strictObject({
    id: z.string(),
    state: z.enum(INTAKE_STATES),
    counts: z.partialRecord(z.enum(OUTCOMES), z.number()),
    /** The first 1,000 files; the others begin at `next`. */
    items: z.array(item),
    next: z.number().nullable(),
  }),
});
export type IntakeAnswer = z.infer<typeof intakeAnswer>;

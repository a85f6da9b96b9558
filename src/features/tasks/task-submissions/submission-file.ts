import { z } from 'zod';
import { freeObject, TASK_STATUSES, TASK_TYPES } from '#features/tasks/tasks/tasks.ts';

/*
 * The contract of the file with what a client submitted, for programs of the firm. Its format is named, so that a
 * program can refuse one that it does not know.
 */

export const SUBMISSION_FORMAT = 'answers/1';

const submittedAnswer = z.strictObject({
  /** The question: `section.question`, or `section.group.<row>.question`. */
  path: z.string(),
  /** The code that tax programs know the question by, such as `1040.digital-assets`. */
  tag: z.string().optional(),
  kind: z.string(),
  /** The question in the language of the file. */
  label: z.string(),
  /** Which row of a group it is in, such as "Dependent 2". */
  row: z.string().optional(),
  /**
   * The answer as it is stored: amounts in the minor unit of their currency, dates as `2026-02-28`, choices by their
   * keys, documents by their ids. Null for a sensitive answer, which is masked in `display`.
   */
  value: z.unknown(),
  isMasked: z.boolean(),
  /** The answer as a person reads it. */
  display: z.string(),
  /** `last-year` if the client confirmed the answer of the year before. */
  source: z.enum(['typed', 'last-year']),
});

const submittedFile = z.strictObject({
  path: z.string(),
  documentId: z.string(),
  name: z.string(),
  size: z.number().int(),
  sha256: z.string(),
});

export const submissionFile = z.strictObject({
  format: z.literal(SUBMISSION_FORMAT),
  language: z.string(),
  task: z.strictObject({
    taskId: z.string(),
    clientId: z.string(),
    client: z.string(),
    type: z.enum(TASK_TYPES),
    kind: z.string(),
    title: z.string(),
    taxYear: z.number().int().nullable(),
    status: z.enum(TASK_STATUSES),
  }),
  /** What was asked; null for a task without questions. */
  questionnaire: z.strictObject({ key: z.string(), sha256: z.string() }).nullable(),
  submission: z.strictObject({
    number: z.number().int(),
    submittedAt: z.string(),
    submittedBy: z.string(),
    /** The digest of the submission that its confirmation names. */
    sha256: z.string(),
    receipt: z.number().int().nullable(),
    decision: z.enum(['', 'accepted', 'returned']),
  }),
  /** In the order of the questions; only what applied and was answered. */
  answers: z.array(submittedAnswer),
  files: z.array(submittedFile),
  /** Sections that the client set to "does not apply". */
  notApplicable: z.array(z.strictObject({ section: z.string(), reason: z.string() })),
  comments: z.array(z.strictObject({ step: z.number().int(), text: z.string() })),
  /** The free objects of the task and its steps (spec 2 section 7). */
  data: freeObject,
  steps: z.array(z.strictObject({ number: z.number().int(), data: freeObject })),
});
export type SubmissionFile = z.infer<typeof submissionFile>;

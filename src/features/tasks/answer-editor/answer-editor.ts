import { z } from 'zod';
import { DEFAULT_LANG, LANGS } from '#platform/text/languages.ts';
import { MAX_CHANGES } from './rules.ts';

/*
 * The contract of the calls of an editor of answers: what a person enters, and what became of it. Each owner of answers
 * has calls of its own.
 */

/** What became of a posted section: answers that are wrong are saved as typed. */
export const savedSection = z.strictObject({
  problems: z.array(z.strictObject({ path: z.string(), code: z.string() })),
  /** Paths of answers that somebody else changed meanwhile; those are not saved. */
  conflicts: z.array(z.string()),
  documentIds: z.array(z.string()),
  refused: z.array(z.strictObject({ name: z.string(), code: z.string() })),
});

/** What a person enters, as an editor sends it while they type. */
export const answerChanges = z.strictObject({
  /** Identifies the tab: a later change of a tab replaces its earlier ones. */
  tab: z.string().regex(/^[\w-]{12,40}$/),
  /** The language whose separators numbers and dates are typed with, and of the texts of the answer. */
  language: z.enum(LANGS).default(DEFAULT_LANG),
  changes: z
    .array(
      z.strictObject({
        /** A question, the rows of a group (`section.group#order`), or a comment (`2#comment`). */
        path: z.string().min(1).max(130),
        /** Null empties it. What cannot be read is stored as it was typed. */
        value: z.unknown(),
        /** The version that it is based on; 0 for none. */
        base: z.number().int().min(0),
        /** The number of the change in its tab, counting up. */
        sequence: z.number().int().min(1),
        /** Of rows: the rows that the change is based on. */
        known: z.array(z.string().max(12)).max(200).optional(),
      }),
    )
    .min(1)
    .max(MAX_CHANGES),
});
export type AnswerChanges = z.input<typeof answerChanges>;
export type ParsedAnswerChanges = z.output<typeof answerChanges>;

const changeResult = z.strictObject({
  path: z.string(),
  /**
   * `superseded`: a later change of the tab arrived first. `conflict`: somebody else has changed the answer, so that
   * both are kept until one is chosen, by a change that is based on `version`. `refused`: it cannot be an answer.
   */
  result: z.enum(['saved', 'superseded', 'conflict', 'refused']),
  /** The version that is stored now. */
  version: z.number().int(),
  /** The entry of a list that was named. */
  entry: z.strictObject({ key: z.string(), text: z.string() }).optional(),
  /** What is wrong with the answer. */
  problem: z.strictObject({ path: z.string(), code: z.string(), text: z.string() }).optional(),
  conflict: z
    .strictObject({
      keptId: z.string(),
      /** Both answers as texts, sensitive ones masked. */
      stored: z.string(),
      kept: z.string(),
      /** Who entered the stored one, and when. */
      by: z.string(),
      isOwn: z.boolean(),
      at: z.string(),
    })
    .optional(),
});
export type ChangeResult = z.infer<typeof changeResult>;

export const changeResults = z.strictObject({ results: z.array(changeResult) });

/** What a person has typed to find an entry of a list. */
export const lookupQuery = z.strictObject({
  q: z.string().max(200).default(''),
  language: z.enum(LANGS).default(DEFAULT_LANG),
});

export const lookupEntries = z.strictObject({
  entries: z.array(
    z.strictObject({
      key: z.string(),
      text: z.string(),
      /** Tells it from entries with the same text. */
      note: z.string().optional(),
    }),
  ),
});
export type LookupEntries = z.infer<typeof lookupEntries>;

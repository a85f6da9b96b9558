import { z } from 'zod';
import { LANGS, type Lang } from '#platform/text/languages.ts';
import { MAX_ANSWER_LENGTH, MAX_MINUTES } from './answer-values.ts';
import { IDENTIFIER_SCHEMES } from './identifiers.ts';

/*
 * A questionnaire is data: sections of questions and repeating groups, in every language of the firm. Nothing in it is
 * run, so that a firm's own template can be checked completely when it is published (checks.server.ts).
 */

/** The size of a template as JSON, in bytes. */
export const MAX_TEMPLATE_SIZE = 256 * 1024;
export const MAX_QUESTIONS = 1500;

/** Identifies a section, a question, a group or a choice. Answers refer to it, so it never changes. */
const key = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/);

/** Plain text by language; `{taxYear}` stands for the year of the task. */
const text = z.partialRecord(z.enum(LANGS), z.string().trim().min(1).max(2000));

/** An earlier question: `key` in the same row or section, `section.key`, or `taxYear`. */
const reference = z.string().min(1).max(122);

const test = z.discriminatedUnion('op', [
  z.strictObject({ op: z.enum(['answered', 'notAnswered']), of: reference }),
  z.strictObject({
    op: z.enum(['is', 'isNot', 'atLeast', 'atMost', 'includes']),
    of: reference,
    value: z.union([z.string().max(200), z.number(), z.boolean()]),
  }),
]);

/** Shows what carries it only if all, or any, of its tests hold. */
const when = z.union([
  z.strictObject({ all: z.array(test).min(1).max(8) }),
  z.strictObject({ any: z.array(test).min(1).max(8) }),
]);

const shown = { key, label: text, when: when.optional() };

const tag = z.string().min(1).max(80).optional();

const asked = {
  ...shown,
  hint: text.optional(),
  /** Why the question is asked. */
  why: text.optional(),
  required: z.boolean().default(false),
  /** The code that tax and payroll programs know it by, such as `1040.digital-assets`. */
  tag,
  lastYear: z.enum(['off', 'show', 'prefill']).default('show'),
  sensitive: z.boolean().default(false),
  /** The document of the client that it is about, which is shown with it. */
  document: z.string().min(1).max(60).optional(),
  /** Its keys in earlier versions, for last year's answers. */
  was: z.array(key).min(1).max(5).optional(),
};

/** Questions that "I have none" may answer. */
const typed = { ...asked, none: z.boolean().default(false) };

const choice = z.strictObject({
  key,
  label: text,
  hint: text.optional(),
  /** Its value in another program, such as `101` for a kind of contract, and where it stands there. */
  code: z.string().min(1).max(40).optional(),
  tag,
  /** Excludes every other choice, such as "none of these". */
  exclusive: z.boolean().default(false),
});

const question = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('text'),
    ...typed,
    max: z.int().min(1).max(500).default(200),
    format: z.enum(['plain', 'email', 'name']).default('plain'),
  }),
  z.strictObject({ kind: z.literal('paragraph'), ...typed, max: z.int().min(1).max(10_000).default(2000) }),
  z.strictObject({
    kind: z.literal('yesNo'),
    ...asked,
    unsure: z.boolean().default(false),
    /** A declaration: only "yes" can be submitted. */
    mustBeYes: z.boolean().default(false),
  }),
  z.strictObject({
    kind: z.literal('choice'),
    ...asked,
    choices: z.array(choice).min(2).max(300),
    look: z.enum(['cards', 'radios', 'select']).default('radios'),
  }),
  z.strictObject({
    kind: z.literal('choices'),
    ...asked,
    choices: z.array(choice).min(2).max(60),
    min: z.int().min(0).optional(),
    max: z.int().min(1).optional(),
    look: z.enum(['cards', 'list']).default('list'),
  }),
  z.strictObject({
    kind: z.literal('number'),
    ...typed,
    /** Without it, the number may not be negative. */
    min: z.number().optional(),
    max: z.number().optional(),
    decimals: z.int().min(0).max(4).default(0),
    unit: text.optional(),
  }),
  z.strictObject({
    kind: z.literal('money'),
    ...typed,
    currency: z.string().regex(/^[A-Z]{3}$/),
    signed: z.boolean().default(false),
    /** In whole units, and up to 999,999,999. */
    whole: z.boolean().default(false),
  }),
  z.strictObject({
    kind: z.literal('date'),
    ...typed,
    earliest: z.string().max(10).optional(),
    latest: z.string().max(10).optional(),
    part: z.enum(['day', 'month', 'year']).default('day'),
  }),
  /** A time of day. */
  z.strictObject({ kind: z.literal('clock'), ...typed }),
  /** An amount of hours and minutes; its limits are in minutes. */
  z.strictObject({
    kind: z.literal('hours'),
    ...typed,
    min: z.int().min(0).max(MAX_MINUTES).default(0),
    max: z.int().min(0).max(MAX_MINUTES).default(MAX_MINUTES),
  }),
  /** An entry of a list that is too long to be shown, which a feature contributes (lookups.server.ts). */
  z.strictObject({ kind: z.literal('lookup'), ...typed, list: key }),
  z.strictObject({
    kind: z.literal('identifier'),
    ...typed,
    scheme: z.enum(IDENTIFIER_SCHEMES),
    /** Shown in full to those who see the answer; it still decides nothing, and stays out of logs and emails. */
    isShown: z.boolean().default(false),
  }),
  z.strictObject({ kind: z.literal('phone'), ...typed }),
  z.strictObject({
    kind: z.literal('address'),
    ...typed,
    countries: z
      .array(z.string().regex(/^[A-Z]{2}$/))
      .min(1)
      .max(250)
      .optional(),
  }),
  z.strictObject({
    kind: z.literal('files'),
    ...typed,
    min: z.int().min(0).max(200).default(0),
    max: z.int().min(1).max(200).default(50),
    folder: z.string().min(1).max(200).optional(),
    /** Offers to say when the file will come; the submission does not wait for it. */
    notYet: z.boolean().default(true),
  }),
  z.strictObject({ kind: z.literal('note'), ...shown }),
]);

const group = z.strictObject({
  kind: z.literal('group'),
  ...shown,
  hint: text.optional(),
  /** What one row is called, such as "Dependent". */
  one: text,
  addLabel: text,
  /** The question whose answer is the title of a row. */
  title: key.optional(),
  min: z.int().min(0).max(100).default(0),
  max: z.int().min(1).max(100),
  lastYear: z.enum(['off', 'show', 'prefill']).default('show'),
  items: z.array(question).min(1).max(40),
});

const section = z.strictObject({
  ...shown,
  lead: text.optional(),
  items: z
    .array(z.discriminatedUnion('kind', [...question.options, group]))
    .min(1)
    .max(80),
});

/** A rule across answers that a feature contributes (answer-rules.server.ts), and the questions that it is about. */
const check = z.strictObject({
  rule: key,
  /** The questions by the names of the rule's inputs: `section.question`, in a group `section.group.question`. */
  of: z.record(z.string().regex(/^[a-zA-Z]{1,40}(?:\.[a-zA-Z]{1,40})?$/), reference),
});

/** A version of a questionnaire. */
export const template = z.strictObject({
  format: z.literal(1),
  key,
  country: z.string().regex(/^[A-Z]{2}$/),
  /** The year that it is made for; a task that asks for another year replaces it. */
  taxYear: z.int().min(1900).max(2200).optional(),
  languages: z.array(z.enum(LANGS)).min(1).max(LANGS.length),
  label: text,
  sections: z.array(section).min(1).max(60),
  checks: z.array(check).min(1).max(20).optional(),
});

export type Template = z.output<typeof template>;
/** A template as it is written: what has a default may be left out. */
export type TemplateInput = z.input<typeof template>;
export type Section = Template['sections'][number];
export type Group = z.output<typeof group>;
export type Question = z.output<typeof question>;
export type QuestionOf<K extends Question['kind']> = Extract<Question, { kind: K }>;
export type When = z.output<typeof when>;
export type Test = z.output<typeof test>;
export type Text = Partial<Record<Lang, string>>;

const money = z.strictObject({ minor: z.int(), currency: z.string().length(3) });
const phone = z.strictObject({ typed: z.string().max(60), e164: z.string().max(16) });
const minutes = z.strictObject({ minutes: z.int().min(0).max(MAX_MINUTES) });
/** An entry of a list, with its text when it was chosen, so that a later change of the list changes no answer. */
const entry = z.strictObject({ key: z.string().min(1).max(60), text: z.string().min(1).max(200) });
const addressPart = z.string().max(200);
const address = z.strictObject({
  country: addressPart,
  address1: addressPart,
  address2: addressPart,
  city: addressPart,
  state: addressPart,
  zip: addressPart,
  county: addressPart,
});

const plainValue = z.union([
  z.string().max(MAX_ANSWER_LENGTH),
  z.number(),
  z.boolean(),
  z.array(z.string().max(200)).max(300),
  money,
  phone,
  address,
  minutes,
  entry,
]);

/**
 * An answer: a value, or what may stand for one. Text that could not be read as a number, an amount or a date is
 * stored as it was typed, so that nothing is lost; it is a problem until it is corrected.
 */
export const answerValue = z.union([
  plainValue,
  z.strictObject({ none: z.literal(true) }),
  z.strictObject({ unsure: z.literal(true) }),
  /** The same as last year; the value is copied, so that a later correction of last year changes nothing. */
  z.strictObject({ same: z.literal(true), of: plainValue }),
  z.strictObject({ notYet: z.literal(true), by: z.iso.date().optional() }),
]);

export type PlainValue = z.output<typeof plainValue>;
export type Money = z.output<typeof money>;
export type Phone = z.output<typeof phone>;
export type Entry = z.output<typeof entry>;
export type AnswerValue = z.output<typeof answerValue>;

/**
 * Answers by path: `section.question`, `section.group.<row>.question`, and `section.group#order` for the rows of a
 * group. They come from storage and from other people's programs, so every reader checks what it finds.
 */
export type Answers = Readonly<Record<string, AnswerValue>>;

/** A new value of an answer; null empties it. */
export interface AnswerChange {
  path: string;
  value: AnswerValue | null;
  /** Of a list of rows: the rows that the person saw, so that two people who add one keep both. */
  known?: readonly string[];
}

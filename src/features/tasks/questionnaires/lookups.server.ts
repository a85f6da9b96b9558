import { fold } from '#platform/database/database.server.ts';
import { contributed } from '#platform/runtime/feature.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { AnswerChange, Answers, AnswerValue, Entry, QuestionOf, Template } from './questionnaires.ts';
import { questionAt, type Problem } from './rules.ts';

/*
 * Questions whose answer is an entry of a long list: a country, an employee, an occupation. Features contribute the lists.
 * What a person types names an entry if it is the entry's text or key; otherwise the entries that the list has for it are
 * offered, and nothing is guessed. An answer has the entry's key and its text of then.
 */

/** An entry as it is offered; `note` tells it from others. */
export interface LookupEntry {
  key: string;
  text: string;
  note?: string;
}

/** For whom entries are looked up: an answer of this client. */
export interface LookupContext {
  companyId: string;
  clientId: string;
  lang: Lang;
}

interface LookupList {
  /** At most so many entries for these words, the best ones first. */
  find: (context: LookupContext, words: string, limit: number) => Promise<readonly LookupEntry[]>;
  /** The entry with this key, if the client may answer with it. */
  entry: (context: LookupContext, key: string) => Promise<LookupEntry | undefined>;
}

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** Lists that questions look up, by the name that templates use. */
    lookups: Readonly<Record<string, LookupList>>;
  }
}

/** The most entries that are offered for typed words. */
const MAX_OFFERED = 20;
const MAX_WORDS = 200;

const lists = (): ReadonlyMap<string, LookupList> =>
  new Map(contributed('lookups').flatMap((each) => Object.entries(each)));

/** Whether a feature contributes a list of this name. */
export const isList = (name: string): boolean => lists().has(name);

/** What a list has for typed words; nothing for a list that is no longer contributed. */
export async function findEntries(
  context: LookupContext,
  list: string,
  words: string,
): Promise<readonly LookupEntry[]> {
  const typed = words.trim().slice(0, MAX_WORDS);
  return (await lists().get(list)?.find(context, typed, MAX_OFFERED)) ?? [];
}

/** The entry that a value names: by its key, or by exactly its text if no other entry has it; undefined if none. */
async function entryOf(
  context: LookupContext,
  { list }: QuestionOf<'lookup'>,
  value: string | Entry,
): Promise<Entry | undefined> {
  const key = typeof value === 'string' ? value : value.key;
  const named = await lists().get(list)?.entry(context, key);
  if (named) return { key: named.key, text: named.text };
  if (typeof value !== 'string') return undefined;
  const wanted = fold(value.trim());
  const same = (await findEntries(context, list, value)).filter(({ text }) => fold(text) === wanted);
  const [only] = same;
  return only && same.length === 1 ? { key: only.key, text: only.text } : undefined;
}

const isEntry = (value: AnswerValue): value is Entry => typeof value === 'object' && 'key' in value;

/**
 * The answer to be stored: the entry that was named, with its text of today; what names none stays as it was typed, for
 * the person to choose. Answers to other questions stay as they are.
 */
export async function withEntry(
  context: LookupContext,
  question: QuestionOf<'lookup'>,
  value: AnswerValue,
): Promise<AnswerValue> {
  if (typeof value !== 'string' && !isEntry(value)) return value;
  return (await entryOf(context, question, value)) ?? (isEntry(value) ? value.text : value);
}

/** What was posted, with the entries that it names; what names one is no problem. */
export async function withEntries<Read extends { changes: AnswerChange[]; problems: Problem[] }>(
  context: LookupContext,
  template: Template,
  read: Read,
): Promise<Read> {
  const found = new Map<string, AnswerValue>();
  for (const { path, value } of read.changes) {
    const question = questionAt(template, path);
    if (question?.kind !== 'lookup' || value === null) continue;
    found.set(path, await withEntry(context, question, value));
  }
  return {
    ...read,
    changes: read.changes.map((change) => ({ ...change, value: found.get(change.path) ?? change.value })),
    problems: read.problems.filter(({ path }) => {
      const value = found.get(path);
      return value === undefined || !isEntry(value);
    }),
  };
}

/** What lists have for the words in a section that name no entry, by the paths of the questions. */
export async function offeredEntries(
  context: LookupContext,
  template: Template,
  sectionKey: string,
  answers: Answers,
): Promise<ReadonlyMap<string, readonly LookupEntry[]>> {
  const found = new Map<string, readonly LookupEntry[]>();
  for (const [path, value] of Object.entries(answers)) {
    if (typeof value !== 'string' || !path.startsWith(`${sectionKey}.`)) continue;
    const question = questionAt(template, path);
    if (question?.kind === 'lookup') found.set(path, await findEntries(context, question.list, value));
  }
  return found;
}

/** Whether a template looks up a list. */
export const usesList = ({ sections }: Template, list: string): boolean =>
  sections.some(({ items }) =>
    items
      .flatMap((item) => (item.kind === 'group' ? item.items : [item]))
      .some((question) => question.kind === 'lookup' && question.list === list),
  );

/** A text without case and accents: `tecnico` finds `Técnico`. */
const plain = (text: string): string => fold(text).normalize('NFD').replaceAll(/\p{M}/gu, '');

/** A list that is small enough to be searched in memory: entries that contain every word, first those that begin so. */
export const listOf = (entries: (context: LookupContext) => readonly LookupEntry[]): LookupList => ({
  find: async (context, words, limit) => {
    const wanted = plain(words)
      .split(/\s+/)
      .filter((word) => word !== '');
    const matches = entries(context).filter(({ key, text }) => {
      const searched = plain(`${key} ${text}`);
      return wanted.every((word) => searched.includes(word));
    });
    const begins = ({ text }: LookupEntry): boolean => plain(text).startsWith(wanted.join(' '));
    return [...matches.filter(begins), ...matches.filter((each) => !begins(each))].slice(0, limit);
  },
  entry: async (context, key) => entries(context).find((each) => fold(each.key) === fold(key)),
});

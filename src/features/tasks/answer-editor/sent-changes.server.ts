import type { Actor } from '#features/base/people/people.ts';
import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import type { Finding } from '#features/tasks/questionnaires/answer-values.ts';
import { withEntry, type LookupContext } from '#features/tasks/questionnaires/lookups.server.ts';
import { problemText } from '#features/tasks/questionnaires/problem-texts.server.ts';
import type { AnswerValue, Entry, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { isPathOf } from '#features/tasks/questionnaires/paths.ts';
import { isRowId, questionAt } from '#features/tasks/questionnaires/rules.ts';
import { sentAnswer } from '#features/tasks/questionnaires/values.server.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { ChangeResult, ParsedAnswerChanges } from './answer-editor.ts';
import type { Change, Outcome, StoredAnswer } from './merging.ts';

/*
 * What an editor in the browser sends while a person types. Every change has a result of its own, so that one that is
 * refused or has met another person's change does not hold up the others. To send a change again is harmless.
 */

/** Whose answers are changed: what asks, what is stored, and how it is saved. */
interface Owner {
  form: Template | undefined;
  stored: ReadonlyMap<string, StoredAnswer>;
  /** Saves a change; LOCKED if this answer must not change. */
  save: (change: Change) => Promise<Outcome>;
  /** For whom entries of lists are looked up. */
  client: Omit<LookupContext, 'lang'>;
  /** Why an answer is LOCKED, as the person reads it. */
  lockedText: string;
  /** The value at a path that is no question, such as a comment; undefined if there is none. */
  otherValueAt?: (path: string, sent: unknown) => ReadValue | undefined;
}

/** Saves the changes of an editor, in the open transaction of their owner. */
export async function saveSentChanges(
  actor: Actor,
  { tab, language: lang, changes }: ParsedAnswerChanges,
  owner: Owner,
): Promise<ChangeResult[]> {
  const { form, stored, save, lockedText } = owner;
  const results: ChangeResult[] = [];
  for (const { path, value: sent, base, sequence, known } of changes) {
    const read =
      owner.otherValueAt?.(path, sent) ??
      (await valueAt({ form, path, sent, stored: stored.get(path), lookups: { ...owner.client, lang } }));
    if (!read) {
      results.push(refused(path, stored));
      continue;
    }
    const { value, problem } = read;
    const editor = { tab, sequence };
    const outcome = await unlessLocked(save({ path, value, base, editor, ...(known && { known }) }));
    if (!outcome) {
      results.push({ ...refused(path, stored), problem: { path, code: 'LOCKED', text: lockedText } });
      continue;
    }
    results.push({
      path,
      result: outcome.kind,
      version: outcome.version,
      ...(isEntry(value) && { entry: value }),
      ...(problem && { problem }),
      ...(outcome.kind === 'conflict' && {
        conflict: await conflictOf(outcome, { actor, path, form, lang, value }),
      }),
    });
  }
  return results;
}

const refused = (path: string, stored: Owner['stored']): ChangeResult => ({
  path,
  result: 'refused',
  version: stored.get(path)?.version ?? 0,
});

/** The outcome; undefined if the answer is locked. */
const unlessLocked = (outcome: Promise<Outcome>): Promise<Outcome | undefined> =>
  outcome.catch((error: unknown) => {
    if (error instanceof PortalError && error.code === 'LOCKED') return undefined;
    throw error;
  });

interface Sent {
  form: Template | undefined;
  path: string;
  sent: unknown;
  stored: StoredAnswer | undefined;
  lookups: LookupContext;
}

interface ReadValue {
  value: AnswerValue | null;
  problem?: ChangeResult['problem'];
}

/** The value that is stored for what was sent, with its problem; undefined if it cannot be stored at this path. */
async function valueAt({ form, path, sent, stored, lookups }: Sent): Promise<ReadValue | undefined> {
  if (!form || !isPathOf(form, path)) return undefined;
  if (path.endsWith('#order')) return rowsIn(sent);
  const question = questionAt(form, path);
  // files are uploaded, which says whose they are
  if (!question || (question.kind === 'files' && Array.isArray(sent))) return undefined;
  const before = stored?.value;
  const read = sentAnswer(question, sent ?? null, {
    lang: lookups.lang,
    country: form.country,
    stored: before === null ? undefined : (before as AnswerValue | undefined),
  });
  if (read && read.value !== null && question.kind === 'lookup') {
    const value = await withEntry(lookups, question, read.value);
    return {
      value,
      ...(typeof value === 'string' && { problem: problemAt(path, { code: 'entryUnknown' }, lookups.lang) }),
    };
  }
  if (!read?.finding) return read && { value: read.value };
  return { value: read.value, problem: problemAt(path, read.finding, lookups.lang) };
}

const problemAt = (path: string, { part, ...finding }: Finding, lang: Lang): ChangeResult['problem'] => ({
  path: part === undefined ? path : `${path}.${part}`,
  code: finding.code,
  text: problemText(finding, lang),
});

const isEntry = (value: AnswerValue | null): value is Entry =>
  typeof value === 'object' && value !== null && 'key' in value;

const MAX_ROWS = 200;

const rowsIn = (sent: unknown): { value: string[] } | undefined =>
  Array.isArray(sent) && sent.length <= MAX_ROWS && sent.every(isRowId)
    ? { value: [...new Set(sent)] }
    : undefined;

interface Entered {
  actor: Actor;
  path: string;
  form: Template | undefined;
  lang: Lang;
  value: AnswerValue | null;
}

/** Both answers as texts, for the person to choose. */
async function conflictOf(
  { keptId, stored }: Extract<Outcome, { kind: 'conflict' }>,
  { actor, path, form, lang, value }: Entered,
): Promise<NonNullable<ChangeResult['conflict']>> {
  const question = form && questionAt(form, path);
  const text = (answer: unknown): string => {
    if (form && question) return displayValue(question, answer, { lang, template: form });
    return typeof answer === 'string' ? answer : '';
  };
  const by = stored?.changedBy ?? actor.contactId;
  const person = await db()
    .selectFrom('contacts')
    .select('full_name')
    .where('contact_id', '=', by)
    .executeTakeFirst();
  return {
    keptId,
    stored: text(stored?.value),
    kept: text(value),
    by: person?.full_name ?? '',
    isOwn: by === actor.contactId,
    at: new Date(stored?.changedAt ?? 0).toISOString(),
  };
}

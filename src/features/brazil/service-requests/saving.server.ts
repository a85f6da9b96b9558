import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { ChangeResult, ParsedAnswerChanges } from '#features/tasks/answer-editor/answer-editor.ts';
import type { Change, Outcome } from '#features/tasks/answer-editor/merging.ts';
import { versionsIn } from '#features/tasks/answer-editor/posted-versions.ts';
import { saveChange, type AnswerStore } from '#features/tasks/answer-editor/saving.server.ts';
import { saveSentChanges } from '#features/tasks/answer-editor/sent-changes.server.ts';
import {
  findEntries,
  usesList,
  withEntries,
  type LookupEntry,
} from '#features/tasks/questionnaires/lookups.server.ts';
import { isPathOf } from '#features/tasks/questionnaires/paths.ts';
import { postedAnswers } from '#features/tasks/questionnaires/posted-answers.server.ts';
import type { Template } from '#features/tasks/questionnaires/questionnaires.ts';
import type { Problem } from '#features/tasks/questionnaires/rules.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { assertWrites } from './access.server.ts';
import { dropKept, keepAnswer, keptBy } from './internal/kept.server.ts';
import { openPathsOf } from './marks.server.ts';
import { formOfRequest } from './request-forms.server.ts';
import { assertPossible, lockRequest, requestRow, type RequestRow } from './scope.server.ts';
import { MAX_REASON } from './service-requests.ts';
import { answersOf, reasonPath, writeAnswer, type RequestAnswers } from './stored-answers.server.ts';

/* Saves what people enter in a request. What becomes of a change that meets another one is decided in `answer-editor`. */

interface Saving {
  actor: Actor;
  row: RequestRow;
  form: Template;
  filled: RequestAnswers;
  save: (change: Change) => Promise<Outcome>;
  /** Throws LOCKED for an answer that was not returned. */
  assertOpen: (path: string) => void;
}

/** Runs changes under the lock of their request. NOT_FOUND, FORBIDDEN, CLOSED, LOCKED. */
export async function whileSaving<Result>(
  actor: Actor,
  requestId: string,
  run: (saving: Saving) => Promise<Result>,
): Promise<Result> {
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertWrites(current);
    const row = await lockRequest(current, requestId);
    await assertPossible(current, row, 'save');
    const form = await formOfRequest(row);
    const filled = await answersOf(requestId);
    const assertOpen = await openPathsOf(row, form);
    const store = storeOf(current, requestId);
    const result = await run({
      actor: current,
      row,
      form,
      filled,
      assertOpen,
      save: async (change) => {
        assertOpen(change.path);
        return saveChange(store, filled.stored, { contactId: current.contactId, change });
      },
    });
    await db()
      .updateTable('service_requests')
      .set({ changed_at: now() })
      .where('request_id', '=', requestId)
      .execute();
    return result;
  });
}

const storeOf = (actor: Actor, requestId: string): AnswerStore => ({
  keptBy: (path, tab) => keptBy(requestId, path, tab),
  keepAnswer: (entered) => keepAnswer(actor, requestId, entered),
  dropKept,
  writeAnswer: (path, value, editor) => writeAnswer(actor, requestId, path, value, editor),
});

/** Saves changes that an editor sends while a person types. */
export const saveChanges = (
  actor: Actor,
  requestId: string,
  changes: ParsedAnswerChanges,
): Promise<ChangeResult[]> =>
  whileSaving(actor, requestId, ({ row, form, filled, save }) =>
    saveSentChanges(actor, changes, {
      form,
      stored: filled.stored,
      save,
      client: { companyId: row.company_id, clientId: row.client_id },
      lockedText: translationsFor(changes.language, 'service-requests')('refusedLocked'),
    }),
  );

/**
 * Saves a posted section: what is wrong is saved too, and returned as a problem, so that nothing typed is lost. An answer
 * that somebody else has changed meanwhile is kept beside theirs.
 */
export async function saveSection(
  actor: Actor,
  requestId: string,
  { section, form: posted, lang }: { section: string; form: FormData; lang: Lang },
): Promise<{ problems: Problem[]; conflicts: { path: string }[] }> {
  return whileSaving(actor, requestId, async ({ row, form, filled, save }) => {
    if (!form.sections.some(({ key }) => key === section)) throw notFound();
    const context = { companyId: row.company_id, clientId: row.client_id, lang };
    const { changes, problems } = await withEntries(
      context,
      form,
      postedAnswers(form, { section, form: posted, answers: filled.answers, lang }),
    );
    const bases = versionsIn(posted);
    const conflicts: { path: string }[] = [];
    for (const { path, value, known } of changes) {
      if (!isPathOf(form, path)) throw new PortalError('INVALID', { field: path });
      const base = bases && (bases.get(path) ?? 0);
      // without the versions that the page showed, rows are those that were posted
      const outcome = await save({ path, value, base, ...(bases && known && { known }) });
      if (outcome.kind === 'conflict') conflicts.push({ path });
    }
    return { problems, conflicts };
  });
}

/** Saves why the client wants what a rule asks a reason for; an empty text removes it. */
export async function saveReason(
  actor: Actor,
  requestId: string,
  rule: string,
  reason: string,
): Promise<void> {
  const text = reason.replaceAll('\r\n', '\n').trim();
  if (text.length > MAX_REASON) throw new PortalError('INVALID', { field: 'reason' });
  if (!/^\w{1,20}$/.test(rule)) throw new PortalError('INVALID', { field: 'rule' });
  await whileSaving(actor, requestId, ({ actor: current }) =>
    writeAnswer(current, requestId, reasonPath(rule), text),
  );
}

/** What a list that a request asks for has for typed words. NOT_FOUND for another list. */
export async function requestLookup(
  actor: Actor,
  requestId: string,
  { list, words, lang }: { list: string; words: string; lang: Lang },
): Promise<readonly LookupEntry[]> {
  const row = await requestRow(actor, requestId);
  if (!usesList(await formOfRequest(row), list)) throw notFound();
  return findEntries({ companyId: row.company_id, clientId: row.client_id, lang }, list, words);
}

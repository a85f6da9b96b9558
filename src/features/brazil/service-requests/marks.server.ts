import { minimumOf } from '#features/brazil/service-request-forms/forms.ts';
import type { Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { answersIn, isLocked, itemsOf, type ItemLock } from '#features/tasks/tasks/items.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { lockedAnswersOf } from './request-forms.server.ts';
import type { RequestRow } from './scope.server.ts';
import { submissionOf } from './submissions.server.ts';

/* Answers that the firm returned: only these can be changed, and what was not asked then. */

type Returned = Pick<RequestRow, 'request_id' | 'submission' | 'status' | 'form_id' | 'is_minimum' | 'type'>;

/** The answers of the newest submission that were returned, with the reasons; none unless it waits for correction. */
export async function marksOf({
  request_id: id,
  submission,
  status,
}: Returned): Promise<Map<string, string>> {
  if (status !== 'WaitingForCorrection') return new Map();
  const rows = await db()
    .selectFrom('service_request_marks')
    .selectAll()
    .where('request_id', '=', id)
    .where('submission', '=', submission)
    .orderBy('path')
    .execute();
  return new Map(
    rows.map((row) => [row.path, decryptFrom('service_request_marks.reason', row.mark_id, row.reason)]),
  );
}

/**
 * What the client may change of a request whose answers were returned, or whose minimum the firm is working on; answers of
 * the firm are always locked. Undefined if all is open.
 */
export async function lockOf(row: Returned, form: Template): Promise<ItemLock | undefined> {
  const returned = await marksOf(row);
  const ofFirm = Object.keys(await lockedAnswersOf(row));
  const isWithFirm = row.is_minimum === 1 && row.status === 'WaitingForAnswer';
  const submitted = returned.size > 0 || isWithFirm ? await submittedItems(row, form) : [];
  const accepted = new Set([...submitted.filter((path) => !returned.has(path)), ...ofFirm]);
  return returned.size + accepted.size === 0 ? undefined : { returned, accepted };
}

/** The items of the newest submission. */
async function submittedItems(row: Returned, form: Template): Promise<string[]> {
  const last = await submissionOf(row.request_id, row.submission);
  const sent = row.is_minimum === 1 ? minimumOf(row.type, form) : form;
  return itemsOf(sent, answersIn(last?.content.answers ?? []));
}

/** Returns a function that throws LOCKED for an answer that was not returned. */
export async function openPathsOf(row: Returned, form: Template): Promise<(path: string) => void> {
  const lock = await lockOf(row, form);
  return (path) => {
    if (lock && isLocked(lock, path)) throw new PortalError('LOCKED', { path });
  };
}

/** Stores what is returned of the newest submission. INVALID for what it does not have. */
export async function storeMarks(
  row: RequestRow,
  form: Template,
  { marks, by }: { marks: readonly { path: string; reason: string }[]; by: string },
): Promise<void> {
  const ofFirm = await lockedAnswersOf(row);
  const items = new Set((await submittedItems(row, form)).filter((path) => !Object.hasOwn(ofFirm, path)));
  for (const { path, reason } of marks) {
    if (!items.has(path)) throw new PortalError('INVALID', { field: path });
    const markId = newId('mark');
    await db()
      .insertInto('service_request_marks')
      .values({
        mark_id: markId,
        request_id: row.request_id,
        submission: row.submission,
        path,
        reason: encryptFor('service_request_marks.reason', markId, reason),
        marked_at: now(),
        marked_by: by,
      })
      .execute();
  }
}

import type { Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { answersIn, isLocked, itemsOf, type ItemLock } from '#features/tasks/tasks/items.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import type { RequestRow } from './scope.server.ts';
import { submissionOf } from './submissions.server.ts';

/* Answers that the firm returned: only these can be changed, and what was not asked then. */

type Returned = Pick<RequestRow, 'request_id' | 'submission' | 'status' | 'form_id'>;

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

/** What the client may change of a request whose answers were returned; undefined if all is open. */
export async function lockOf(row: Returned, form: Template): Promise<ItemLock | undefined> {
  const returned = await marksOf(row);
  if (returned.size === 0) return undefined;
  const last = await submissionOf(row.request_id, row.submission);
  const items = itemsOf(form, answersIn(last?.content.answers ?? []));
  return { returned, accepted: new Set(items.filter((path) => !returned.has(path))) };
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
  const last = await submissionOf(row.request_id, row.submission);
  const items = new Set(itemsOf(form, answersIn(last?.content.answers ?? [])));
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

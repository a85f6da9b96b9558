import type { Actor } from '#features/base/people/people.ts';
import { NO_EDITOR, type Editor, type StoredAnswer } from '#features/tasks/answer-editor/merging.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { MAX_COMMENT } from './tasks.ts';

/** The values of these tasks, by task and path. */
export async function answersOf(taskIds: readonly string[]): Promise<Map<string, Map<string, StoredAnswer>>> {
  const found = new Map<string, Map<string, StoredAnswer>>(taskIds.map((id) => [id, new Map()]));
  if (taskIds.length === 0) return found;
  const rows = await db().selectFrom('task_answers').selectAll().where('task_id', 'in', taskIds).execute();
  for (const row of rows)
    found.get(row.task_id)?.set(row.path, {
      path: row.path,
      value: JSON.parse(decryptFrom('task_answers.value', row.answer_id, row.value)) as unknown,
      version: row.version,
      changedAt: row.changed_at,
      changedBy: row.changed_by,
      editor: { tab: row.changed_by_tab, sequence: row.tab_sequence },
    });
  return found;
}

/** Writes a value, under the lock of its task; undefined or an empty text removes it. Returns its version. */
export async function writeAnswer(
  { contactId }: Pick<Actor, 'contactId'>,
  taskId: string,
  path: string,
  value: unknown,
  { tab, sequence }: Editor = NO_EDITOR,
): Promise<number> {
  const row = await db()
    .selectFrom('task_answers')
    .select(['answer_id', 'version'])
    .where('task_id', '=', taskId)
    .where('path', '=', path)
    .executeTakeFirst();
  const isEmpty = value === undefined || value === '';
  if (!row && isEmpty) return 0;
  const answerId = row?.answer_id ?? newId('answer');
  const change = {
    value: encryptFor('task_answers.value', answerId, JSON.stringify(isEmpty ? null : value)),
    version: (row?.version ?? 0) + 1,
    changed_at: now(),
    changed_by: contactId,
    changed_by_tab: tab,
    tab_sequence: sequence,
  };
  if (row) await db().updateTable('task_answers').set(change).where('answer_id', '=', answerId).execute();
  else
    await db()
      .insertInto('task_answers')
      .values({ answer_id: answerId, task_id: taskId, path, ...change })
      .execute();
  return change.version;
}

/** A text among the values; empty if there is none. */
export const textAnswer = (answers: ReadonlyMap<string, StoredAnswer> | undefined, path: string): string => {
  const value = answers?.get(path)?.value;
  return typeof value === 'string' ? value : '';
};

/** The text of a posted comment. */
export const commentText = (posted: string): string => posted.replaceAll('\r\n', '\n').slice(0, MAX_COMMENT);

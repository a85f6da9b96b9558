import type { Actor } from '#features/base/people/people.ts';
import type { Editor, KeptChange } from '#features/tasks/answer-editor/merging.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';

/** Keeps what was entered where somebody else has changed the answer; returns its id. */
export async function keepAnswer(
  { contactId }: Pick<Actor, 'contactId'>,
  requestId: string,
  { path, value, editor }: { path: string; value: unknown; editor?: Editor | undefined },
): Promise<string> {
  const earlier = editor && (await keptBy(requestId, path, editor.tab));
  if (earlier && earlier.sequence >= editor.sequence) return earlier.keptId;
  const keptId = earlier?.keptId ?? newId('kept');
  const change = {
    value: encryptFor('service_request_kept_answers.value', keptId, JSON.stringify(value)),
    kept_at: now(),
    kept_by: contactId,
    kept_by_tab: editor?.tab ?? '',
    tab_sequence: editor?.sequence ?? 0,
  };
  if (earlier)
    await db()
      .updateTable('service_request_kept_answers')
      .set(change)
      .where('kept_id', '=', keptId)
      .execute();
  else
    await db()
      .insertInto('service_request_kept_answers')
      .values({ kept_id: keptId, request_id: requestId, path, ...change })
      .execute();
  return keptId;
}

/** What a tab entered at a path and is kept, with the number of its change. */
export async function keptBy(requestId: string, path: string, tab: string): Promise<KeptChange | undefined> {
  const row = await db()
    .selectFrom('service_request_kept_answers')
    .select(['kept_id', 'tab_sequence'])
    .where('request_id', '=', requestId)
    .where('path', '=', path)
    .where('kept_by_tab', '=', tab)
    .executeTakeFirst();
  return row && { keptId: row.kept_id, sequence: Number(row.tab_sequence) };
}

export const dropKept = (keptId: string): Promise<unknown> =>
  db().deleteFrom('service_request_kept_answers').where('kept_id', '=', keptId).execute();

/** Whether a choice between two answers is open. */
export async function hasKeptAnswers(requestId: string): Promise<boolean> {
  const row = await db()
    .selectFrom('service_request_kept_answers')
    .select('kept_id')
    .where('request_id', '=', requestId)
    .executeTakeFirst();
  return row !== undefined;
}

import type { Actor } from '#features/base/people/people.ts';
import { NO_EDITOR, type Editor, type StoredAnswer } from '#features/tasks/answer-editor/merging.ts';
import type { Answers } from '#features/tasks/questionnaires/questionnaires.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';

/** What is stored of a request: the answers to its questions with their versions, and every value. */
export interface RequestAnswers {
  answers: Answers;
  versions: ReadonlyMap<string, number>;
  stored: Map<string, StoredAnswer>;
}

/** Reads and decrypts what is stored of a request. */
export async function answersOf(requestId: string): Promise<RequestAnswers> {
  const rows = await db()
    .selectFrom('service_request_answers')
    .selectAll()
    .where('request_id', '=', requestId)
    .execute();
  const stored = new Map(
    rows.map((row): [string, StoredAnswer] => [
      row.path,
      {
        path: row.path,
        value: JSON.parse(decryptFrom('service_request_answers.value', row.answer_id, row.value)) as unknown,
        version: Number(row.version),
        changedAt: Number(row.changed_at),
        changedBy: row.changed_by,
        editor: { tab: row.changed_by_tab, sequence: Number(row.tab_sequence) },
      },
    ]),
  );
  const own = [...stored.values()].filter(({ path }) => !isReason(path));
  return {
    stored,
    answers: Object.fromEntries(
      own.filter(({ value }) => value !== null).map(({ path, value }) => [path, value]),
    ) as Answers,
    versions: new Map(own.map(({ path, version }) => [path, version])),
  };
}

/** Writes a value, under the lock of its request; undefined or an empty text removes it. Returns its version. */
export async function writeAnswer(
  { contactId }: Pick<Actor, 'contactId'>,
  requestId: string,
  path: string,
  value: unknown,
  { tab, sequence }: Editor = NO_EDITOR,
): Promise<number> {
  const row = await db()
    .selectFrom('service_request_answers')
    .select(['answer_id', 'version'])
    .where('request_id', '=', requestId)
    .where('path', '=', path)
    .executeTakeFirst();
  const isEmpty = value === undefined || value === '';
  if (!row && isEmpty) return 0;
  const answerId = row?.answer_id ?? newId('answer');
  const change = {
    value: encryptFor('service_request_answers.value', answerId, JSON.stringify(isEmpty ? null : value)),
    version: Number(row?.version ?? 0) + 1,
    changed_at: now(),
    changed_by: contactId,
    changed_by_tab: tab,
    tab_sequence: sequence,
  };
  if (row)
    await db().updateTable('service_request_answers').set(change).where('answer_id', '=', answerId).execute();
  else
    await db()
      .insertInto('service_request_answers')
      .values({ answer_id: answerId, request_id: requestId, path, ...change })
      .execute();
  return change.version;
}

/** The path of the reason for a finding of a rule. */
export const reasonPath = (rule: string): string => `#reason-${rule}`;
const isReason = (path: string): boolean => path.startsWith('#reason-');

/** The reason for a finding; empty if there is none. */
export function reasonFor({ stored }: Pick<RequestAnswers, 'stored'>, rule: string): string {
  const value = stored.get(reasonPath(rule))?.value;
  return typeof value === 'string' ? value : '';
}

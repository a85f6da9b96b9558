import type { Actor } from '#features/base/people/people.ts';
import { findEntries, usesList, type LookupEntry } from '#features/tasks/questionnaires/lookups.server.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask } from '#features/tasks/tasks/task-forms.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';

/** What a list that a task asks for has for typed words. NOT_FOUND for another list, or another client's task. */
export async function taskLookup(
  actor: Actor,
  taskId: string,
  { list, words, lang }: { list: string; words: string; lang: Lang },
): Promise<readonly LookupEntry[]> {
  const row = await taskRow(actor, taskId);
  const form = await formOfTask(row);
  if (!form || !usesList(form, list)) throw notFound();
  return findEntries({ companyId: row.company_id, clientId: row.client_id, lang }, list, words);
}

import type { Actor } from '#features/people/people.ts';
import { postedAnswers } from '#features/questionnaires/posted-answers.server.ts';
import type { Problem } from '#features/questionnaires/rules.ts';
import type { Lang } from '#platform/languages.ts';
import { saveAnswers, saveComment, type AnswerConflict } from './answering.server.ts';
import { taskRow } from './scope.server.ts';
import { formOfTask, questionAnswers } from './task-forms.server.ts';
import { notFound } from '#platform/errors.server.ts';
import { VERSIONS_FIELD } from './rules.ts';
import { MAX_COMMENT } from './tasks.ts';

/** The comment of a step in its form. */
export const COMMENT = 'comment';

/**
 * Saves a posted section of a task: what is wrong is saved too, and returned as a problem, so that nothing typed is
 * lost. Throws as {@link saveAnswers} does.
 */
export async function saveSection(
  actor: Actor,
  taskId: string,
  { section, form: posted, lang }: { section: string; form: FormData; lang: Lang },
): Promise<{ problems: Problem[]; conflicts: AnswerConflict[] }> {
  const form = await formOfTask(await taskRow(actor, taskId));
  const number = (form?.sections.findIndex(({ key }) => key === section) ?? -1) + 1;
  if (!form || number === 0) throw notFound();
  const { answers } = await questionAnswers(taskId);
  const { changes, problems } = postedAnswers(form, { section, form: posted, answers, lang });
  const bases = versionsIn(posted);
  const conflicts = await saveAnswers(actor, taskId, changes, bases);
  const comment = posted.get(COMMENT);
  if (typeof comment !== 'string') return { problems, conflicts };
  const path = `${number}#comment`;
  const outcome = await saveComment(actor, taskId, {
    number,
    comment: comment.replaceAll('\r\n', '\n').slice(0, MAX_COMMENT),
    base: bases && (bases.get(path) ?? 0),
  });
  if (outcome.kind === 'conflict') conflicts.push({ path, keptId: outcome.keptId });
  return { problems, conflicts };
}

/** The versions in the posted form, if it has them. If they cannot be read, every answer counts as new. */
function versionsIn(posted: FormData): ReadonlyMap<string, number> | undefined {
  const text = posted.get(VERSIONS_FIELD);
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return new Map();
    return new Map(
      Object.entries(value).filter((each): each is [string, number] => Number.isInteger(each[1])),
    );
  } catch {
    return new Map();
  }
}

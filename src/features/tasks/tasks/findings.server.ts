import { findingsOf, type Finding } from '#features/tasks/questionnaires/answer-rules.server.ts';
import type { Template } from '#features/tasks/questionnaires/questionnaires.ts';
import type { Lang } from '#platform/text/languages.ts';
import { textAnswer } from './answers.server.ts';
import { firmToday, type TaskRow } from './scope.server.ts';
import { reasonPath, type TaskAnswers } from './task-forms.server.ts';

/** What a rule says about the answers to a task; with the client's reason, where it asks for one. */
export interface TaskFinding extends Finding {
  reason: string;
}

/** What the rules that a task names say about its answers, the gravest first. */
export async function taskFindings(
  row: Pick<TaskRow, 'company_id'>,
  form: Template,
  { answers, stored }: Pick<TaskAnswers, 'answers' | 'stored'>,
  lang: Lang,
): Promise<TaskFinding[]> {
  if (!form.checks) return [];
  const today = await firmToday(row.company_id);
  return findingsOf(form, answers, { lang, today }).map((finding) => ({
    ...finding,
    reason: finding.severity === 'confirms' ? textAnswer(stored, reasonPath(finding)) : '',
  }));
}

/** Whether a finding prevents the submission: the law forbids it, or the reason that it asks for is missing. */
export const prevents = ({ severity, reason }: TaskFinding): boolean =>
  severity === 'blocks' || (severity === 'confirms' && reason === '');

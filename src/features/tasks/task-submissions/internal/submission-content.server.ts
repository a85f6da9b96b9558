import type { FrozenAnswer } from '#features/tasks/questionnaires/rules.ts';
import type { TaskFinding } from '#features/tasks/tasks/findings.server.ts';
import type { FreeObject } from '#features/tasks/tasks/tasks.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';

/** A submission as it was frozen, and what the firm decided about it. */
export interface FrozenSubmission {
  number: number;
  submittedAt: number;
  submittedBy: string;
  sha256: string;
  receipt: number | null;
  decision: '' | 'accepted' | 'returned';
  /** The id of what was asked; undefined for a task without questions. */
  formId: string | undefined;
  answers: FrozenAnswer[];
  /** Comments, and why steps do not apply, by their paths. */
  comments: { path: string; value: string }[];
  /** What rules said about the answers, with the client's reasons. */
  findings: TaskFinding[];
  data: FreeObject;
  steps: { number: number; data: FreeObject }[];
}

/** The newest submission of a task that was not taken back; undefined before the first. */
export async function frozenSubmission(taskId: string): Promise<FrozenSubmission | undefined> {
  const row = await db()
    .selectFrom('task_submissions')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('taken_back_at', 'is', null)
    .orderBy('number', 'desc')
    .executeTakeFirst();
  if (!row) return undefined;
  const content = JSON.parse(
    decryptFrom('task_submissions.content', row.submission_id, row.content),
  ) as Partial<Pick<FrozenSubmission, 'answers' | 'findings' | 'data' | 'steps'>> & {
    form?: string;
    comments?: { path: string; value: unknown }[];
  };
  return {
    number: row.number,
    submittedAt: row.submitted_at,
    submittedBy: row.submitted_by,
    sha256: row.content_sha256,
    receipt: row.receipt,
    decision: row.decision,
    formId: content.form,
    answers: content.answers ?? [],
    comments: (content.comments ?? []).flatMap(({ path, value }) =>
      typeof value === 'string' && value !== '' ? [{ path, value }] : [],
    ),
    findings: content.findings ?? [],
    data: content.data ?? {},
    steps: content.steps ?? [],
  };
}

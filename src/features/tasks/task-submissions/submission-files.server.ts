import { documentsNamed } from '#features/documents/documents/scope.server.ts';
import { actorNow, actorsOf, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { isMasked } from '#features/tasks/questionnaires/answer-values.ts';
import type { Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { questionAt } from '#features/tasks/questionnaires/rules.ts';
import { issueReceipts } from '#features/base/receipts/issuing.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { documentsAsked } from '#features/tasks/tasks/asked-documents.ts';
import { managesTasks } from '#features/tasks/tasks/creating.server.ts';
import { answersIn } from '#features/tasks/tasks/items.ts';
import { taskRow, type TaskRow } from '#features/tasks/tasks/scope.server.ts';
import { formDigest, formOfTask } from '#features/tasks/tasks/task-forms.server.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { notFound, refusal } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { shownAnswers, type ShownSection } from './answers-view.server.ts';
import { frozenSubmission, type FrozenSubmission } from './internal/submission-content.server.ts';
import { SUBMISSION_FORMAT, type SubmissionFile } from './submission-file.ts';

/** What a client submitted, for its files. */
export interface Submitted {
  row: TaskRow;
  title: string;
  client: string;
  form: Template | undefined;
  submission: FrozenSubmission;
  /** The name of who submitted it. */
  by: string;
  /** The frozen answers, as those of a task. */
  answers: Answers;
  /** The questions that applied with their answers, by section; sensitive answers are masked. */
  sections: ShownSection[];
  documents: ReadonlyMap<string, { name: string; size: number; sha256: string }>;
}

/** The addresses of the files of a task's newest submission: the PDF of answers, and JSON for staff. */
export async function submissionHrefs(
  { staff }: Pick<Actor, 'staff'>,
  { task_id: taskId, deleted_at: deletedAt }: Pick<TaskRow, 'task_id' | 'deleted_at'>,
  lang: Lang,
): Promise<{ pdf: string | undefined; json: string | undefined }> {
  const submission = deletedAt === null ? await frozenSubmission(taskId) : undefined;
  const hrefOf = (name: string): string => `/api/client-center/v3/tasks/${taskId}/${name}?language=${lang}`;
  return {
    pdf: submission?.formId === undefined ? undefined : hrefOf('submission.pdf'),
    json: staff && submission ? hrefOf('submission') : undefined,
  };
}

/** Loads the newest submission of a task, in a language. NOT_FOUND, also before the first one. */
export async function submittedOf(actor: Actor, taskId: string, lang: Lang): Promise<Submitted> {
  const row = await taskRow(actor, taskId);
  const submission = await frozenSubmission(taskId);
  if (!submission) throw notFound();
  const form = await formOfTask({ ...row, form_id: submission.formId ?? null });
  const answers = answersIn(submission.answers);
  const files = Object.values(answers).flatMap((value) => (Array.isArray(value) ? value : []));
  const documents = await documentsNamed(actor, [
    ...files.filter((id) => id.startsWith('doc_')),
    ...(form ? documentsAsked(form).values() : []),
  ]);
  const client = await clientIdsOf(actor)
    .select('clients.name')
    .where('clients.client_id', '=', row.client_id)
    .executeTakeFirstOrThrow(notFound);
  const [by] = await actorsOf([submission.submittedBy]);
  return {
    row,
    title: taskTitle(lang, { ...row, taxYear: row.tax_year }, form),
    client: client.name,
    form,
    submission,
    by: by?.fullName ?? '',
    answers,
    sections: form ? await shownAnswers(actor, lang, form, answers) : [],
    documents: new Map(documents.map(({ document_id: id, ...document }) => [id, document])),
  };
}

/** The submission as JSON. Throws as {@link submittedOf} does. */
export async function submissionJson(actor: Actor, taskId: string, lang: Lang): Promise<SubmissionFile> {
  const submitted = await submittedOf(actor, taskId, lang);
  const { row, form, submission, title, client, by, documents } = submitted;
  await noteFetched(actor, submitted, `${title}.json`);
  const { comments, data, steps } = submission;
  return {
    format: SUBMISSION_FORMAT,
    language: lang,
    task: {
      taskId,
      clientId: row.client_id,
      client,
      type: row.type,
      kind: row.kind,
      title,
      taxYear: row.tax_year,
      status: row.status,
    },
    questionnaire:
      form && submission.formId !== undefined
        ? { key: form.key, sha256: await formDigest(submission.formId) }
        : null,
    submission: {
      number: submission.number,
      submittedAt: new Date(submission.submittedAt).toISOString(),
      submittedBy: by,
      sha256: submission.sha256,
      receipt: submission.receipt,
      decision: submission.decision,
    },
    answers: form ? answersOf(form, submitted) : [],
    files: submission.answers.flatMap(({ path, kind, value }) => {
      const asked = form && documentsAsked(form).get(path);
      const ids = asked === undefined ? (kind === 'files' && Array.isArray(value) ? value : []) : [asked];
      return ids.flatMap((documentId) => {
        const document = documents.get(documentId);
        if (!document) return [];
        const { name, size, sha256 } = document;
        return [{ path, documentId, name, size, sha256 }];
      });
    }),
    notApplicable: notApplicableOf(submitted).map(({ section, reason }) => ({ section, reason })),
    comments: comments.flatMap(({ path, value }) =>
      path.endsWith('#comment') ? [{ step: Number(path.split('#')[0]), text: value }] : [],
    ),
    data,
    steps,
  };
}

function answersOf(form: Template, { submission, sections }: Submitted): SubmissionFile['answers'] {
  const shown = new Map(sections.flatMap(({ answers }) => answers).map((answer) => [answer.path, answer]));
  return submission.answers.map(({ path, kind, tag, value, source }) => {
    const question = questionAt(form, path);
    const isHidden = question === undefined || isMasked(question);
    const { label = '', row = '', text = '' } = shown.get(path) ?? {};
    return {
      path,
      ...(tag !== undefined && { tag }),
      kind,
      label,
      ...(row !== '' && { row }),
      value: isHidden ? null : value,
      isMasked: isHidden,
      display: text,
      source: source ?? 'typed',
    };
  });
}

/** The sections that the client set to "does not apply", with the reasons. */
export function notApplicableOf({ form, submission }: Submitted): { section: string; reason: string }[] {
  return submission.comments.flatMap(({ path, value }) => {
    const number = /^(\d+)#not-apply$/.exec(path)?.[1];
    const section = number === undefined ? undefined : form?.sections[Number(number) - 1];
    return section ? [{ section: section.key, reason: value }] : [];
  });
}

/**
 * Records that a file of a submission was fetched, with a confirmation over the submission's digest, as for a document.
 * For staff who publish that opens the submission, as its page does. Nothing is recorded for staff who view as a contact.
 */
export async function noteFetched(actor: Actor, { row, submission }: Submitted, name: string): Promise<void> {
  if (actor.viewedBy !== undefined) return;
  if (row.status === 'Received' && managesTasks(actor)) await open(actor, row.task_id);
  await inTransaction(async () => {
    const current = await actorNow(actor);
    const receipt = await issueReceipts({
      companyId: row.company_id,
      kind: 'download',
      actor: current.contactId,
      documents: [
        {
          documentId: row.task_id,
          clientId: row.client_id,
          name,
          size: Buffer.byteLength(JSON.stringify(submission)),
          sha256: submission.sha256,
        },
      ],
    });
    await audit({
      companyId: row.company_id,
      actor: current.contactId,
      action: 'task.download',
      target: row.task_id,
      clientId: row.client_id,
      details: { submission: submission.number, ...receipt },
    });
  });
}

/** Another member of staff may have decided about it meanwhile. */
async function open(actor: Actor, taskId: string): Promise<void> {
  try {
    await performAction(actor, taskId, 'open');
  } catch (error) {
    if (!refusal(error)) throw error;
  }
}

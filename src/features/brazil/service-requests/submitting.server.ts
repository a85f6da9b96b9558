import type { Actor } from '#features/base/people/people.ts';
import { issueReceipts } from '#features/base/receipts/issuing.server.ts';
import { EMPLOYEE_PATH, kindOf, minimumOf } from '#features/brazil/service-request-forms/forms.ts';
import { releaseToFirm, takeBackFromFirm } from '#features/documents/documents/unsubmitted.server.ts';
import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import type { Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { freeze, questionAt } from '#features/tasks/questionnaires/rules.ts';
import { db } from '#platform/database/database.server.ts';
import type { Bit } from '#platform/database/schema.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { DEFAULT_LANG } from '#platform/text/languages.ts';
import { givenIn, keyOfEntry, textOfEntry } from '#features/brazil/service-request-rules/given.ts';
import { dueDay } from './deadlines.ts';
import { calendarAt, employeeIn } from './employee-facts.server.ts';
import { hasKeptAnswers } from './internal/kept.server.ts';
import { checkRequest, prevents } from './preflight.server.ts';
import { formOfRequest } from './request-forms.server.ts';
import type { RequestRow } from './scope.server.ts';
import { shownNumber } from './service-requests.ts';
import { answersOf, type RequestAnswers } from './stored-answers.server.ts';
import { filesIn, submissionOf, type SubmittedContent } from './submissions.server.ts';

/** What a submission changes of its request, and what the audit log says of it. */
interface Submitted {
  columns: {
    submission: number;
    submitted_at: number;
    about: string;
    employee_id: string | null;
    due_on: string | null;
    is_minimum: Bit;
  };
  details: Record<string, string | number>;
}

/**
 * Freezes what a request contains, or its minimum, with a receipt over its digest, in the open transaction. INCOMPLETE with
 * the findings if an answer is missing or wrong, a choice between two answers is open, or the law forbids it.
 */
export async function submit(
  actor: Actor,
  row: RequestRow,
  { isMinimum }: { isMinimum: boolean },
): Promise<Submitted> {
  const form = await formSent(row, isMinimum);
  const filled = await answersOf(row.request_id);
  const content = await checkedContent(actor, row, form, filled);
  const [submissionId, number] = [newId('submission'), Number(row.submission) + 1];
  const text = JSON.stringify(content);
  const digest = sha256(text);
  const receipt = await issueReceipts({
    companyId: row.company_id,
    kind: 'submission',
    actor: actor.contactId,
    documents: [
      {
        documentId: row.request_id,
        clientId: row.client_id,
        name: `${kindOf(row.type).form.label.pt ?? ''} ${content.request.number}`,
        size: Buffer.byteLength(text),
        sha256: digest,
      },
    ],
  });
  await db()
    .insertInto('service_request_submissions')
    .values({
      submission_id: submissionId,
      request_id: row.request_id,
      number,
      submitted_at: now(),
      submitted_by: actor.contactId,
      content: encryptFor('service_request_submissions.content', submissionId, text),
      content_sha256: digest,
      receipt: receipt.receipt ?? null,
    })
    .execute();
  await releaseToFirm(filesIn(content));
  const given = givenIn(form, filled.answers);
  const employeeId = keyOfEntry(given.at(EMPLOYEE_PATH));
  const employee = await employeeIn(actor, employeeId);
  const place = employee?.establishmentId ?? keyOfEntry(given.at('request.place'));
  return {
    columns: {
      submission: number,
      submitted_at: now(),
      employee_id: employee?.id ?? null,
      about: encryptFor('service_requests.about', row.request_id, aboutIn(form, filled)),
      due_on: dueDay(row.type, given, await calendarAt(actor, place)) ?? null,
      is_minimum: isMinimum ? 1 : 0,
    },
    details: { submission: number, sha256: digest, ...receipt },
  };
}

async function checkedContent(
  actor: Actor,
  row: RequestRow,
  form: Template,
  filled: RequestAnswers,
): Promise<SubmittedContent> {
  if (await hasKeptAnswers(row.request_id)) throw new PortalError('INCOMPLETE', { undecided: true });
  const lang = form.languages[0] ?? DEFAULT_LANG;
  const { problems, findings } = await checkRequest(actor, row, form, { filled, lang });
  const preventing = findings.filter(prevents);
  if (problems.length + preventing.length > 0)
    throw new PortalError('INCOMPLETE', {
      paths: problems.map(({ path }) => path).slice(0, 100),
      findings: preventing,
    });
  return {
    request: {
      id: row.request_id,
      number: shownNumber(Number(row.year), Number(row.number)),
      type: row.type,
    },
    form: row.form_id,
    answers: freeze(form, filled.answers),
    findings,
  };
}

const MAX_ABOUT = 120;

/** Whom or what a request is about: the employee, the name of who is registered, the subject or the month. */
function aboutIn(form: Template, { answers }: RequestAnswers): string {
  const given = givenIn(form, answers);
  const words =
    textOfEntry(given.at(EMPLOYEE_PATH)) ??
    given.at('request.name') ??
    given.at('request.subject') ??
    monthIn(form, answers);
  return typeof words === 'string' ? words.slice(0, MAX_ABOUT) : '';
}

function monthIn(form: Template, answers: RequestAnswers['answers']): string {
  const question = questionAt(form, 'request.month');
  const lang = form.languages[0] ?? DEFAULT_LANG;
  return question ? displayValue(question, answers['request.month'], { lang, template: form }) : '';
}

/** What a request asks, as far as it is sent. */
async function formSent(row: RequestRow, isMinimum: boolean): Promise<Template> {
  const form = await formOfRequest(row);
  return isMinimum ? minimumOf(row.type, form) : form;
}

/** Whether the answers that were sent differ from those of the newest submission. */
export async function hasChanged(row: RequestRow): Promise<boolean> {
  const form = await formSent(row, row.is_minimum === 1);
  const { answers } = await answersOf(row.request_id);
  const last = await submissionOf(row.request_id, Number(row.submission));
  return JSON.stringify(freeze(form, answers)) !== JSON.stringify(last?.content.answers ?? []);
}

/** Withholds the files that the firm has only by the submission that is taken back. */
export async function takeBackFiles(row: RequestRow): Promise<void> {
  const earlier = new Set(filesIn((await submissionOf(row.request_id, Number(row.submission) - 1))?.content));
  const last = await submissionOf(row.request_id, Number(row.submission));
  await takeBackFromFirm(filesIn(last?.content).filter((id) => !earlier.has(id)));
}

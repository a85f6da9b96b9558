import type { Actor } from '#features/base/people/people.ts';
import { isMasked } from '#features/tasks/questionnaires/answer-values.ts';
import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import { questionAt, textIn, type FrozenAnswer } from '#features/tasks/questionnaires/rules.ts';
import type { Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { answersIn } from '#features/tasks/tasks/items.ts';
import { documentsOfAnswers } from '#features/tasks/tasks/documents-of-answers.server.ts';
import { employeeOf } from '#features/brazil/employees/employees.server.ts';
import { clientOf } from '#features/clients/clients/clients.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { notFound, refusal } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { csvOf } from '#platform/tabular/csv-writer.ts';
import { givenIn } from '#features/brazil/service-request-rules/given.ts';
import { derivedFields } from './event-fields.server.ts';
import { documentsOfFirm } from './messages.server.ts';
import { formOfRequest } from './request-forms.server.ts';
import { findingsFor } from './preflight.server.ts';
import { requestRow } from './scope.server.ts';
import { shownNumber } from './service-requests.ts';
import { submissionOf, type Submission } from './submissions.server.ts';

/*
 * What was submitted, for payroll programs: with the groups and fields of the events of eSocial, so that a program maps one
 * to one. It is data for an event, not the event.
 */

const SCHEMA = 'service-request/1';
const LAYOUT = 'S-1.3';

interface ExportedAnswer {
  path: string;
  label: string;
  /** The event and field of eSocial; empty for what it does not have. */
  tag: string;
  code: string;
  value: unknown;
  display: string;
}

/** The newest submission of a request as an object; NOT_FOUND without one. What staff read is in the audit log. */
export async function exportRequest(actor: Actor, requestId: string, lang: Lang) {
  const row = await requestRow(actor, requestId);
  const form = await formOfRequest(row);
  const submission = await submissionOf(requestId, Number(row.submission));
  if (!submission) throw notFound();
  const client = await clientOf(actor, row.client_id);
  if (actor.staff)
    await audit({
      companyId: row.company_id,
      actor: actor.contactId,
      action: 'service-request.export',
      target: requestId,
      clientId: row.client_id,
    });
  const answers = submission.content.answers.map((answer) => exportedAnswer(form, answer, lang));
  const employee = await knownEmployee(actor, row.employee_id);
  const given = givenIn(form, answersIn(submission.content.answers));
  return {
    schema: SCHEMA,
    number: shownNumber(Number(row.year), Number(row.number)),
    client: { id: row.client_id, code: client.code, name: client.name },
    type: row.type,
    status: row.status,
    outcome: row.outcome,
    submission: {
      number: submission.number,
      at: new Date(submission.submittedAt).toISOString(),
      sha256: submission.sha256,
      receipt: submission.receipt,
    },
    employee: employee && {
      cpf: employee.cpf,
      registration: employee.registration,
      name: employee.name,
    },
    events: eventsIn([
      ...answers,
      ...derivedFields(row.type, given, employee ?? undefined).map((field) => ({ ...field, code: '' })),
    ]),
    answers,
    findings: await findingsFor(row.type, submission.content.findings, lang),
    files: await filesOf(actor, submission),
    /** What the firm has sent with its replies. */
    replyFiles: (await documentsOfFirm(actor, requestId)).map(({ id, name }) => ({ document: id, name })),
  };
}

function exportedAnswer(form: Template, answer: FrozenAnswer, lang: Lang): ExportedAnswer {
  const question = questionAt(form, answer.path);
  return {
    path: answer.path,
    label: question ? textIn(question.label, lang, form) : '',
    tag: answer.tag ?? '',
    code: (answer.codes ?? []).flatMap(({ code }) => code ?? []).join(' '),
    value: answer.value,
    display: question
      ? displayValue(question, answer.value, { lang, template: form, isRevealed: isMasked(question) })
      : '',
  };
}

async function knownEmployee(actor: Actor, employeeId: string | null) {
  if (employeeId === null) return null;
  try {
    return await employeeOf(actor, employeeId);
  } catch (error) {
    if (refusal(error)?.code !== 'NOT_FOUND') throw error;
    return null; // removed since
  }
}

/** The fields of events, in rows where a group has several: two parts of a vacation are two events. */
function eventsIn(answers: readonly Pick<ExportedAnswer, 'path' | 'tag' | 'code' | 'value'>[]) {
  const events = new Map<string, { event: string; layout: string; fields: Record<string, unknown> }>();
  for (const { path, tag, code, value } of answers) {
    const [event, field] = tag.split(':');
    if (!event || field === undefined) continue;
    const [, , row] = path.split('.');
    const key = `${event} ${row ?? ''}`;
    const known = events.get(key) ?? { event, layout: LAYOUT, fields: {} };
    known.fields[field] = code === '' ? fieldValue(value) : code;
    events.set(key, known);
  }
  const all = [...events];
  // what is not in a row belongs to each row of its event
  return all.flatMap(([key, { event, layout, fields }]) => {
    const rows = all.filter(([other]) => other.startsWith(`${event} `) && other !== `${event} `);
    if (key !== `${event} `) return [];
    return rows.length === 0 || !REPEATED.includes(event)
      ? [
          {
            event,
            layout,
            fields: { ...fields, ...(rows.length > 0 && { rows: rows.map(([, row]) => row.fields) }) },
          },
        ]
      : rows.map(([, row]) => ({ event, layout, fields: { ...fields, ...row.fields } }));
  });
}

/** Events of which there is one for each row. */
const REPEATED = ['S-2230'];

/** As the events have it: `S` and `N`, amounts with two decimals, hours with minutes, the key of an entry. */
function fieldValue(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 'S' : 'N';
  if (typeof value !== 'object' || value === null) return value;
  if ('minor' in value && typeof value.minor === 'number') return (value.minor / 100).toFixed(2);
  if ('minutes' in value && typeof value.minutes === 'number') return (value.minutes / 60).toFixed(2);
  return 'key' in value ? value.key : value;
}

async function filesOf(actor: Actor, { content }: Submission) {
  const ids = content.answers.flatMap(({ kind, value }) =>
    kind === 'files' && Array.isArray(value) ? value : [],
  );
  const documents = await documentsOfAnswers(actor, ids);
  return ids.flatMap((id) => {
    const document = documents.get(id);
    return document ? [{ document: document.id, name: document.name }] : [];
  });
}

/** What the newest submission of a request contains. */
export type ExportedRequest = Awaited<ReturnType<typeof exportRequest>>;

/** The columns of a table with a row for each answer. */
export const TABLE_HEADINGS = [
  'number',
  'type',
  'path',
  'label',
  'tag',
  'code',
  'display',
  'clientCode',
  'client',
  'cpf',
] as const;

export const tableRows = ({ number, type, client, employee, answers }: ExportedRequest): string[][] =>
  answers.map(({ path, label, tag, code, display }) => [
    number,
    type,
    path,
    label,
    tag,
    code,
    display,
    client.code,
    client.name,
    employee?.cpf ?? '',
  ]);

/** The newest submission as a table. */
export async function exportAsTable(actor: Actor, requestId: string, lang: Lang): Promise<string> {
  return csvOf(TABLE_HEADINGS, tableRows(await exportRequest(actor, requestId, lang)), ';');
}

import { actorNow, assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { employeeOf } from '#features/brazil/employees/employees.server.ts';
import { shownPeriodOf, type Employee } from '#features/brazil/employees/employees.ts';
import { EMPLOYEE_PATH, type RequestType } from '#features/brazil/service-request-forms/forms.ts';
import type { AnswerValue, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { isPathOf } from '#features/tasks/questionnaires/paths.ts';
import { newRowId } from '#features/tasks/questionnaires/posted-answers.server.ts';
import { orderPath, questionAt } from '#features/tasks/questionnaires/rules.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { countries } from '#platform/inputs/countries.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { DEFAULT_LANG } from '#platform/text/languages.ts';
import { assertWrites, visibleTypes } from './access.server.ts';
import { formFor, storeForm } from './request-forms.server.ts';
import { firmToday } from './scope.server.ts';
import { newRequest, type NewRequest } from './service-requests.ts';
import { settingsOf } from './settings.server.ts';
import { writeAnswer } from './stored-answers.server.ts';

/**
 * Begins a request and returns its id; the draft that the actor has begun and not touched yet, if there is one. Staff begin
 * it on behalf of the client. FORBIDDEN for a kind that is not open to them, CLOSED for one that the firm does not take,
 * NOT_FOUND for a client or an employee of somebody else.
 */
export async function beginRequest(actor: Actor, input: NewRequest): Promise<string> {
  const { clientId, type, employeeId } = newRequest.parse(input);
  assertWrites(actor);
  if (!visibleTypes(actor).includes(type)) throw new PortalError('FORBIDDEN');
  await assertActsFor(actor, clientId);
  const { isOpen, questions, locked } = await settingsOf(actor.companyId, type);
  if (!isOpen) throw new PortalError('CLOSED');
  const employee = employeeId === undefined ? undefined : await employeeOf(actor, employeeId);
  if (employee && employee.clientId !== clientId) throw new PortalError('NOT_FOUND');
  const form = formFor(type, questions);
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertWrites(current);
    const formId = await storeForm(current.companyId, form, locked);
    const begun = await untouchedDraft(current, { clientId, type, formId, employeeId });
    if (begun !== undefined) return begun;
    const requestId = await insertDraft(current, { clientId, type, formId, employeeId });
    if (employee) await prefill(current, requestId, form, employee);
    for (const [path, value] of Object.entries({ ...bornInBrazil(form), ...locked }))
      await writeAnswer(current, requestId, path, value);
    return requestId;
  });
}

interface Draft {
  clientId: string;
  type: RequestType;
  formId: string;
  employeeId: string | undefined;
}

/** A draft that the actor has begun in the same way and not touched yet: beginning twice is beginning once. */
async function untouchedDraft(
  { contactId }: Actor,
  { clientId, type, formId, employeeId }: Draft,
): Promise<string | undefined> {
  const row = await db()
    .selectFrom('service_requests')
    .select('request_id')
    .where('client_id', '=', clientId)
    .where('status', '=', 'Draft')
    .where('type', '=', type)
    .where('form_id', '=', formId)
    .where('created_by', '=', contactId)
    .where('employee_id', employeeId === undefined ? 'is' : '=', employeeId ?? null)
    .where('deleted_at', 'is', null)
    .whereRef('changed_at', '=', 'created_at')
    .executeTakeFirst();
  return row?.request_id;
}

async function insertDraft(actor: Actor, { clientId, type, formId, employeeId }: Draft): Promise<string> {
  const requestId = newId('request');
  const year = Number((await firmToday(actor.companyId)).slice(0, 4));
  await db()
    .insertInto('service_requests')
    .values({
      request_id: requestId,
      company_id: actor.companyId,
      client_id: clientId,
      year,
      number: await nextNumber(actor.companyId, year),
      type,
      form_id: formId,
      status: 'Draft',
      outcome: null,
      employee_id: employeeId ?? null,
      about: encryptFor('service_requests.about', requestId, ''),
      is_begun_by_firm: actor.staff ? 1 : 0,
      created_at: now(),
      created_by: actor.contactId,
      changed_at: now(),
      submitted_at: null,
      submission: 0,
      opened_at: null,
      replied_at: null,
      waits_since: null,
      lapses_on: null,
      due_on: null,
      responsible: null,
      version: 1,
      deleted_at: null,
      is_minimum: 0,
      lapse_notices: 0,
    })
    .execute();
  await audit({
    companyId: actor.companyId,
    actor: actor.contactId,
    action: 'service-request.begin',
    target: requestId,
    clientId,
  });
  return requestId;
}

/** The next number of a firm in a year. */
async function nextNumber(companyId: string, year: number): Promise<number> {
  const { last_number: number } = await db()
    .insertInto('service_request_numbers')
    .values({ company_id: companyId, year, last_number: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'year'])
        .doUpdateSet((e) => ({ last_number: e('service_request_numbers.last_number', '+', 1) })),
    )
    .returning('last_number')
    .executeTakeFirstOrThrow();
  return Number(number);
}

/** Most workers were born in Brazil; who was not changes it. */
function bornInBrazil(form: Template): Record<string, AnswerValue> {
  const [lang = DEFAULT_LANG] = form.languages;
  const brazil = { key: 'BR', text: countries(lang).find(({ id }) => id === 'BR')?.name ?? 'BR' };
  return Object.fromEntries(
    ['person.birth-country', 'person.nationality']
      .filter((path) => questionAt(form, path))
      .map((path) => [path, brazil]),
  );
}

/** Answers what is known of the employee: who it is, and the oldest year of work that has vacation left. */
async function prefill(actor: Actor, requestId: string, form: Template, employee: Employee): Promise<void> {
  const open = employee.vacationPeriods.map(shownPeriodOf).find(({ leftDays }) => leftDays > 0);
  const known: Record<string, AnswerValue | undefined> = {
    [EMPLOYEE_PATH]: { key: employee.id, text: employee.name },
    'request.period-start': open?.startsOn,
    'request.absences': open?.absences,
    ...openVacation(employee),
  };
  for (const [path, value] of Object.entries(known))
    if (value !== undefined && isPathOf(form, path)) await writeAnswer(actor, requestId, path, value);
}

/** The years of work that have vacation left, as rows of the termination of a contract. */
function openVacation({ vacationPeriods }: Employee): Record<string, AnswerValue> {
  const rows = vacationPeriods
    .map(shownPeriodOf)
    .filter(({ leftDays }) => leftDays > 0)
    .slice(-5)
    .map(({ startsOn, leftDays }) => ({ row: newRowId(), startsOn, leftDays }));
  if (rows.length === 0) return {};
  const group = 'request.open-vacation';
  return {
    [orderPath(group)]: rows.map(({ row }) => row),
    ...Object.fromEntries<AnswerValue>(
      rows.flatMap(({ row, startsOn, leftDays }) => [
        [`${group}.${row}.start`, startsOn] as const,
        [`${group}.${row}.left`, leftDays] as const,
      ]),
    ),
  };
}

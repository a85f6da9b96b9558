import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { staffOf } from '#features/base/people/staff.server.ts';
import { calendarOfFirm } from '#features/base/work-calendars/firm-holidays.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { assertWrites } from './access.server.ts';
import { outcomeAfter, requestCourse, type RequestAction, type RequestStatus } from './course.ts';
import { lapseDay, promisedDay } from './deadlines.ts';
import { changeByReply, undoChangeOf } from './employee-changes.server.ts';
import { requestSettled, requestWaits } from './events.server.ts';
import { notifyOtherSide } from './mails.server.ts';
import { storeMarks } from './marks.server.ts';
import { storeMessage } from './messages.server.ts';
import { formOfRequest } from './request-forms.server.ts';
import { assertPossible, factsOf, firmToday, lockRequest, type RequestRow } from './scope.server.ts';
import { shownNumber } from './service-requests.ts';
import { settingsOf } from './settings.server.ts';
import { reasonPath, writeAnswer } from './stored-answers.server.ts';
import { hasChanged, submit, takeBackFiles } from './submitting.server.ts';

/** What an action needs: not all need anything. */
export interface ActionInput {
  /** The version that the person saw; EDIT_CONFLICT if it has changed since. */
  version?: number | undefined;
  text?: string | undefined;
  /** Answers that are returned, with the reasons. */
  marks?: readonly { path: string; reason: string }[] | undefined;
  documentIds?: readonly string[] | undefined;
  /** Of a reply: changes the employee as the request says; a new one gets the registration. */
  employee?: { registration: string } | undefined;
  /** Of a request that the firm reopens: undoes what the reply changed of the employee. */
  undoesChange?: boolean | undefined;
  /** Why the client wants what rules ask a reason for. */
  confirmations?: readonly { rule: string; reason: string }[] | undefined;
}

/** What people do with a request besides answering its questions. */
export type PerformedAction = Exclude<RequestAction, 'save' | 'confirm-reading' | 'lapse' | 'expire'>;

/** Actions that send what was filled in. */
const SENDING: readonly PerformedAction[] = ['submit', 'submit-minimum', 'submit-rest', 'resubmit'];

/** How the client sends all that is filled in, by the state of the request. */
export function sendingOf({
  status,
  is_minimum: isMinimum,
}: Pick<RequestRow, 'status' | 'is_minimum'>): PerformedAction {
  if (status === 'WaitingForCorrection') return 'resubmit';
  return isMinimum === 1 ? 'submit-rest' : 'submit';
}

/** Actions that are nothing without words. */
const WITH_TEXT: readonly PerformedAction[] = ['ask', 'decline', 'cancel', 'reopen'];

/**
 * Does something with a request, in one transaction with all that follows from it. NOT_FOUND, FORBIDDEN; EDIT_CONFLICT if
 * the request has changed; CLOSED, OPENED or NOT_POSSIBLE if its state does not allow it; INCOMPLETE with the findings;
 * EMPTY without the words or answers that it needs. INVALID if the employee cannot be changed as the reply says, CHANGED if
 * the change cannot be undone because the employee has changed since.
 */
export async function performAction(
  actor: Actor,
  requestId: string,
  action: PerformedAction,
  input: ActionInput = {},
): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertWrites(current);
    const row = await lockRequest(current, requestId);
    if (input.version !== undefined && input.version !== Number(row.version))
      throw new PortalError('EDIT_CONFLICT');
    await assertPossible(current, row, action);
    if (action === 'open' && row.opened_at !== null) return;
    await change(current, row, action, input);
  });
}

async function change(
  actor: Actor,
  row: RequestRow,
  action: PerformedAction,
  input: ActionInput,
): Promise<void> {
  const text = input.text?.trim() ?? '';
  const isAnswered = action === 'answer' && (await hasChanged(row));
  assertSaid(action, input, { text, isAnswered });
  for (const { rule, reason } of input.confirmations ?? [])
    await writeAnswer(actor, row.request_id, reasonPath(rule), reason);
  const isMinimum = action === 'submit-minimum' || (row.is_minimum === 1 && action !== 'submit-rest');
  const isSent = SENDING.includes(action) || isAnswered;
  const sent = isSent ? await submit(actor, row, { isMinimum }) : undefined;
  if (action === 'take-back') await takeBackFiles(row);
  if (action === 'return')
    await storeMarks(row, await formOfRequest(row), { marks: input.marks ?? [], by: actor.contactId });
  if (action === 'reply' && input.employee) await changeByReply(actor, row, input.employee);
  if (action === 'reopen' && input.undoesChange === true) await undoChangeOf(actor, row);
  const status = requestCourse.next(action, await factsOf(row));
  await db()
    .updateTable('service_requests')
    .set({ ...(await stateAfter(row, action, status)), ...sent?.columns })
    .where('request_id', '=', row.request_id)
    .execute();
  await audit({
    companyId: row.company_id,
    actor: actor.contactId,
    action: `service-request.${action}`,
    target: row.request_id,
    clientId: row.client_id,
    details: sent?.details ?? {},
  });
  if (action === 'open' || action === 'delete') return;
  const messageId = await storeMessage(actor, row, {
    kind: action,
    text,
    documentIds: input.documentIds ?? [],
  });
  await announce(row, status);
  await notifyOtherSide(actor, row, { kind: action, messageId });
}

/** Throws EMPTY where something has to be said. */
function assertSaid(
  action: PerformedAction,
  { marks = [], documentIds = [] }: ActionInput,
  { text, isAnswered }: { text: string; isAnswered: boolean },
): void {
  if (action === 'return' && marks.length === 0) throw new PortalError('EMPTY', { field: 'marks' });
  const isSilent =
    (WITH_TEXT.includes(action) && text === '') ||
    (action === 'reply' && text === '' && documentIds.length === 0) ||
    (action === 'answer' && text === '' && !isAnswered);
  if (isSilent) throw new PortalError('EMPTY', { field: 'text' });
}

/** The columns that an action changes. */
async function stateAfter(row: RequestRow, action: PerformedAction, status: RequestStatus) {
  const { lapseDays, promiseDays } = await settingsOf(row.company_id, row.type);
  const isWaitingForClient = status === 'WaitingForClient' || status === 'WaitingForCorrection';
  const isNew = status !== row.status;
  return {
    status,
    version: Number(row.version) + 1,
    changed_at: now(),
    outcome: status === 'Replied' ? (outcomeAfter(action) ?? row.outcome) : null,
    ...(isNew && {
      waits_since: status === 'Draft' || status === 'Replied' ? null : now(),
      lapse_notices: 0,
      lapses_on: isWaitingForClient ? lapseDay(await firmToday(row.company_id), lapseDays) : null,
      replied_at: status === 'Replied' ? now() : null,
      replied_on: status === 'Replied' ? await firmToday(row.company_id) : null,
      promised_on:
        status === 'WaitingForAnswer' && promiseDays !== null
          ? await promisedOn(row.company_id, promiseDays)
          : null,
    }),
    ...(action === 'open' && { opened_at: now() }),
    // what staff have opened of the minimum stays opened when the rest is sent
    ...((action === 'submit' || action === 'submit-minimum') && { opened_at: null }),
    ...(action === 'take-back' && { is_minimum: 0 as const }),
    ...(action === 'delete' && { deleted_at: now() }),
  };
}

/** The firm's promise counts its business days from today. */
async function promisedOn(companyId: string, days: number): Promise<string> {
  const { isBankDay } = await calendarOfFirm(companyId);
  return promisedDay(await firmToday(companyId), days, isBankDay);
}

/** What the firm has in its inbox follows from what waits for it. */
async function announce(row: RequestRow, status: RequestStatus): Promise<void> {
  const { company_id: companyId, client_id: clientId, request_id: requestId } = row;
  if (status === 'WaitingForAnswer')
    await requestWaits.announce({
      companyId,
      clientId,
      requestId,
      name: shownNumber(Number(row.year), Number(row.number)),
    });
  else await requestSettled.announce({ companyId, requestId });
}

interface Assignment {
  /** A member of staff; null for nobody. */
  responsible: string | null;
  /** Who was responsible when somebody decided this; CHANGED if it is another one now. */
  before?: string | null;
}

/** Makes somebody of the firm responsible for a request, or nobody. FORBIDDEN, NOT_FOUND also for that person, CHANGED. */
export async function assignRequest(
  actor: Actor,
  requestId: string,
  { responsible, before }: Assignment,
): Promise<void> {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertWrites(current);
    const row = await lockRequest(current, requestId);
    if (row.responsible === responsible) return;
    if (before !== undefined && row.responsible !== before) throw new PortalError('CHANGED');
    if (responsible !== null) await assertStaff(current, responsible);
    await db()
      .updateTable('service_requests')
      .set({ responsible, version: Number(row.version) + 1 })
      .where('request_id', '=', requestId)
      .execute();
    await audit({
      companyId: row.company_id,
      actor: current.contactId,
      action: assignmentOf(current, responsible),
      target: requestId,
      clientId: row.client_id,
    });
  });
}

function assignmentOf({ contactId }: Actor, responsible: string | null) {
  if (responsible === contactId) return 'service-request.take' as const;
  return responsible === null ? ('service-request.leave' as const) : ('service-request.assign' as const);
}

/** Notes that the client of a request was reminded of it, in the open transaction. */
export async function recordReminder(
  actor: Actor,
  { request_id: id, company_id: companyId, client_id: clientId }: RequestRow,
): Promise<void> {
  await db()
    .updateTable('service_requests')
    .set({ reminded_at: now() })
    .where('request_id', '=', id)
    .execute();
  await audit({ companyId, actor: actor.contactId, action: 'service-request.remind', target: id, clientId });
}

/** Throws NOT_FOUND unless somebody is staff of the actor's firm who can sign in. */
export async function assertStaff({ companyId }: Actor, contactId: string): Promise<void> {
  const found = await staffOf(companyId)
    .select('contacts.contact_id')
    .where('contacts.contact_id', '=', contactId)
    .where('contacts.suspended_at', 'is', null)
    .where('contacts.removed_at', 'is', null)
    .executeTakeFirst();
  if (!found) throw notFound();
}

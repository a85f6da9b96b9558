import { addDays } from '#features/base/work-calendars/days.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { db, inTransaction, lockRows } from '#platform/database/database.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { dayOf, startOfDay } from '#platform/text/time-zones.ts';
import { courseRefusal } from '#features/tasks/answer-editor/course.ts';
import { outcomeAfter, requestCourse } from './course.ts';
import { lapseStage, type LapseStage } from './deadlines.ts';
import { requestSettled, requestWaits } from './events.server.ts';
import { notifyOfLapse } from './mails.server.ts';
import { factsOf, type RequestRow } from './scope.server.ts';
import { shownNumber } from './service-requests.ts';

/*
 * A request that waits for its client lapses after the last day that the firm gives them, with a notice at half of the time,
 * three days before, and once it has lapsed. While a date of the law is open it never lapses: the firm is told instead.
 */

const AT_ONCE = 100;
/** The hour in the firm's time zone after which its day is looked at. */
const HOUR_OF_DAY = 6;

/** Sends the notices of today, and ends the requests whose last day is over. */
export async function lapseRequests(signal: AbortSignal): Promise<void> {
  let after: string | undefined = '';
  while (after !== undefined && !signal.aborted) {
    const rows: { request_id: string }[] = await db()
      .selectFrom('service_requests')
      .select('request_id')
      .where('status', 'in', ['WaitingForClient', 'WaitingForCorrection'])
      .where('lapses_on', 'is not', null)
      .where('request_id', '>', after)
      .orderBy('request_id')
      .limit(AT_ONCE)
      .execute();
    for (const row of rows) await inTransaction(() => step(row.request_id));
    after = rows.length < AT_ONCE ? undefined : rows.at(-1)?.request_id;
  }
}

/** How many notices a request has had after a stage. */
const NOTICES: Readonly<Record<LapseStage, number>> = { half: 1, soon: 2, over: 3 };

async function step(requestId: string): Promise<void> {
  const row = await db()
    .selectFrom('service_requests')
    .selectAll()
    .where('request_id', '=', requestId)
    .where('deleted_at', 'is', null)
    .modifyEnd(lockRows)
    .executeTakeFirst();
  if (!row || row.lapses_on === null || row.waits_since === null) return;
  const { timeZone } = await firmOf(row.company_id);
  const today = dayOf(now(), timeZone);
  if (now() < startOfDay(today, timeZone) + HOUR_OF_DAY * HOUR) return;
  const stage = lapseStage(dayOf(Number(row.waits_since), timeZone), row.lapses_on, today);
  if (stage === undefined || Number(row.lapse_notices) >= NOTICES[stage]) return;
  await db()
    .updateTable('service_requests')
    .set({ lapse_notices: NOTICES[stage] })
    .where('request_id', '=', requestId)
    .execute();
  if (stage !== 'over') return notifyOfLapse(row, stage);
  if (courseRefusal(requestCourse, await factsOf(row), 'lapse', 'system') === undefined) return lapse(row);
  await requestWaits.announce({
    companyId: row.company_id,
    clientId: row.client_id,
    requestId,
    name: shownNumber(Number(row.year), Number(row.number)),
  });
  await lookAgain(row, today);
}

/** Ends a request that nobody has answered. */
async function lapse(row: RequestRow): Promise<void> {
  await db()
    .updateTable('service_requests')
    .set({
      status: requestCourse.next('lapse', await factsOf(row)),
      outcome: outcomeAfter('lapse') ?? null,
      version: Number(row.version) + 1,
      changed_at: now(),
      replied_at: now(),
      waits_since: null,
      lapses_on: null,
    })
    .where('request_id', '=', row.request_id)
    .execute();
  await audit({
    companyId: row.company_id,
    actor: 'portal',
    action: 'service-request.lapse',
    target: row.request_id,
    clientId: row.client_id,
  });
  await requestSettled.announce({ companyId: row.company_id, requestId: row.request_id });
  await notifyOfLapse(row, 'over');
}

/** The day after the date of the law the request can lapse. */
const lookAgain = ({ request_id: id, due_on: dueOn }: RequestRow, today: string) =>
  db()
    .updateTable('service_requests')
    .set({ lapses_on: dueOn ?? addDays(today, 1), lapse_notices: NOTICES.soon })
    .where('request_id', '=', id)
    .execute();

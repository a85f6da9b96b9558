import { holidaysAt } from '#features/base/work-calendars/firm-holidays.server.ts';
import { actorsOf } from '#features/base/people/people.server.ts';
import { canAccessPortal } from '#features/base/people/people.ts';
import { visibleTypes } from '#features/tasks/tasks/scope.server.ts';
import { bouncedContacts } from './bounced.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import {
  candidatesIn,
  contactZones,
  pageAfter,
  withChanges,
  type Candidate,
} from './internal/candidates.server.ts';
import { hourOf, maySendAt, reminderTimesOf, type ReminderTimes } from './reminder-settings.server.ts';
import { dueKeys, EARLIEST_HOUR, LATEST_HOUR, type ReminderFacts } from './schedule.ts';

/*
 * Finds who has to be reminded now. A reminder is a row that is unique for a contact and a date of theirs, and its
 * milestones are unique for a task and contact, so however many processes sweep, each is sent once. The mail itself is
 * made by a job that exists exactly if these rows do (digests.server.ts).
 */

/** At least so long after a reminder there is no other, should the contact's time zone change (ms). */
const REST = 12 * HOUR;

/** Queues the reminders that are due. Returns how many. */
export async function sweepReminders(): Promise<number> {
  let count = 0;
  const zones = (await contactZones()).filter((zone) => {
    const hour = hourOf(now(), zone);
    return hour >= EARLIEST_HOUR && hour < LATEST_HOUR;
  });
  for (const [today, sameDay] of Map.groupBy(zones, (zone) => dayOf(now(), zone)))
    for (let page = await pageAfter(''); page; page = await pageAfter(page.last)) {
      const candidates = await candidatesIn(page, today, sameDay);
      const changed = await withChanges(page, today, sameDay);
      if (candidates.length > 0 || changed.length > 0) count += await remind(today, candidates, changed);
    }
  return count;
}

interface Reminder {
  digestId: string;
  times: ReminderTimes;
  keys: { taskId: string; keys: string[] }[];
}

async function remind(
  today: string,
  candidates: readonly Candidate[],
  changed: readonly string[],
): Promise<number> {
  const contactIds = [...new Set([...candidates.map(({ contactId }) => contactId), ...changed])];
  const ready = await readyContacts(contactIds, today);
  const waiting = candidates.filter(({ contactId }) => ready.has(contactId));
  const due = await dueTasks(waiting, ready, today);
  const reminders: Reminder[] = [...ready.values()]
    .map((times) => ({ digestId: newId('digest'), times, keys: due.get(times.contactId) ?? [] }))
    .filter(({ keys, times }) => keys.length > 0 || changed.includes(times.contactId));
  return reminders.length === 0 ? 0 : inTransaction(() => store(reminders, today));
}

/** Those of these contacts to whom the schedule may write now. */
async function readyContacts(
  contactIds: readonly string[],
  today: string,
): Promise<Map<string, ReminderTimes>> {
  const all = await reminderTimesOf(contactIds);
  const ready = new Map(
    [...all].filter(([, times]) => dayOf(now(), times.timeZone) === today && maySendAt(now(), times)),
  );
  if (ready.size === 0) return ready;
  const recent = await db()
    .selectFrom('task_digests')
    .select('contact_id')
    .where('contact_id', 'in', [...ready.keys()])
    .where('created_at', '>', now() - REST)
    .execute();
  for (const { contact_id: id } of recent) ready.delete(id);
  for (const id of await bouncedContacts([...ready.keys()])) ready.delete(id);
  return ready;
}

/** The tasks of which contacts are to be reminded, with the milestones that this tells them. */
async function dueTasks(
  candidates: readonly Candidate[],
  ready: ReadonlyMap<string, ReminderTimes>,
  today: string,
): Promise<Map<string, { taskId: string; keys: string[] }[]>> {
  const due = new Map<string, { taskId: string; keys: string[] }[]>();
  if (candidates.length === 0) return due;
  const taskIds = [...new Set(candidates.map(({ taskId }) => taskId))];
  const contactIds = [...new Set(candidates.map(({ contactId }) => contactId))];
  const tasks = new Map((await tasksNamed(taskIds)).map((row) => [row.task_id, row]));
  const readers = new Map((await actorsOf(contactIds)).map((actor) => [actor.contactId, actor]));
  const told = await toldKeys(taskIds);
  const promises = await promisesOf(taskIds);
  const holidays = await holidaysOfFirms(ready);
  for (const { contactId, taskId } of candidates) {
    const [task, reader, times] = [tasks.get(taskId), readers.get(contactId), ready.get(contactId)];
    if (!task || !times || !reader || !canAccessPortal(reader)) continue;
    if (!visibleTypes(reader).includes(task.type)) continue;
    const ofTask = promises.get(taskId) ?? [];
    const facts: ReminderFacts = {
      status: task.status,
      dueOn: task.due_on,
      askedAt: task.asked_at,
      askedOn: dayOf(task.asked_at, times.timeZone),
      changedAt: task.changed_at,
      changedOn: dayOf(task.changed_at, times.timeZone),
      promisedOn: ofTask
        .map((promise) => promise.promised_on)
        .toSorted()
        .at(-1),
      ownPromise: ofTask.find((promise) => promise.contact_id === contactId)?.promised_on,
      told: told.get(`${taskId} ${contactId}`) ?? new Set(),
    };
    const keys = dueKeys(facts, {
      now: now(),
      today,
      restDays: times.restDays,
      isHoliday: holidays.get(times.companyId) ?? (() => false),
    });
    if (keys.length > 0) due.set(contactId, [...(due.get(contactId) ?? []), { taskId, keys }]);
  }
  return due;
}

/** The holidays of the firms of these contacts. */
async function holidaysOfFirms(
  ready: ReadonlyMap<string, ReminderTimes>,
): Promise<ReadonlyMap<string, (day: string) => boolean>> {
  const holidays = new Map<string, (day: string) => boolean>();
  for (const { companyId } of ready.values())
    if (!holidays.has(companyId)) holidays.set(companyId, await holidaysAt(companyId));
  return holidays;
}

async function tasksNamed(taskIds: readonly string[]) {
  const rows = [];
  for (const some of inBatches(taskIds))
    rows.push(
      ...(await db()
        .selectFrom('tasks')
        .innerJoin('clients', 'clients.client_id', 'tasks.client_id')
        .select([
          'tasks.task_id',
          'tasks.type',
          'tasks.status',
          'tasks.due_on',
          'tasks.asked_at',
          'tasks.changed_at',
        ])
        .where('tasks.task_id', 'in', some)
        .where('clients.archived_at', 'is', null)
        .execute()),
    );
  return rows;
}

async function toldKeys(taskIds: readonly string[]): Promise<Map<string, Set<string>>> {
  const told = new Map<string, Set<string>>();
  for (const some of inBatches(taskIds)) {
    const rows = await db()
      .selectFrom('task_reminders')
      .select(['task_id', 'contact_id', 'milestone'])
      .where('task_id', 'in', some)
      .execute();
    for (const row of rows) {
      const key = `${row.task_id} ${row.contact_id}`;
      told.set(key, (told.get(key) ?? new Set()).add(row.milestone));
    }
  }
  return told;
}

async function promisesOf(taskIds: readonly string[]) {
  const rows = [];
  for (const some of inBatches(taskIds))
    rows.push(...(await db().selectFrom('task_promises').selectAll().where('task_id', 'in', some).execute()));
  return Map.groupBy(rows, (row) => row.task_id);
}

/** Stores reminders with their jobs; those whose contact got one meanwhile are left out. */
async function store(reminders: readonly Reminder[], today: string): Promise<number> {
  const added = await db()
    .insertInto('task_digests')
    .values(
      reminders.map(({ digestId, times }) => ({
        digest_id: digestId,
        company_id: times.companyId,
        contact_id: times.contactId,
        local_date: today,
        requested_by: null,
        created_at: now(),
        mail_id: null,
      })),
    )
    .onConflict((conflict) => conflict.columns(['contact_id', 'local_date']).doNothing())
    .returning('digest_id')
    .execute();
  const ids = new Set(added.map((row) => row.digest_id));
  const stored = reminders.filter(({ digestId }) => ids.has(digestId));
  const rows = stored.flatMap(({ digestId, times, keys }) =>
    keys.flatMap(({ taskId, keys: ofTask }) =>
      ofTask.map((milestone) => ({
        digest_id: digestId,
        task_id: taskId,
        contact_id: times.contactId,
        milestone,
      })),
    ),
  );
  for (const some of inBatches(rows))
    await db()
      .insertInto('task_reminders')
      .values(some)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  for (const { digestId, times } of stored) await queueDigest(digestId, times.companyId);
  return stored.length;
}

/** Queues the job that mails a reminder. */
export const queueDigest = (digestId: string, companyId: string, runAt = now()): Promise<void> =>
  enqueue('task-digest', { digestId }, `task-digest:${digestId}`, companyId, runAt);

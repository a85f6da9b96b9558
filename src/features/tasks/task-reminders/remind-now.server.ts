import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assertManagesTasks } from '#features/tasks/tasks/creating.server.ts';
import { isPending } from '#features/tasks/tasks/rules.ts';
import { tasksOf, type TaskRow } from '#features/tasks/tasks/scope.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { bouncedContacts } from './bounced.server.ts';
import { contactsFor } from './notices.server.ts';
import { isPausedOn, reminderTimesOf, sendableAt, type ReminderTimes } from './reminder-settings.server.ts';
import { REQUESTED } from './schedule.ts';
import { queueDigest } from './sweep.server.ts';

/** Nobody is reminded more often than once in this time (ms). */
const INTERVAL = DAY;
/** Tasks that one call reminds of. */
const MAX_REMINDED = 500;

/**
 * What became of a reminder of a task: sent to at least one contact, or why to none of them. `lastAt` is when the last
 * reminder went to one of its contacts (epoch ms).
 */
export interface RemindResult {
  taskId: string;
  outcome: 'sent' | 'too-soon' | 'bounced' | 'paused' | 'no-contact' | 'not-open';
  lastAt: number | undefined;
}

/**
 * Reminds the contacts of these tasks now, or in the morning if it is night for them: each in one mail, and at most once
 * in 24 hours. Returns what happened for each task that the actor may see; others are left out. FORBIDDEN for those who
 * may not change tasks.
 */
export async function remindNow(actor: Actor, taskIds: readonly string[]): Promise<RemindResult[]> {
  assertManagesTasks(actor);
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesTasks(current);
    const tasks = await tasksOf(current)
      .selectAll('tasks')
      .where('tasks.task_id', 'in', [...taskIds.slice(0, MAX_REMINDED), ''])
      .execute();
    const contacts = await contactsOfTasks(tasks);
    const all = [...new Set([...contacts.values()].flat())];
    const state = await contactStates(all);
    const reminded = await store(current, tasks, contacts, state);
    return tasks.map((task) => resultOf(task, contacts.get(task.task_id) ?? [], { state, reminded }));
  });
}

/**
 * Whom {@link remindNow} would remind of these tasks, by name, and of how many of them; of the first 500. FORBIDDEN for
 * those who may not change tasks.
 */
export async function remindedBy(
  actor: Actor,
  taskIds: readonly string[],
): Promise<{ names: string[]; tasks: number }> {
  assertManagesTasks(actor);
  const tasks = await tasksOf(actor)
    .selectAll('tasks')
    .where('tasks.task_id', 'in', [...taskIds.slice(0, MAX_REMINDED), ''])
    .execute();
  const open = tasks.filter(({ status }) => isPending(status));
  const contacts = await contactsOfTasks(open);
  const state = await contactStates([...new Set([...contacts.values()].flat())]);
  const reached = new Set([...state].flatMap(([id, contact]) => (isReminderPossible(contact) ? [id] : [])));
  const names = await db()
    .selectFrom('contacts')
    .select('full_name')
    .where('contact_id', 'in', [...reached, ''])
    .orderBy('full_name')
    .execute();
  const isReached = ({ task_id: id }: TaskRow): boolean =>
    contacts.get(id)?.some((contactId) => reached.has(contactId)) === true;
  return { names: names.map((row) => row.full_name), tasks: open.filter(isReached).length };
}

/** Those of these contacts whom {@link remindNow} would not remind, besides those who have turned reminders off. */
export async function withoutReminder(
  contactIds: readonly string[],
): Promise<Map<string, 'bounced' | 'paused' | 'recent'>> {
  const found = new Map<string, 'bounced' | 'paused' | 'recent'>();
  for (const [id, contact] of await contactStates(contactIds)) {
    const { times, isBounced } = contact;
    if (isReminderPossible(contact) || times === undefined) continue;
    const isPaused = isPausedOn(dayOf(now(), times.timeZone), times);
    found.set(id, isBounced ? 'bounced' : isPaused ? 'paused' : 'recent');
  }
  return found;
}

interface ContactState {
  times: ReminderTimes | undefined;
  isBounced: boolean;
  lastAt: number | undefined;
}

async function contactsOfTasks(tasks: readonly TaskRow[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const byKind = new Map<string, string[]>();
  for (const task of tasks) {
    const kind = `${task.client_id} ${task.type}`;
    const known =
      byKind.get(kind) ??
      (
        await contactsFor({
          taskId: task.task_id,
          companyId: task.company_id,
          clientId: task.client_id,
        })
      ).map(({ contactId }) => contactId);
    byKind.set(kind, known);
    found.set(task.task_id, known);
  }
  return found;
}

async function contactStates(contactIds: readonly string[]): Promise<Map<string, ContactState>> {
  const times = await reminderTimesOf(contactIds);
  const bounced = await bouncedContacts(contactIds);
  const last = await lastReminders(contactIds);
  return new Map(
    contactIds.map((id) => [id, { times: times.get(id), isBounced: bounced.has(id), lastAt: last.get(id) }]),
  );
}

/** When these contacts were reminded last (epoch ms). */
async function lastReminders(contactIds: readonly string[]): Promise<Map<string, number>> {
  if (contactIds.length === 0) return new Map();
  const rows = await db()
    .selectFrom('task_digests')
    .select((e) => ['contact_id', e.fn.max('created_at').as('last')])
    .where('contact_id', 'in', contactIds)
    .where('mail_id', 'is not', null)
    .groupBy('contact_id')
    .execute();
  const waiting = await db()
    .selectFrom('task_digests')
    .select((e) => ['contact_id', e.fn.max('created_at').as('last')])
    .where('contact_id', 'in', contactIds)
    .where('requested_by', 'is not', null)
    .groupBy('contact_id')
    .execute();
  const last = new Map<string, number>();
  for (const row of [...rows, ...waiting])
    last.set(row.contact_id, Math.max(last.get(row.contact_id) ?? 0, Number(row.last)));
  return last;
}

const isReminderPossible = ({ times, isBounced, lastAt }: ContactState): boolean =>
  times !== undefined &&
  !isBounced &&
  !times.isTurnedOff &&
  !isPausedOn(dayOf(now(), times.timeZone), times) &&
  (lastAt === undefined || lastAt <= now() - INTERVAL);

/** Stores the reminders with their jobs, and returns the contacts who get one. */
async function store(
  actor: Actor,
  tasks: readonly TaskRow[],
  contacts: ReadonlyMap<string, string[]>,
  state: ReadonlyMap<string, ContactState>,
): Promise<Set<string>> {
  const reminded = new Set<string>();
  const open = tasks.filter(({ status }) => isPending(status));
  for (const [contactId, contact] of state) {
    const own = open.filter((task) => contacts.get(task.task_id)?.includes(contactId));
    const { times } = contact;
    if (!times || own.length === 0 || !isReminderPossible(contact)) continue;
    const at = sendableAt(now(), times);
    const digestId = newId('digest');
    const added = await db()
      .insertInto('task_digests')
      .values({
        digest_id: digestId,
        company_id: times.companyId,
        contact_id: contactId,
        local_date: dayOf(at, times.timeZone),
        requested_by: actor.contactId,
        created_at: now(),
        mail_id: null,
      })
      .onConflict((conflict) => conflict.columns(['contact_id', 'local_date']).doNothing())
      .returning('digest_id')
      .executeTakeFirst();
    if (!added) continue; // reminded on this day already
    await db()
      .insertInto('task_reminders')
      .values(
        own.map((task) => ({
          digest_id: digestId,
          task_id: task.task_id,
          contact_id: contactId,
          milestone: REQUESTED,
        })),
      )
      .execute();
    await queueDigest(digestId, times.companyId, at);
    reminded.add(contactId);
    await audit({
      companyId: times.companyId,
      actor: actor.contactId,
      action: 'reminders.send',
      target: contactId,
      details: { tasks: own.length },
    });
  }
  return reminded;
}

function resultOf(
  { task_id: taskId, status }: TaskRow,
  contactIds: readonly string[],
  { state, reminded }: { state: ReadonlyMap<string, ContactState>; reminded: ReadonlySet<string> },
): RemindResult {
  const contacts = contactIds.flatMap((id) => state.get(id) ?? []).filter(({ times }) => times !== undefined);
  const lastAt = contacts
    .flatMap((contact) => contact.lastAt ?? [])
    .toSorted((a, b) => a - b)
    .at(-1);
  const outcome = (): RemindResult['outcome'] => {
    if (!isPending(status)) return 'not-open';
    if (contactIds.some((id) => reminded.has(id))) return 'sent';
    if (contacts.length === 0) return 'no-contact';
    if (contacts.every(({ isBounced }) => isBounced)) return 'bounced';
    const reachable = contacts.filter(({ isBounced }) => !isBounced);
    const isQuiet = ({ times }: ContactState): boolean =>
      times !== undefined && (times.isTurnedOff || isPausedOn(dayOf(now(), times.timeZone), times));
    return reachable.every(isQuiet) ? 'paused' : 'too-soon';
  };
  return { taskId, outcome: outcome(), lastAt: contactIds.some((id) => reminded.has(id)) ? now() : lastAt };
}

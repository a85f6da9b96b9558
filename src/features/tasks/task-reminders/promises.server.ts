import { actorNow, actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { FirmChange } from '#features/tasks/tasks/events.server.ts';
import { isPending } from '#features/tasks/tasks/rules.ts';
import { lockTask, taskRow } from '#features/tasks/tasks/scope.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { addDays, dayOf } from '#platform/text/time-zones.ts';
import { reminderTimesOf } from './reminder-settings.server.ts';

/** How far ahead somebody can plan (days): no promise ends the reminders for good. */
const MAX_PROMISE_DAYS = 60;

/** The date by which a contact wants to finish a task. */
export interface Promised {
  contactId: string;
  name: string;
  promisedOn: string;
}

/**
 * Stores the date by which the caller wants to finish a task, until which nobody is reminded of it. NOT_FOUND;
 * FORBIDDEN for staff; CLOSED for a complete task; INVALID for a date that is over, further ahead than 60 days, or past
 * the end of the task.
 */
export async function promiseTask(actor: Actor, taskId: string, promisedOn: string): Promise<void> {
  assertOwnContact(actor);
  await inTransaction(async () => {
    const current = await actorNow(actor);
    const row = await lockTask(current, taskId);
    if (!isPending(row.status)) throw new PortalError('CLOSED');
    const today = await contactToday(current);
    const latest = addDays(today, MAX_PROMISE_DAYS);
    if (promisedOn < today || promisedOn > latest || (row.expires_on !== null && promisedOn > row.expires_on))
      throw new PortalError('INVALID', { field: 'promisedOn' });
    const values = { promised_on: promisedOn, created_at: now() };
    await db()
      .insertInto('task_promises')
      .values({ task_id: taskId, contact_id: current.contactId, ...values })
      .onConflict((conflict) => conflict.columns(['task_id', 'contact_id']).doUpdateSet(values))
      .execute();
    await audit({
      companyId: row.company_id,
      actor: current.contactId,
      action: 'task.promise',
      target: taskId,
      clientId: row.client_id,
      details: { on: promisedOn },
    });
  });
}

/**
 * Takes over the date by which a contact sends the last documents of a task, at most 60 days ahead, until which nobody
 * is reminded of it; in the transaction that stores it.
 */
export async function promisedItems({
  taskId,
  contactId,
  promisedOn,
}: {
  taskId: string;
  contactId: string;
  promisedOn: string;
}): Promise<void> {
  const { companyId } = await actorOf(contactId);
  const latest = addDays(await contactToday({ contactId, companyId }), MAX_PROMISE_DAYS);
  const values = { promised_on: promisedOn < latest ? promisedOn : latest, created_at: now() };
  await db()
    .insertInto('task_promises')
    .values({ task_id: taskId, contact_id: contactId, ...values })
    .onConflict((conflict) => conflict.columns(['task_id', 'contact_id']).doUpdateSet(values))
    .execute();
}

/** Removes the caller's date, after which the schedule goes on. Does nothing without one. NOT_FOUND, FORBIDDEN. */
export async function withdrawPromise(actor: Actor, taskId: string): Promise<void> {
  assertOwnContact(actor);
  await inTransaction(async () => {
    const current = await actorNow(actor);
    const row = await lockTask(current, taskId);
    const removed = await db()
      .deleteFrom('task_promises')
      .where('task_id', '=', taskId)
      .where('contact_id', '=', current.contactId)
      .returning('task_id')
      .executeTakeFirst();
    if (!removed) return;
    await audit({
      companyId: row.company_id,
      actor: current.contactId,
      action: 'task.withdraw-promise',
      target: taskId,
      clientId: row.client_id,
    });
  });
}

/** The dates by which contacts want to finish a task, the latest first. NOT_FOUND. */
export async function promisesFor(actor: Actor, taskId: string): Promise<Promised[]> {
  await taskRow(actor, taskId, { withDeleted: true });
  const rows = await db()
    .selectFrom('task_promises')
    .innerJoin('contacts', 'contacts.contact_id', 'task_promises.contact_id')
    .select(['contacts.contact_id', 'contacts.full_name', 'task_promises.promised_on'])
    .where('task_promises.task_id', '=', taskId)
    .orderBy('task_promises.promised_on', 'desc')
    .orderBy('contacts.contact_id')
    .execute();
  return rows.map((row) => ({
    contactId: row.contact_id,
    name: row.full_name,
    promisedOn: row.promised_on,
  }));
}

/** A task that is requested again starts without promises: they were about what was submitted. */
export async function forgetPromises({
  taskId,
  change,
}: {
  taskId: string;
  change: FirmChange;
}): Promise<void> {
  if (change === 'returned' || change === 'reopened')
    await db().deleteFrom('task_promises').where('task_id', '=', taskId).execute();
}

/** The current date of a contact. */
async function contactToday({
  contactId,
  companyId,
}: Pick<Actor, 'contactId' | 'companyId'>): Promise<string> {
  const times = (await reminderTimesOf([contactId])).get(contactId);
  if (times) return dayOf(now(), times.timeZone);
  const firm = await db()
    .selectFrom('firms')
    .select('time_zone')
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  return dayOf(now(), firm.time_zone);
}

function assertOwnContact({ staff, viewedBy }: Actor): void {
  if (staff || viewedBy !== undefined) throw new PortalError('FORBIDDEN');
}

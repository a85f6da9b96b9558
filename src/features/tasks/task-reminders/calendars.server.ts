import { createHash } from 'node:crypto';
import { actorNow, actorOf } from '#features/base/people/people.server.ts';
import { canAccessPortal, type Actor } from '#features/base/people/people.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { tasksOf } from '#features/tasks/tasks/scope.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError, unlessStorageIsFull } from '#platform/runtime/errors.server.ts';
import { consume, consumeForNetwork } from '#platform/security/limits.server.ts';
import { mailedPage } from '#platform/mail/mail-layout.server.ts';
import { contributedEvents } from './calendar-contributions.server.ts';
import { calendarText, type CalendarEvent } from './calendar-format.ts';
import { readerLang } from './mails.server.ts';
import { toldTasks } from './told-tasks.server.ts';

/** Due dates in a calendar. */
const MAX_EVENTS = 500;

/** When the caller's calendar address was made; undefined without one. FORBIDDEN for staff. */
export async function calendarOf({ contactId, staff }: Actor): Promise<{ createdAt: number } | undefined> {
  if (staff) throw new PortalError('FORBIDDEN');
  const row = await db()
    .selectFrom('calendar_feeds')
    .select('created_at')
    .where('contact_id', '=', contactId)
    .executeTakeFirst();
  return row && { createdAt: row.created_at };
}

/**
 * Makes a secret address of the caller's calendar, and returns it: it is not stored, only its hash. One that there was
 * before stops working. FORBIDDEN for staff, and while they view as a contact.
 */
export async function makeCalendar(actor: Actor): Promise<string> {
  assertOwnContact(actor);
  const token = newToken();
  await inTransaction(async () => {
    const current = await actorNow(actor);
    const values = { token_hash: sha256(token), created_at: now(), read_at: null };
    await db()
      .insertInto('calendar_feeds')
      .values({ contact_id: current.contactId, company_id: current.companyId, ...values })
      .onConflict((conflict) => conflict.column('contact_id').doUpdateSet(values))
      .execute();
    await note(current, 'calendar.make');
  });
  return `${config.origin}/${config.base}/${readerLang(actor)}/calendar/${token}.ics`;
}

/** Ends the address of the caller's calendar. Does nothing without one. FORBIDDEN as {@link makeCalendar}. */
export async function revokeCalendar(actor: Actor): Promise<void> {
  assertOwnContact(actor);
  await inTransaction(async () => {
    const current = await actorNow(actor);
    const removed = await db()
      .deleteFrom('calendar_feeds')
      .where('contact_id', '=', current.contactId)
      .returning('contact_id')
      .executeTakeFirst();
    if (removed) await note(current, 'calendar.revoke');
  });
}

/**
 * The calendar of an address, as text and with its entity tag: the due dates of the open tasks that its contact may see
 * now, and what other features have for it; nothing about them but title, client and link. NOT_FOUND for an address that does not work, which is that of
 * somebody who may not enter the portal, too. TOO_MANY beyond 60 a minute from one network, or 120 an hour for one
 * calendar.
 */
export async function readCalendar(
  token: string,
  network: string,
): Promise<{ text: string; etag: string; companyId: string }> {
  await unlessStorageIsFull(() => consumeForNetwork('calendar', network, 60, MINUTE));
  const feed = await db()
    .selectFrom('calendar_feeds')
    .selectAll()
    .where('token_hash', '=', sha256(token))
    .executeTakeFirst();
  if (!feed) throw notFound();
  await unlessStorageIsFull(() => consume(`calendar:${feed.contact_id}`, 120, 60 * MINUTE));
  const { firmLocked, ...reader } = await actorOf(feed.contact_id);
  if (firmLocked || reader.staff || !canAccessPortal(reader)) throw notFound();
  await unlessStorageIsFull(() =>
    db()
      .updateTable('calendar_feeds')
      .set({ read_at: now() })
      .where('contact_id', '=', feed.contact_id)
      .execute(),
  );
  const events = await eventsFor(reader);
  const firm = await firmOf(reader.companyId);
  const text = calendarText({ name: firm.name, lang: readerLang(reader), events });
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  return { text, etag, companyId: reader.companyId };
}

async function eventsFor(reader: Actor): Promise<CalendarEvent[]> {
  const rows = await tasksOf(reader)
    .select(['tasks.task_id', 'tasks.version', 'tasks.changed_at'])
    .where('tasks.status', 'in', ['New', 'WIP'])
    .where('tasks.due_on', 'is not', null)
    .orderBy('tasks.due_on')
    .orderBy('tasks.task_id')
    .limit(MAX_EVENTS)
    .execute();
  const told = await toldTasks(
    reader,
    rows.map((row) => row.task_id),
  );
  const lang = readerLang(reader);
  const host = new URL(config.origin).hostname;
  const link = (page: string, clientId: string): string =>
    mailedPage(lang, page, { companyId: reader.companyId, clientId });
  const tasks = rows.flatMap((row): CalendarEvent[] => {
    const task = told.get(row.task_id);
    if (!task || task.dueOn === null) return [];
    const { taskId, clientId, client, title, dueOn } = task;
    return [
      {
        uid: `${taskId}@${host}`,
        sequence: row.version,
        changedAt: row.changed_at,
        on: dueOn,
        title: `${title} – ${client}`,
        url: link(`tasks/clients/${clientId}/task/${taskId}`, clientId),
      },
    ];
  });
  const limit = MAX_EVENTS - tasks.length;
  return [...tasks, ...(await contributedEvents(reader, { lang, host, limit, link }))];
}

function assertOwnContact({ staff, viewedBy }: Actor): void {
  if (staff || viewedBy !== undefined) throw new PortalError('FORBIDDEN');
}

const note = ({ companyId, contactId }: Actor, action: 'calendar.make' | 'calendar.revoke'): Promise<void> =>
  audit({ companyId, actor: contactId, action, target: contactId });

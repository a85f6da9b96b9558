import type { Actor } from '#features/base/people/people.ts';
import { listedMails } from '#features/clients/mails/mails.server.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { MailState } from '#platform/mail/mail-kinds.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { bouncedContacts } from './bounced.server.ts';
import { contactsFor } from './notices.server.ts';
import { isPausedOn, reminderTimesOf } from './reminder-settings.server.ts';
import { REQUESTED } from './schedule.ts';
import type { NoticeKind } from './schema.server.ts';

/** Mails that the list of a task shows. */
const MAX_LISTED = 50;

/** An email about a task, and what became of it. */
export interface TaskMail {
  name: string;
  what: NoticeKind | 'reminder' | 'requested';
  /** `queued` before the mail is made, and `deleted` after its row was deleted, half a year later. */
  state: MailState | 'deleted';
  at: number;
  /** The mail, if the reader may see it; it may be about other clients, too. */
  mailId: string | undefined;
}

/** The emails about a task, the newest first. NOT_FOUND; FORBIDDEN for contacts. */
export async function mailsAbout(actor: Actor, taskId: string): Promise<TaskMail[]> {
  await taskRow(actor, taskId, { withDeleted: true });
  const told = await db()
    .selectFrom('task_notices')
    .innerJoin('contacts', 'contacts.contact_id', 'task_notices.contact_id')
    .select(['contacts.full_name', 'task_notices.kind', 'task_notices.mail_id', 'task_notices.told_at'])
    .where('task_notices.task_id', '=', taskId)
    .where('task_notices.mail_id', 'is not', null)
    .orderBy('task_notices.told_at', 'desc')
    .limit(MAX_LISTED)
    .execute();
  const reminded = await db()
    .selectFrom('task_reminders')
    .innerJoin('task_digests', 'task_digests.digest_id', 'task_reminders.digest_id')
    .innerJoin('contacts', 'contacts.contact_id', 'task_reminders.contact_id')
    .select((e) => [
      'task_digests.digest_id',
      'contacts.full_name',
      'task_digests.mail_id',
      'task_digests.requested_by',
      'task_digests.created_at',
      e.fn.max('task_reminders.milestone').as('milestone'),
    ])
    .where('task_reminders.task_id', '=', taskId)
    .where((e) =>
      e.or([e('task_digests.mail_id', 'is not', null), e('task_digests.created_at', '>', now() - DAY)]),
    )
    .groupBy([
      'task_digests.digest_id',
      'contacts.full_name',
      'task_digests.mail_id',
      'task_digests.requested_by',
      'task_digests.created_at',
    ])
    .orderBy('task_digests.created_at', 'desc')
    .limit(MAX_LISTED)
    .execute();
  const rows = [
    ...told.map((row) => ({
      name: row.full_name,
      what: row.kind,
      mailId: row.mail_id,
      at: row.told_at ?? 0,
    })),
    ...reminded.map((row) => ({
      name: row.full_name,
      what: row.milestone === REQUESTED ? ('requested' as const) : ('reminder' as const),
      mailId: row.mail_id,
      at: row.created_at,
    })),
  ]
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MAX_LISTED);
  const states = await statesOf(rows.flatMap(({ mailId }) => mailId ?? []));
  const visible = new Set((await listedMails(actor, [...states.keys(), ''])).map(({ mailId }) => mailId));
  return rows.map(({ mailId, ...row }) => ({
    ...row,
    state: mailId === null ? 'queued' : (states.get(mailId) ?? 'deleted'),
    mailId: mailId !== null && visible.has(mailId) ? mailId : undefined,
  }));
}

async function statesOf(mailIds: readonly string[]): Promise<Map<string, MailState>> {
  if (mailIds.length === 0) return new Map();
  const rows = await db()
    .selectFrom('mails')
    .select(['mail_id', 'state'])
    .where('mail_id', 'in', mailIds)
    .execute();
  return new Map(rows.map((row) => [row.mail_id, row.state]));
}

/** A contact whom reminders of a task do not reach. */
export interface Unreached {
  contactId: string;
  name: string;
  why: 'paused' | 'turned-off' | 'bounced';
  /** The last day of the pause; null until it is resumed. */
  until: string | null;
}

/** The contacts of a task whom reminders do not reach, and how many contacts it has. NOT_FOUND. */
export async function unreachedFor(
  actor: Actor,
  taskId: string,
): Promise<{ clientId: string; count: number; unreached: Unreached[] }> {
  const row = await taskRow(actor, taskId, { withDeleted: true });
  const contacts = await contactsFor({ taskId, companyId: row.company_id, clientId: row.client_id });
  const ids = contacts.map(({ contactId }) => contactId);
  const times = await reminderTimesOf(ids);
  const bounced = await bouncedContacts(ids);
  const unreached = contacts.flatMap(({ contactId, fullName: name }): Unreached[] => {
    const own = times.get(contactId);
    if (!own) return [];
    if (bounced.has(contactId)) return [{ contactId, name, why: 'bounced', until: null }];
    if (own.isTurnedOff) return [{ contactId, name, why: 'turned-off', until: null }];
    if (!isPausedOn(dayOf(now(), own.timeZone), own)) return [];
    return [{ contactId, name, why: 'paused', until: own.pausedUntil }];
  });
  return { clientId: row.client_id, count: contacts.length, unreached };
}

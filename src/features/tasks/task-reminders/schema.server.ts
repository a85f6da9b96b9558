import type { Bit, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  task_notices: { key: ['notice_id'], ofClient: { exported: { not: 'The emails are exported.' } } },
  task_digests: { key: ['digest_id'] },
  task_reminders: {
    key: ['digest_id', 'task_id', 'milestone'],
    ofClient: { exported: { not: 'The emails are exported.' } },
  },
  task_promises: { key: ['task_id', 'contact_id'], ofClient: { exported: 'promises.csv' } },
  reminder_settings: { key: ['contact_id'] },
  unanswered_tasks: {
    key: ['task_id'],
    ofClient: { exported: { not: 'It only says that the inbox has shown it.' } },
  },
  calendar_feeds: { key: ['contact_id'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    task_notices: TaskNotices;
    task_digests: TaskDigests;
    task_reminders: TaskReminders;
    task_promises: TaskPromises;
    reminder_settings: ReminderSettings;
    unanswered_tasks: UnansweredTasks;
    calendar_feeds: CalendarFeeds;
  }
}

/** What happened to a task that a person is told by email: contacts what the firm did, staff what clients did. */
export type NoticeKind =
  'new' | 'returned' | 'reopened' | 'cancelled' | 'accepted' | 'rescheduled' | 'submitted' | 'not-applicable';

/** Something to tell a person about a task, once. */
interface TaskNotices {
  notice_id: string;
  company_id: string;
  contact_id: string;
  task_id: string;
  kind: NoticeKind;
  created_at: Millis;
  /** When it was told, or was out of date. */
  told_at: Millis | null;
  /** The mail that tells it; null if it was out of date, or the person does not want it. */
  mail_id: string | null;
}

/** A reminder of one or more tasks: at most one for a contact on a date of theirs. Dates are `2026-02-28`. */
interface TaskDigests {
  digest_id: string;
  company_id: string;
  contact_id: string;
  local_date: string;
  /** The member of staff who asked for it; null for one by the schedule. */
  requested_by: string | null;
  created_at: Millis;
  /** Null until it is mailed, and if none of its tasks was open by then. */
  mail_id: string | null;
}

/** A task in a reminder, and the milestone that was reached: each is told a contact once (schedule.ts). */
interface TaskReminders {
  digest_id: string;
  task_id: string;
  contact_id: string;
  /** `requested` for a reminder that staff sent. */
  milestone: string;
}

/** The date by which a contact wants to finish a task. */
interface TaskPromises {
  task_id: string;
  contact_id: string;
  promised_on: string;
  created_at: Millis;
}

/** When a contact wants reminders. */
interface ReminderSettings {
  contact_id: string;
  company_id: string;
  /** Null: that of their quiet hours, else of the firm. */
  time_zone: string | null;
  send_hour: number;
  /** Days of the week without reminders, 1 for Monday to 7: `67`. */
  rest_days: string;
  is_paused: Bit;
  /** The last day of the pause; null until it is resumed. */
  paused_until: string | null;
}

/** Tasks that the firm was told of because all reminders went unanswered. */
interface UnansweredTasks {
  task_id: string;
  noted_at: Millis;
}

/** The secret address of a contact's calendar of due dates. */
interface CalendarFeeds {
  contact_id: string;
  company_id: string;
  token_hash: string;
  created_at: Millis;
  read_at: Millis | null;
}

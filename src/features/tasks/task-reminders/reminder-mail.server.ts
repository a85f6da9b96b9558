import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { Mail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { byClient, dateText, readerLang, taskMail } from './mails.server.ts';
import { pauseLink } from './pause-tokens.server.ts';
import { daysBetween } from './schedule.ts';
import type { ToldTask } from './told-tasks.server.ts';

export interface RemindedTask extends ToldTask {
  /** The date by which the reader wanted to finish it. */
  brokenPromise: string | undefined;
}

/** Something that the firm changed, which the reader has not been told. */
export interface Change {
  noticeId: string;
  kind: 'reopened' | 'cancelled' | 'rescheduled' | 'accepted';
  task: ToldTask;
}

/** A reminder of tasks by their clients, and of what the firm changed. */
export function reminderMail(
  firm: Firm,
  reader: Actor,
  { today, tasks, changes }: { today: string; tasks: readonly RemindedTask[]; changes: readonly Change[] },
): Mail {
  const lang = readerLang(reader);
  const t = translationsFor(lang, 'reminders');
  const isReminder = tasks.length > 0;
  const changed = changes
    .filter(({ kind }) => !isReminder || kind !== 'accepted') // of no use to who has something to do
    .map((change) => changeLine(reader, change));
  const [overdue] = tasks.filter(({ dueOn }) => dueOn !== null && dueOn < today);
  return taskMail(firm, reader, {
    kind: 'task-reminder',
    tasks: isReminder ? tasks : changes.map(({ task }) => task),
    title: overdue
      ? overdueTitle(reader, overdue, tasks.length - 1)
      : isReminder
        ? t('digestTitle', { count: tasks.length, firm: firm.name })
        : t('changesTitle', { count: new Set(changes.map(({ task }) => task.taskId)).size, firm: firm.name }),
    intro: t(isReminder ? 'digestText' : 'changesText'),
    sections: [
      ...byClient(tasks, (task) => taskLine(reader, task, today)),
      ...(changed.length > 0 ? [{ heading: t('changes'), lines: changed }] : []),
    ],
    links: [{ label: t('pauseLink'), link: pauseLink(lang, reader.contactId) }],
  });
}

/** The task that is overdue longest, and how many others there are. */
function overdueTitle(reader: Actor, { title }: RemindedTask, others: number): string {
  const t = translationsFor(readerLang(reader), 'reminders');
  return others === 0 ? t('overdueTitle', { title }) : t('overdueTitleMore', { title, count: others });
}

function taskLine(reader: Actor, { title, dueOn, brokenPromise }: RemindedTask, today: string): string {
  const lang = readerLang(reader);
  const t = translationsFor(lang, 'reminders');
  if (brokenPromise !== undefined) return t('linePromise', { title, date: dateText(lang, brokenPromise) });
  if (dueOn === null) return title;
  const [days, date] = [daysBetween(today, dueOn), dateText(lang, dueOn)];
  if (days === 0) return t('lineToday', { title });
  if (days === 1) return t('lineTomorrow', { title, date });
  return days > 0
    ? t('lineSoon', { title, count: days, date })
    : t('lineOverdue', { title, count: -days, date });
}

function changeLine(reader: Actor, { kind, task: { title, client, dueOn } }: Change): string {
  const lang = readerLang(reader);
  const t = translationsFor(lang, 'reminders');
  switch (kind) {
    case 'reopened':
      return t('lineReopened', { title, client });
    case 'cancelled':
      return t('lineCancelled', { title, client });
    case 'accepted':
      return t('lineAccepted', { title, client });
    case 'rescheduled':
      return dueOn === null
        ? t('lineUndated', { title, client })
        : t('lineRescheduled', { title, client, date: dateText(lang, dueOn) });
  }
}

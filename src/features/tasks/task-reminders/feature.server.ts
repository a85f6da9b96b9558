import {
  taskChangedByFirm,
  taskCreated,
  taskItemsPromised,
  taskNotApplicable,
  taskSubmitted,
} from '#features/tasks/tasks/events.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR, MINUTE } from '#platform/runtime/clock.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/reminders.json';
import { exportedPromises } from './exporting.server.ts';
import { announceTask, sendNotices, tellOfAnswer, tellOfChange } from './notices.server.ts';
import { sendDigest } from './digests.server.ts';
import { forgetPromises, promisedItems } from './promises.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { tables } from './schema.server.ts';
import { sweepReminders } from './sweep.server.ts';
import { reportUnanswered } from './unanswered.server.ts';
import { notificationKinds } from './notification-kinds.server.ts';

const auditActions = {
  'task.promise': { text: 'didTaskPromise', seenByClient: true },
  'task.withdraw-promise': { text: 'didTaskWithdrawPromise', seenByClient: true },
  'reminders.change': { text: 'didRemindersChange' },
  'reminders.pause': { text: 'didRemindersPause' },
  'reminders.send': { text: 'didRemindersSend' },
  'calendar.make': { text: 'didCalendarMake' },
  'calendar.revoke': { text: 'didCalendarRevoke' },
} as const satisfies AuditActionDeclarations;

const mails = {
  'task-reminder': {
    label: text('mails', 'kindTaskReminder'),
    optional: { contact: text('mails', 'notifyReminders') },
    isScheduled: true,
  },
} as const satisfies MailKindDeclarations;

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    'task-reminders': typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'task-reminders': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    reminders: typeof messages;
  }
}

export const taskReminders = defineFeature({
  name: 'task-reminders',
  notifications: notificationKinds,
  tables,
  auditActions,
  exports: [exportedPromises],
  mails,
  inbox: inboxKinds,
  figures: [
    {
      id: 'unanswered',
      group: 'late',
      order: 20,
      label: text('overview', 'unanswered'),
      inboxKind: 'task-unanswered',
    },
  ],
  subscriptions: [
    on(taskCreated, announceTask),
    on(taskChangedByFirm, tellOfChange),
    on(taskChangedByFirm, forgetPromises),
    on(taskItemsPromised, promisedItems),
    on(taskSubmitted, (task) => tellOfAnswer(task, 'submitted')),
    on(taskNotApplicable, (task) => tellOfAnswer(task, 'not-applicable')),
  ],
  jobs: { 'task-notices': { run: sendNotices }, 'task-digest': { run: sendDigest } },
  sweeps: [
    { every: 5 * MINUTE, run: sweepReminders },
    { every: HOUR, run: reportUnanswered },
  ],
});

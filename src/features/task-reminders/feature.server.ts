import {
  taskChangedByFirm,
  taskCreated,
  taskNotApplicable,
  taskSubmitted,
} from '#features/tasks/events.server.ts';
import { on } from '#platform/events.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import type messages from '../../../locales/en-us/reminders.json';
import { announceTask, sendNotices, tellOfAnswer, tellOfChange } from './notices.server.ts';
import { tables } from './schema.server.ts';

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    reminders: typeof messages;
  }
}

export const taskReminders = defineFeature({
  name: 'task-reminders',
  tables,
  subscriptions: [
    on(taskCreated, announceTask),
    on(taskChangedByFirm, tellOfChange),
    on(taskSubmitted, (task) => tellOfAnswer(task, 'submitted')),
    on(taskNotApplicable, (task) => tellOfAnswer(task, 'not-applicable')),
  ],
  jobs: { 'task-notices': { run: sendNotices } },
});

import type { FeatureApi } from '#features/base/people/people.server.ts';
import { taskDeleted, unreadMessagesRequested } from '#features/tasks/tasks/events.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/task-messages.json';
import { story } from './demo-story.server.ts';
import { exportedMessages } from './exporting.server.ts';
import { taskMessagesApi } from './api.server.ts';
import { sendMessageMails } from './mails.server.ts';
import { addUnread, endMessagesOf } from './reading.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { tables } from './schema.server.ts';
import { verifyMessages } from '#features/clients/threads/verification.server.ts';
import { companyFacts, messagesWidget } from './home-widget.server.ts';
import { notificationKinds } from './notification-kinds.server.ts';

const auditActions = {
  'task-message.add': { text: text('task-messages', 'didWrite'), seenByClient: true },
  'task-message.withdraw': { text: text('task-messages', 'didWithdraw'), seenByClient: true },
  'task-message.add-note': { text: text('task-messages', 'didNote') },
  'task-message.withdraw-note': { text: text('task-messages', 'didNoteWithdraw') },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'task-messages': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'task-messages': typeof messages;
  }
}

const path = '/api/client-center/v3/tasks/{taskId}/messages';

export const taskMessages = defineFeature<FeatureApi>({
  name: 'task-messages',
  story,
  notifications: notificationKinds,
  widgets: [messagesWidget],
  companyFacts,
  tables,
  auditActions,
  inbox: inboxKinds,
  figures: [
    {
      id: 'task-messages',
      group: 'firm',
      order: 30,
      label: text('task-messages', 'figure'),
      inboxKind: 'task-message',
    },
  ],
  exports: [exportedMessages],
  subscriptions: [on(taskDeleted, endMessagesOf), on(unreadMessagesRequested, addUnread)],
  api: {
    app: taskMessagesApi,
    routes: [
      { method: 'get', path, who: 'signed-in' },
      { method: 'post', path, who: 'signed-in' },
      { method: 'delete', path: `${path}/{messageId}`, who: 'signed-in' },
    ],
  },
  verify: () => verifyMessages('task_messages'),
  jobs: {
    'task-messages': { run: sendMessageMails },
  },
});

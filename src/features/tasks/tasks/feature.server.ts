import type { ReceiptKindDeclarations } from '#features/base/receipts/kinds.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/tasks.json';
import { accessSettings } from './access-settings.server.ts';
import { exportedTasks } from './exporting.server.ts';
import { tasksApi } from './api.server.ts';
import { taskNames } from './names.server.ts';
import { purgeTasks } from './removing.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { tables } from './schema.server.ts';
import { verifyTasks } from './verification.server.ts';

const seenByClient = true;

const auditActions = {
  'task.create': { text: 'didTaskCreate', seenByClient },
  'task.start': { text: 'didTaskStart', seenByClient },
  'task.submit': { text: 'didTaskSubmit', seenByClient },
  'task.set-not-applicable': { text: 'didTaskNotApplicable', seenByClient },
  'task.take-back': { text: 'didTaskTakeBack', seenByClient },
  'task.open': { text: 'didTaskOpen', seenByClient },
  'task.accept': { text: 'didTaskAccept', seenByClient },
  'task.return': { text: 'didTaskReturn', seenByClient },
  'task.cancel': { text: 'didTaskCancel', seenByClient },
  'task.reopen': { text: 'didTaskReopen', seenByClient },
  'task.reschedule': { text: 'didTaskReschedule', seenByClient },
  'task.assign': { text: 'didTaskAssign' },
  'task.delete': { text: 'didTaskDelete', seenByClient },
  'task.restore': { text: 'didTaskRestore', seenByClient },
  'task.confirm': { text: 'didTaskConfirm', seenByClient },
  'task.fail': { text: 'didTaskFail', seenByClient },
  'task.decline': { text: 'didTaskDecline', seenByClient },
  'task.purge': { text: 'didTaskPurge' },
} as const satisfies AuditActionDeclarations;

const mails = {
  task: {
    label: text('mails', 'kindTask'),
    optional: { contact: text('mails', 'notifyTasks'), staff: text('mails', 'notifySubmitted') },
  },
} as const satisfies MailKindDeclarations;

const receiptKinds = {
  submission: { label: text('tasks', 'receiptKind'), filterOrder: 30 },
} as const satisfies ReceiptKindDeclarations;

declare module '#features/base/receipts/kinds.ts' {
  interface ReceiptKinds {
    tasks: typeof receiptKinds;
  }
}

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    tasks: typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    tasks: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    tasks: typeof messages;
  }
}

const path = '/api/client-center/v3/tasks';

export const tasks = defineFeature<FeatureApi>({
  name: 'tasks',
  access: accessSettings,
  receiptKinds,
  names: { task: taskNames },
  tables,
  auditActions,
  exports: exportedTasks,
  mails,
  inbox: inboxKinds,
  api: {
    app: tasksApi,
    routes: [
      { method: 'post', path, who: 'staff', permission: 'Publish' },
      { method: 'post', path: `${path}/{taskId}/tasks`, who: 'staff', permission: 'Publish' },
      { method: 'get', path: `${path}/groups`, who: 'signed-in' },
      { method: 'get', path: `${path}/groups/clients/{clientId}`, who: 'signed-in' },
      { method: 'get', path: `${path}/groups/{taskGroupId}`, who: 'signed-in' },
      { method: 'get', path: `${path}/clients/{clientId}`, who: 'signed-in' },
      { method: 'delete', path: `${path}/clients/{clientId}`, who: 'staff', permission: 'Publish' },
      { method: 'get', path: `${path}/{taskId}`, who: 'signed-in' },
      { method: 'patch', path: `${path}/{taskId}`, who: 'signed-in' },
      { method: 'patch', path: `${path}/{taskId}/steps/{stepNumber}`, who: 'signed-in' },
      { method: 'delete', path: `${path}/{taskId}`, who: 'staff', permission: 'Publish' },
    ],
  },
  sweeps: [{ every: HOUR, run: purgeTasks }],
  verify: verifyTasks,
});

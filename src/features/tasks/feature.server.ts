import { clientMerged } from '#features/people/merged-clients.server.ts';
import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { HOUR } from '#platform/clock.server.ts';
import { on } from '#platform/events.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import type messages from '../../../locales/en-us/tasks.json';
import { tasksApi } from './api.server.ts';
import { moveTasksOfClient } from './merging.server.ts';
import { purgeTasks } from './removing.server.ts';
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

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    tasks: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    tasks: typeof messages;
  }
}

const path = '/api/client-center/v3/tasks';

export const tasks = defineFeature<FeatureApi>({
  name: 'tasks',
  tables,
  auditActions,
  subscriptions: [on(clientMerged, moveTasksOfClient)],
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

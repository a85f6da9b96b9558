import { MAX_BYTES } from '#features/documents/documents/rules.ts';
import { spaceCounted } from '#features/documents/uploads/events.server.ts';
import { contactSessionEnded } from '#features/base/people/events.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import {
  taskBeingSubmitted,
  taskNotApplicable,
  taskSettled,
  taskSubmitted,
} from '#features/tasks/tasks/events.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/task-links.json';
import { taskLinksApi } from './api.server.ts';
import { sweepTaskLinks } from './ending.server.ts';
import { assertProposalsDecided, endLinksOfTask, endPhones } from './links.server.ts';
import { tables } from './schema.server.ts';
import { countWaitingFiles, scanLinkFile } from './sent-files.server.ts';

const seenByClient = true;

const auditActions = {
  'task-link.ask': { text: 'didTaskLinkAsk', seenByClient },
  'task-link.phone': { text: 'didTaskLinkPhone', seenByClient },
  'task-link.open': { text: 'didTaskLinkOpen', seenByClient },
  'task-link.refuse': { text: 'didTaskLinkRefuse', seenByClient },
  'task-link.file': { text: 'didTaskLinkFile', seenByClient },
  'task-link.answer': { text: 'didTaskLinkAnswer', seenByClient },
  'task-link.decide': { text: 'didTaskLinkDecide', seenByClient },
  'task-link.revoke': { text: 'didTaskLinkRevoke', seenByClient },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'task-links': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'task-links': typeof messages;
  }
}

export const taskLinks = defineFeature<FeatureApi>({
  name: 'task-links',
  notifications: { 'answers-proposed': { icon: 'users', push: 'tasks', ofMails: [] } },
  tables,
  auditActions,
  subscriptions: [
    on(taskBeingSubmitted, assertProposalsDecided),
    on(taskSubmitted, endLinksOfTask),
    on(taskNotApplicable, endLinksOfTask),
    on(taskSettled, endLinksOfTask),
    on(contactSessionEnded, endPhones),
    on(spaceCounted, countWaitingFiles),
  ],
  api: {
    app: taskLinksApi,
    routes: [
      {
        method: 'post',
        path: '/api/client-center/v3/task-links/{token}',
        who: 'visitor',
        takesFiles: MAX_BYTES,
      },
      {
        method: 'get',
        path: '/api/client-center/v3/tasks/{taskId}/proposed-files/{fileId}',
        who: 'signed-in',
      },
    ],
  },
  jobs: { 'scan-link-file': { run: scanLinkFile, isSlow: true } },
  sweeps: [{ every: HOUR, run: sweepTaskLinks }],
});

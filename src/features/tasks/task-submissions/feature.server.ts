import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { exportedSubmissions } from './exporting.server.ts';
import { taskSubmissionsApi } from './api.server.ts';

const seenByClient = true;

const auditActions = {
  'task.download': { text: 'didTaskDownload', seenByClient },
  'task.reveal': { text: 'didTaskReveal', seenByClient },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'task-submissions': typeof auditActions;
  }
}

const path = '/api/client-center/v3/tasks/{taskId}';

export const taskSubmissions = defineFeature<FeatureApi>({
  name: 'task-submissions',
  auditActions,
  exports: exportedSubmissions,
  api: {
    app: taskSubmissionsApi,
    routes: [
      { method: 'get', path: `${path}/submission`, who: 'staff' },
      { method: 'get', path: `${path}/submission.pdf`, who: 'signed-in' },
    ],
  },
});

import { MAX_BYTES } from '#features/documents/documents/rules.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/task-answers.json';
import { taskAnswersApi } from './api.server.ts';
import { sweepTaskUploads } from './repeated-uploads.server.ts';
import { tables } from './schema.server.ts';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'task-answers': typeof messages;
  }
}

const path = '/api/client-center/v3/tasks/{taskId}';

export const taskAnswers = defineFeature<FeatureApi>({
  name: 'task-answers',
  tables,
  api: {
    app: taskAnswersApi,
    routes: [
      { method: 'get', path: `${path}/lookups/{list}`, who: 'signed-in' },
      { method: 'post', path: `${path}/answers`, who: 'signed-in' },
      { method: 'post', path: `${path}/sections/{section}`, who: 'signed-in', takesFiles: MAX_BYTES },
    ],
  },
  sweeps: [{ every: HOUR, run: sweepTaskUploads }],
});

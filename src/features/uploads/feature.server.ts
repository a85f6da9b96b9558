import type { ApiRoute } from '#features/people/people.ts';
import type { FeatureApi } from '#features/people/people.server.ts';
import { HOUR } from '#platform/clock.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { uploadsApi } from './api.server.ts';
import { sendUploadMails } from './notifications.server.ts';
import { sweepUploads } from './parts.server.ts';
import { tables } from './schema.server.ts';
import { uploaderWords } from './ui/uploader-messages.ts';

export const uploads = defineFeature<FeatureApi>({
  name: 'uploads',
  tables,
  islandMessages: { uploader: ['documents', uploaderWords] },
  api: {
    app: uploadsApi,
    routes: [
      ...['clients', 'projects', 'folders'].flatMap((type): ApiRoute[] => [
        {
          method: 'post',
          path: `/api/storage/v1/${type}/{id}/documents`,
          who: 'signed-in',
          takesFiles: true,
        },
      ]),
      { method: 'post', path: '/api/storage/v1/notifications/documents/upload', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/uploads', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v1/uploads', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/uploads/{uploadId}', who: 'signed-in' },
      { method: 'patch', path: '/api/storage/v1/uploads/{uploadId}', who: 'signed-in', takesFiles: true },
      { method: 'delete', path: '/api/storage/v1/uploads/{uploadId}', who: 'signed-in' },
    ],
  },
  jobs: {
    uploads: { run: sendUploadMails },
  },
  sweeps: [{ every: HOUR, run: sweepUploads }],
});

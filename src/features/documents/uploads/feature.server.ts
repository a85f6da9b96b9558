import { MAX_BYTES } from '#features/documents/documents/rules.ts';
import type { ApiRoute } from '#features/base/people/people.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { text } from '#platform/text/texts.server.ts';
import { uploadsApi } from './api.server.ts';
import { sendUploadMails } from './notifications.server.ts';
import { sweepUploads } from './parts.server.ts';
import { MAX_PART } from './uploads.ts';
import { tables } from './schema.server.ts';
import { uploaderWords } from './ui/uploader-messages.ts';
import { notificationKinds } from './notification-kinds.server.ts';

const mails = {
  documents: {
    label: text('mails', 'kindDocuments'),
    optional: { contact: text('mails', 'notifyDocuments'), staff: text('mails', 'notifyUploads') },
  },
} as const satisfies MailKindDeclarations;

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    uploads: typeof mails;
  }
}

export const uploads = defineFeature<FeatureApi>({
  name: 'uploads',
  notifications: notificationKinds,
  mails,
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
          takesFiles: MAX_BYTES,
        },
      ]),
      { method: 'post', path: '/api/storage/v1/notifications/documents/upload', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/uploads', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v1/uploads', who: 'signed-in', takesFiles: MAX_PART },
      { method: 'get', path: '/api/storage/v1/uploads/{uploadId}', who: 'signed-in' },
      { method: 'patch', path: '/api/storage/v1/uploads/{uploadId}', who: 'signed-in', takesFiles: MAX_PART },
      { method: 'delete', path: '/api/storage/v1/uploads/{uploadId}', who: 'signed-in' },
    ],
  },
  jobs: {
    uploads: { run: sendUploadMails },
  },
  sweeps: [{ every: HOUR, run: sweepUploads }],
});

import type { FeatureApi } from '#features/people/people.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { notesApi } from './api.server.ts';
import { sendCommentMails } from './mails.server.ts';

export const notes = defineFeature<FeatureApi>({
  name: 'notes',
  api: {
    app: notesApi,
    routes: [
      { method: 'post', path: '/api/notes/v1/comments/', who: 'signed-in' },
      // it only reads
      { method: 'post', path: '/api/notes/v1/comments/search', who: 'signed-in', whileViewing: true },
      { method: 'get', path: '/api/notes/v1/comments', who: 'signed-in' },
      { method: 'delete', path: '/api/notes/v1/comments/{id}', who: 'signed-in' },
    ],
  },
  jobs: {
    comments: { run: sendCommentMails },
  },
});

import { documentsPurged } from '#features/documents/events.server.ts';
import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { on } from '#platform/events.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { commentsApi } from './api.server.ts';
import { removeCommentsOn } from './comments.server.ts';
import { sendCommentMails } from './mails.server.ts';
import { tables } from './schema.server.ts';
import { verifyComments } from './verification.server.ts';
import type messages from '../../../locales/en-us/notes.json';

const auditActions = {
  'comment.added': { text: 'didComment', seenByClient: true },
  'comment.removed': { text: 'didUncomment', seenByClient: true },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    comments: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    notes: typeof messages;
  }
}

export const comments = defineFeature<FeatureApi>({
  name: 'comments',
  tables,
  auditActions,
  api: {
    app: commentsApi,
    routes: [
      { method: 'post', path: '/api/notes/v1/comments/', who: 'signed-in' },
      // it only reads
      { method: 'post', path: '/api/notes/v1/comments/search', who: 'signed-in', whileViewing: true },
      { method: 'get', path: '/api/notes/v1/comments', who: 'signed-in' },
      { method: 'delete', path: '/api/notes/v1/comments/{id}', who: 'signed-in' },
    ],
  },
  subscriptions: [on(documentsPurged, ({ documentIds }) => removeCommentsOn(documentIds))],
  verify: verifyComments,
  jobs: {
    comments: { run: sendCommentMails },
  },
});

import { documentsPurged } from '#features/documents/documents/events.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { text } from '#platform/text/texts.server.ts';
import { exportedComments } from './exporting.server.ts';
import { commentsApi } from './api.server.ts';
import { removeCommentsOn } from './comments.server.ts';
import { sendCommentMails } from './mails.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { tables } from './schema.server.ts';
import { verifyComments } from './verification.server.ts';
import { notificationKinds } from './notification-kinds.server.ts';
import type messages from '../../../../locales/en-us/notes.json';

const auditActions = {
  'comment.added': { text: 'didComment', seenByClient: true },
  'comment.removed': { text: 'didUncomment', seenByClient: true },
} as const satisfies AuditActionDeclarations;

const mails = {
  comment: {
    label: text('mails', 'kindComment'),
    optional: { contact: text('mails', 'notifyComments'), staff: text('mails', 'notifyComments') },
  },
} as const satisfies MailKindDeclarations;

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    comments: typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    comments: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    notes: typeof messages;
  }
}

export const comments = defineFeature<FeatureApi>({
  name: 'comments',
  notifications: notificationKinds,
  tables,
  auditActions,
  mails,
  inbox: inboxKinds,
  figures: [
    { id: 'comments', group: 'firm', order: 40, label: text('overview', 'comments'), inboxKind: 'comments' },
  ],
  exports: [exportedComments],
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

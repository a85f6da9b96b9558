import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { HOUR, SECOND } from '#platform/clock.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { sharingApi } from './api.server.ts';
import { sweepShares } from './ending.server.ts';
import { abortTransfersOfEnded } from './in-flight.server.ts';
import { tables } from './schema.server.ts';
import { shareWords } from './ui/share-messages.ts';
import type messages from '../../../locales/en-us/sharing.json';

const auditActions = {
  'share.send': { text: 'didShare', seenByClient: true },
  'share.open': { text: 'didOpenLink', seenByClient: true },
  'share.view': { text: 'didLinkView', seenByClient: true },
  'share.download': { text: 'didLinkDownload', seenByClient: true },
  'share.refuse': { text: 'didWrongCode', seenByClient: true },
  'share.revoke': { text: 'didRevokeLink', seenByClient: true },
  'share.extend': { text: 'didExtendLink', seenByClient: true },
  'share.domains': { text: 'didShareDomains' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    sharing: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    sharing: typeof messages;
  }
}

export const sharing = defineFeature<FeatureApi>({
  name: 'sharing',
  tables,
  auditActions,
  islandMessages: { share: ['sharing', shareWords] },
  api: {
    app: sharingApi,
    routes: [
      { method: 'post', path: '/api/storage/v2/sharing/share', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v2/sharing/shares', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v2/sharing/shares/{shareId}/extend', who: 'signed-in' },
      {
        method: 'delete',
        path: '/api/storage/v2/sharing/shares/{shareId}/recipients/{recipientId}',
        who: 'signed-in',
      },
      { method: 'delete', path: '/api/storage/v2/sharing/shares/{shareId}', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v2/sharing/links/{token}/documents/{documentId}', who: 'visitor' },
      {
        method: 'get',
        path: '/api/storage/v2/sharing/links/{token}/documents/{documentId}/pages/{page}',
        who: 'visitor',
      },
      { method: 'get', path: '/api/storage/v2/sharing/links/{token}/documents.zip', who: 'visitor' },
    ],
  },
  sweeps: [
    { every: HOUR, run: sweepShares },
    { every: SECOND, run: abortTransfersOfEnded, failure: { level: 'error', event: 'cut-off.failed' } },
  ],
});

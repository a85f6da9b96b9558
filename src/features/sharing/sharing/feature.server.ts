import type { ReceiptKindDeclarations } from '#features/base/receipts/kinds.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR, SECOND } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { text } from '#platform/text/texts.server.ts';
import { exportedDomains } from './domains.server.ts';
import { sharingApi } from './api.server.ts';
import { sweepShares } from './ending.server.ts';
import { abortTransfersOfEnded } from './in-flight.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { recipientAddresses } from './internal/store.server.ts';
import { navigation } from './navigation.server.ts';
import { tables } from './schema.server.ts';
import { settingsRows } from './settings-rows.server.ts';
import { shareWords } from './ui/share-messages.ts';
import { sharesWidget } from './home-widget.server.ts';
import type messages from '../../../../locales/en-us/sharing.json';

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

const mails = {
  share: { label: text('mails', 'kindShare'), isSecret: true },
  'share-request': {
    label: text('mails', 'kindShareRequest'),
    optional: { contact: text('mails', 'notifyLinkRequests'), staff: text('mails', 'notifyLinkRequests') },
  },
  'share-opened': {
    label: text('mails', 'kindShareOpened'),
    optional: { contact: text('mails', 'notifyLinksOpened'), staff: text('mails', 'notifyLinksOpened') },
  },
} as const satisfies MailKindDeclarations;

const receiptKinds = {
  share: { label: text('sharing', 'receiptKind'), filterOrder: 20 },
} as const satisfies ReceiptKindDeclarations;

declare module '#features/base/receipts/kinds.ts' {
  interface ReceiptKinds {
    sharing: typeof receiptKinds;
  }
}

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    sharing: typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    sharing: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    sharing: typeof messages;
  }
}

export const sharing = defineFeature<FeatureApi>({
  name: 'sharing',
  receiptKinds,
  notifications: {
    'share-opened': { icon: 'share-2', ofMails: ['share-opened'] },
    'share-request': { icon: 'share-2', push: 'shares', ofMails: ['share-request'], isForContacts: true },
  },
  navigation,
  names: { recipient: recipientAddresses },
  widgets: [sharesWidget],
  tables,
  auditActions,
  exports: [exportedDomains],
  mails,
  inbox: inboxKinds,
  figures: [
    {
      id: 'link-requests',
      group: 'firm',
      order: 60,
      label: text('overview', 'linkRequests'),
      inboxKind: 'link-request',
    },
  ],
  settings: settingsRows,
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

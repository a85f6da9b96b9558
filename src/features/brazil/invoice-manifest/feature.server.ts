import { gridRoutes } from '#features/base/grids/grid-api.server.ts';
import { clientMerged } from '#features/base/people/merged-clients.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { documentsSettled } from '#features/brazil/fiscal-documents/events.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { HOUR, MINUTE } from '#platform/runtime/clock.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { story } from './demo-story.server.ts';
import { accessSettings } from './access-settings.server.ts';
import { acceptsIntents } from './access.server.ts';
import { invoiceManifestApi } from './api.server.ts';
import { askForInvoices, continueAsking } from './asking.server.ts';
import { exportedManifest } from './exporting.server.ts';
import { followDocuments, followMergedClient } from './following.server.ts';
import { invoiceGrid, worklistGrid } from './grids.server.ts';
import { manifestWidget } from './home-widget.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { invoiceNames } from './names.server.ts';
import { remindOfInvoices } from './notices.server.ts';
import { MANIFEST_ASK, MANIFEST_SEND } from './queue.server.ts';
import { continueSending, resumeSendings } from './sending.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../../locales/en-us/invoice-manifest.json';

const auditActions = {
  'manifest.mark': { text: text('invoice-manifest', 'didMark'), seenByClient: true },
  'manifest.withdraw': { text: text('invoice-manifest', 'didWithdraw'), seenByClient: true },
  'manifest.accept': { text: text('invoice-manifest', 'didAccept'), seenByClient: true },
  'manifest.take-back': { text: text('invoice-manifest', 'didTakeBack'), seenByClient: true },
  'manifest.refuse': { text: text('invoice-manifest', 'didRefuse'), seenByClient: true },
  'manifest.record': { text: text('invoice-manifest', 'didRecord'), seenByClient: true },
  'manifest.register': { text: text('invoice-manifest', 'gotRegistered'), seenByClient: true },
  'manifest.reject': { text: text('invoice-manifest', 'gotRejected'), seenByClient: true },
  'manifest.settings': { text: text('invoice-manifest', 'didSettings') },
} as const satisfies AuditActionDeclarations;

const mails = {
  manifest: {
    label: text('invoice-manifest', 'mailKind'),
    optional: { contact: text('invoice-manifest', 'mailNotify') },
  },
} as const satisfies MailKindDeclarations;

declare module '#features/base/people/people.ts' {
  interface AccessNames {
    'invoice-manifest': { permission: 'ManifestReview' };
  }
}

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    invoiceManifest: typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    invoiceManifest: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'invoice-manifest': typeof messages;
  }
}

const path = '/api/manifesto/v1';
const guard = { who: 'signed-in', part: 'actions' } as const;
const review = { ...guard, permission: 'ManifestReview' } as const;
const staff = { who: 'staff', part: 'actions', permission: 'Publish' } as const;

export const invoiceManifest = defineFeature<FeatureApi>({
  name: 'invoice-manifest',
  story,
  access: accessSettings,
  tables,
  auditActions,
  mails,
  notifications: { manifest: { icon: 'receipt-text', ofMails: ['manifest'], isForContacts: true } },
  inbox: inboxKinds,
  exports: exportedManifest,
  widgets: [manifestWidget],
  names: { manifest: invoiceNames },
  navigation: [
    {
      side: 'staff',
      page: 'staff/invoice-manifest',
      order: 46,
      label: text('invoice-manifest', 'worklistTitle'),
      icon: 'receipt-text',
      key: 'l',
      isFor: ({ actor }) => acceptsIntents(actor),
    },
  ],
  api: {
    app: invoiceManifestApi,
    routes: [
      { method: 'get', path: `${path}/documents`, ...guard },
      { method: 'get', path: `${path}/clients`, ...guard },
      { method: 'post', path: `${path}/documents/{id}/intent`, ...review },
      { method: 'delete', path: `${path}/documents/{id}/intent`, ...review },
      { method: 'post', path: `${path}/intents/accept`, ...staff },
      { method: 'post', path: `${path}/intents/refuse`, ...staff },
      ...gridRoutes(invoiceGrid, guard),
      ...gridRoutes(worklistGrid, staff),
    ],
  },
  subscriptions: [on(documentsSettled, followDocuments), on(clientMerged, followMergedClient)],
  jobs: {
    [MANIFEST_SEND]: { run: continueSending, isSlow: true },
    [MANIFEST_ASK]: { run: continueAsking, isSlow: true },
  },
  sweeps: [
    { every: HOUR, run: remindOfInvoices },
    { every: MINUTE, run: resumeSendings },
    { every: 5 * MINUTE, run: askForInvoices },
  ],
});

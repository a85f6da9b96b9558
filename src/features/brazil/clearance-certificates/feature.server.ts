import { gridRoutes } from '#features/base/grids/grid-api.server.ts';
import { clientMerged } from '#features/base/people/merged-clients.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { documentsPurged } from '#features/documents/documents/events.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { agencyNames } from './agency-names.server.ts';
import { clearanceCertificatesApi } from './api.server.ts';
import { forgetDocuments } from './attempts.server.ts';
import { isInBrazil, MAX_PDF, MAX_PDFS } from './clearance-certificates.ts';
import { exportedCertificates } from './exporting.server.ts';
import { certificateGrid } from './grid.server.ts';
import { certificatesWidget } from './home-widget.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { followMergedClient } from './merging.server.ts';
import { noticeLapses } from './notices.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../../locales/en-us/clearance-certificates.json';

const auditActions = {
  'clearance.follow': { text: text('clearance-certificates', 'didFollow') },
  'clearance.change': { text: text('clearance-certificates', 'didChange') },
  'clearance.unfollow': { text: text('clearance-certificates', 'didUnfollow') },
  'clearance.file': { text: text('clearance-certificates', 'didFile'), seenByClient: true },
  'clearance.note': { text: text('clearance-certificates', 'didNote') },
  'clearance.withdraw': { text: text('clearance-certificates', 'didWithdraw') },
} as const satisfies AuditActionDeclarations;

const mails = {
  clearance: {
    label: text('clearance-certificates', 'mailKind'),
    optional: { contact: text('clearance-certificates', 'mailNotify') },
  },
} as const satisfies MailKindDeclarations;

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    clearanceCertificates: typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    clearanceCertificates: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'clearance-certificates': typeof messages;
  }
}

const path = '/api/cnd/v1';
const guard = { who: 'signed-in', part: 'dashboards' } as const;

export const clearanceCertificates = defineFeature<FeatureApi>({
  name: 'clearance-certificates',
  tables,
  auditActions,
  mails,
  notifications: { clearance: { icon: 'file-check', ofMails: ['clearance'], isForContacts: true } },
  inbox: inboxKinds,
  exports: exportedCertificates,
  widgets: [certificatesWidget],
  names: { clearance: agencyNames },
  navigation: [
    {
      side: 'staff',
      page: 'staff/clearance-certificates',
      order: 47,
      label: text('clearance-certificates', 'title'),
      icon: 'file-check',
      key: 'd',
      isFor: ({ actor }) => isInBrazil(actor),
    },
  ],
  api: {
    app: clearanceCertificatesApi,
    routes: [
      { method: 'get', path: `${path}/client-agencies`, ...guard },
      { method: 'get', path: `${path}/crawler-history`, ...guard },
      { method: 'get', path: `${path}/crawler-history/{id}/document`, ...guard },
      {
        method: 'post',
        path: `${path}/certificates`,
        who: 'staff',
        permission: 'Publish',
        takesFiles: MAX_PDF * MAX_PDFS,
      },
      ...gridRoutes(certificateGrid, { who: 'staff' }),
    ],
  },
  subscriptions: [on(clientMerged, followMergedClient), on(documentsPurged, forgetDocuments)],
  sweeps: [{ every: HOUR, run: noticeLapses }],
});

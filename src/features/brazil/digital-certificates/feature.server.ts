import { clientMerged } from '#features/base/people/merged-clients.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { followMergedClient } from './merging.server.ts';
import { noticeEndings } from './notices.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../../locales/en-us/digital-certificates.json';

const auditActions = {
  'digital-certificate.store': { text: text('digital-certificates', 'didStore'), seenByClient: true },
  'digital-certificate.remove': { text: text('digital-certificates', 'didRemove'), seenByClient: true },
  'digital-certificate.reuse': { text: text('digital-certificates', 'didReuse'), seenByClient: true },
  'digital-certificate.refused': { text: text('digital-certificates', 'gotRefused'), seenByClient: true },
} as const satisfies AuditActionDeclarations;

const mails = {
  certificate: {
    label: text('digital-certificates', 'mailKind'),
    optional: { contact: text('digital-certificates', 'mailNotify') },
  },
} as const satisfies MailKindDeclarations;

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    digitalCertificates: typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    digitalCertificates: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'digital-certificates': typeof messages;
  }
}

export const digitalCertificates = defineFeature<FeatureApi>({
  name: 'digital-certificates',
  tables,
  auditActions,
  mails,
  notifications: { certificate: { icon: 'lock', ofMails: ['certificate'], isForContacts: true } },
  inbox: inboxKinds,
  subscriptions: [on(clientMerged, followMergedClient)],
  sweeps: [{ every: HOUR, run: noticeEndings }],
});

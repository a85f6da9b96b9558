import type { ReceiptKindDeclarations } from '#features/base/receipts/kinds.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { openTasksFigure } from '#features/tasks/task-lists/figures.server.ts';
import { toStaffTask } from '#features/tasks/tasks/inbox-kinds.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { defineFeature, type Contributions } from '#platform/runtime/feature.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/signing.json';
import { exportedSignings } from './exporting.server.ts';
import { SEAL_JOB } from './acting.server.ts';
import { signingApi } from './api.server.ts';
import { purgeRequests } from './drafting.server.ts';
import { sealWaits, signingNeedsFirm, signingSettled } from './events.server.ts';
import { sweepVisits } from './links.server.ts';
import { tables } from './schema.server.ts';
import { resumeSealing, sealSigned } from './sealing.server.ts';
import { verifySigning } from './verification.server.ts';

const seenByClient = true;

const auditActions = {
  'signing.send': { text: 'didSigningSend', seenByClient },
  'signing.renew': { text: 'didSigningRenew', seenByClient },
  'signing.refuse': { text: 'didSigningRefuse', seenByClient },
  'signing.sign': { text: 'didSigningSign', seenByClient },
  'signing.download': { text: 'didSigningDownload', seenByClient },
  'signing.decline': { text: 'didSigningDecline', seenByClient },
  'signing.disown': { text: 'didSigningDisown', seenByClient },
  'signing.change-consent': { text: 'didSigningChangeConsent' },
  'signing.seal': { text: 'didSigningSeal', seenByClient },
} as const satisfies AuditActionDeclarations;

const mails = {
  signature: { label: text('mails', 'kindSignature') },
  'signature-link': { label: text('mails', 'kindSignatureLink'), isSecret: true },
} as const satisfies MailKindDeclarations;

const receiptKinds = {
  signature: { label: text('signing', 'receiptKind'), filterOrder: 40 },
} as const satisfies ReceiptKindDeclarations;

declare module '#features/base/receipts/kinds.ts' {
  interface ReceiptKinds {
    signing: typeof receiptKinds;
  }
}

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    signing: typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    signing: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    signing: typeof messages;
  }
}

const sealWait = (signingId: string): string => `seal-${signingId}`;

const inboxKinds: Contributions['inbox'] = {
  signing: {
    icon: 'pen-line',
    step: 'open',
    text: text('inbox', 'signing'),
    next: toStaffTask,
    sources: [
      when(
        signingNeedsFirm,
        ({ signingId: target, taskId: key, companyId, clientId, title: name, senderId }) => ({
          add: { companyId, clientId, key, target, name, contactId: senderId },
        }),
      ),
      when(signingSettled, ({ signingId }) => ({ resolve: [signingId] })),
    ],
  },
  'seal-waits': {
    icon: 'clock',
    step: 'open',
    text: text('inbox', 'sealWaits'),
    next: (_, pathTo) => pathTo('staff/tasks/seal-waits'),
    sources: [
      when(sealWaits, ({ signingId, companyId, title: name, senderId: contactId }) => ({
        add: { companyId, clientId: null, key: companyId, target: sealWait(signingId), name, contactId },
      })),
      when(signingSettled, ({ signingId }) => ({ resolve: [sealWait(signingId)] })),
    ],
  },
};

const path = '/api/client-center/v3/signing';

export const signing = defineFeature<FeatureApi>({
  name: 'signing',
  receiptKinds,
  notifications: {
    signature: { icon: 'pen-line', push: 'signatures', ofMails: ['signature'], isForContacts: true },
  },
  tables,
  auditActions,
  exports: exportedSignings,
  mails,
  inbox: inboxKinds,
  figures: [
    openTasksFigure('esign', { id: 'signatures', order: 30, label: text('overview', 'signatures') }),
    { id: 'signing', group: 'firm', order: 45, label: text('overview', 'signing'), inboxKind: 'signing' },
  ],
  api: {
    app: signingApi,
    routes: [
      { method: 'get', path: `${path}/{signingId}/pages/{page}`, who: 'signed-in' },
      { method: 'get', path: `${path}/{signingId}/document`, who: 'signed-in' },
      { method: 'get', path: `${path}/links/{token}/pages/{page}`, who: 'visitor' },
      { method: 'get', path: `${path}/links/{token}/document`, who: 'visitor' },
    ],
  },
  jobs: { [SEAL_JOB]: { run: sealSigned, isSlow: true } },
  sweeps: [
    { every: HOUR, run: sweepVisits },
    { every: HOUR, run: purgeRequests },
    { every: HOUR, run: resumeSealing },
  ],
  verify: verifySigning,
});

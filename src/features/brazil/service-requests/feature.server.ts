import type { FeatureApi } from '#features/base/people/people.server.ts';
import { hasArea } from '#features/base/people/people.ts';
import { MAX_BYTES } from '#features/documents/documents/rules.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { text } from '#platform/text/texts.server.ts';
import { story } from './demo-story.server.ts';
import { accessSettings } from './access-settings.server.ts';
import { serviceRequestsApi } from './api.server.ts';
import { exportedRequests } from './exporting.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { lapseRequests } from './lapsing.server.ts';
import { lookups } from './lookups.server.ts';
import { addNamedKinds } from './named-kinds.server.ts';
import { requestNames } from './names.server.ts';
import { tables } from './schema.server.ts';
import { verifyRequests } from './submissions.server.ts';
import type messages from '../../../../locales/en-us/service-requests.json';

addNamedKinds();

const did = (key: Parameters<typeof text<'service-requests'>>[1]) => text('service-requests', key);

const auditActions = {
  'service-request.begin': { text: did('didBegin') },
  'service-request.delete': { text: did('didDelete') },
  'service-request.submit': { text: did('didSubmit'), seenByClient: true },
  'service-request.submit-minimum': { text: did('didSubmitMinimum'), seenByClient: true },
  'service-request.submit-rest': { text: did('didSubmitRest'), seenByClient: true },
  'service-request.resubmit': { text: did('didResubmit'), seenByClient: true },
  'service-request.answer': { text: did('didAnswer'), seenByClient: true },
  'service-request.take-back': { text: did('didTakeBack'), seenByClient: true },
  'service-request.cancel': { text: did('didCancel'), seenByClient: true },
  'service-request.reopen': { text: did('didReopen'), seenByClient: true },
  'service-request.open': { text: did('didOpen') },
  'service-request.ask': { text: did('didAsk'), seenByClient: true },
  'service-request.return': { text: did('didReturn'), seenByClient: true },
  'service-request.reply': { text: did('didReply'), seenByClient: true },
  'service-request.decline': { text: did('didDecline'), seenByClient: true },
  'service-request.lapse': { text: did('didLapse'), seenByClient: true },
  'service-request.message': { text: did('didMessage'), seenByClient: true },
  'service-request.note': { text: did('didNote') },
  'service-request.take': { text: did('didTake') },
  'service-request.leave': { text: did('didLeave') },
  'service-request.assign': { text: did('didAssign') },
  'service-request.remind': { text: did('didRemind'), seenByClient: true },
  'service-request.export': { text: did('didExport') },
  'service-request.settings': { text: did('didSettings') },
} as const satisfies AuditActionDeclarations;

const mails = {
  'service-request': {
    label: text('service-requests', 'mailKind'),
    optional: {
      contact: text('service-requests', 'mailNotify'),
      staff: text('service-requests', 'mailNotifyStaff'),
    },
  },
} as const satisfies MailKindDeclarations;

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    'service-requests': typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'service-requests': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'service-requests': typeof messages;
  }
}

const path = '/api/service-request/v1';
const one = `${path}/requests/{id}`;
const guard = { who: 'signed-in' } as const;
const staff = { who: 'staff' } as const;

export const serviceRequests = defineFeature<FeatureApi>({
  name: 'service-requests',
  story,
  access: accessSettings,
  navigation: [
    {
      side: 'staff',
      page: 'staff/service-requests',
      order: 44,
      label: text('service-requests', 'title'),
      icon: 'clipboard-list',
      key: 'q',
      isFor: ({ actor }) => hasArea(actor.access, 'service-request'),
    },
  ],
  notifications: {
    'service-request': {
      icon: 'clipboard-list',
      push: 'requests',
      ofMails: ['service-request'],
      isForContacts: true,
    },
  },
  tables,
  auditActions,
  mails,
  lookups,
  inbox: inboxKinds,
  names: { request: requestNames },
  exports: exportedRequests,
  verify: verifyRequests,
  sweeps: [{ every: HOUR, run: lapseRequests }],
  api: {
    app: serviceRequestsApi,
    routes: [
      { method: 'get', path: `${path}/forms/{type}`, ...guard },
      { method: 'get', path: `${path}/requests`, ...guard },
      { method: 'post', path: `${path}/requests`, ...guard },
      { method: 'get', path: one, ...guard },
      { method: 'delete', path: one, ...guard },
      { method: 'post', path: `${one}/answers`, ...guard },
      { method: 'get', path: `${one}/lookups/{list}`, ...guard },
      { method: 'post', path: `${one}/sections/{section}`, ...guard, takesFiles: MAX_BYTES },
      { method: 'get', path: `${one}/rules`, ...guard },
      // it only reads
      { method: 'post', path: `${one}/check`, ...guard, whileViewing: true, forReadOnly: true },
      { method: 'post', path: `${one}/submit`, ...guard },
      { method: 'post', path: `${one}/take-back`, ...guard },
      { method: 'post', path: `${one}/messages`, ...guard },
      { method: 'post', path: `${one}/ask`, ...staff },
      { method: 'post', path: `${one}/return`, ...staff },
      { method: 'post', path: `${one}/reply`, ...staff },
      { method: 'post', path: `${one}/cancel`, ...guard },
      { method: 'post', path: `${one}/reopen`, ...guard },
      { method: 'get', path: `${one}/submissions/{number}`, ...guard },
      { method: 'get', path: `${one}/export`, ...guard },
      { method: 'get', path: `${path}/settings/{type}`, ...staff },
      { method: 'put', path: `${path}/settings/{type}`, who: 'staff', permission: 'ManageFirm' },
    ],
  },
});

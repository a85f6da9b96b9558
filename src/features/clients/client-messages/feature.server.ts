import type { FeatureApi } from '#features/base/people/people.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/client-messages.json';
import { clientMessagesApi } from './api.server.ts';
import { exportedMessages } from './exporting.server.ts';
import { clientMessagesWidget } from './home-widget.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { sendMessageMails } from './mails.server.ts';
import { notificationKinds } from './notification-kinds.server.ts';
import { tables } from './schema.server.ts';
import { verifyMessages } from '#features/clients/threads/verification.server.ts';

const auditActions = {
  'client-message.add': { text: text('client-messages', 'didWrite'), seenByClient: true },
  'client-message.withdraw': { text: text('client-messages', 'didWithdraw'), seenByClient: true },
  'client-message.add-note': { text: text('client-messages', 'didNote') },
  'client-message.withdraw-note': { text: text('client-messages', 'didNoteWithdraw') },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'client-messages': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'client-messages': typeof messages;
  }
}

const path = '/api/client-center/v1/clients/{clientId}/messages';
const guard = { who: 'signed-in', part: 'messages' } as const;

export const clientMessages = defineFeature<FeatureApi>({
  name: 'client-messages',
  access: [
    {
      name: 'HideMessages',
      place: 'messages to the firm, page and calls; src/features/clients/client-messages/scope.server.ts',
      row: {
        group: 'areas',
        order: 80,
        label: text('portal', 'rowMessages'),
        isShown: true,
        isInverted: true,
        isForTeam: false,
      },
    },
  ],
  notifications: notificationKinds,
  navigation: [
    {
      side: 'account',
      page: 'messages',
      order: 35,
      label: text('client-messages', 'title'),
      isFor: ({ actor }) => !actor.staff,
    },
  ],
  widgets: [clientMessagesWidget],
  tables,
  auditActions,
  inbox: inboxKinds,
  figures: [
    {
      id: 'client-messages',
      group: 'firm',
      order: 35,
      label: text('client-messages', 'figure'),
      inboxKind: 'client-message',
    },
  ],
  exports: [exportedMessages],
  api: {
    app: clientMessagesApi,
    routes: [
      { method: 'get', path, ...guard },
      { method: 'post', path, ...guard },
      { method: 'delete', path: `${path}/{messageId}`, ...guard },
    ],
  },
  verify: () => verifyMessages('client_messages'),
  jobs: { 'client-messages': { run: sendMessageMails } },
});

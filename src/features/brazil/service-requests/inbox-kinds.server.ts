import type { Contributions } from '#platform/runtime/feature.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { requestMessageAdded, requestSettled, requestWaits } from './events.server.ts';

type Kind = Contributions['inbox'][string];

const toRequest: Kind['next'] = ({ key }, pathTo) => pathTo(`staff/service-requests/${key}`);

/** What of service requests waits for the firm. */
export const inboxKinds: Contributions['inbox'] = {
  'service-request': {
    icon: 'clipboard-list',
    step: 'answer',
    text: text('service-requests', 'inboxRequest'),
    next: toRequest,
    sources: [
      when(requestWaits, ({ companyId, clientId, requestId, name }) => ({
        add: { companyId, clientId, key: requestId, target: requestId, name },
      })),
      when(requestSettled, ({ requestId }) => ({ resolve: [requestId] })),
    ],
  },
  'service-request-message': {
    icon: 'message-square',
    step: 'reply',
    text: text('service-requests', 'inboxMessage'),
    next: (row, pathTo) => `${toRequest(row, pathTo)}#conversation`,
    sources: [
      when(requestMessageAdded, ({ companyId, clientId, requestId: key, messageId: target, name }) => ({
        add: { companyId, clientId, key, target, name },
      })),
      when(requestSettled, ({ companyId, requestId: key }) => ({ resolveGroup: { companyId, key } })),
    ],
  },
};

import { when } from '#platform/runtime/events.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { certificateSettled, certificateWanted } from './events.server.ts';

export const inboxKinds: Contributions['inbox'] = {
  certificate: {
    icon: 'lock',
    step: 'check',
    text: text('digital-certificates', 'inboxWanted'),
    next: ({ key }, pathTo) => pathTo(`staff/clients/${key}/digital-certificate`),
    isFor: ({ access }) => access.permissions.has('ManageClients'),
    sources: [
      when(certificateWanted, ({ companyId, clientId, certificateId: target, name }) => ({
        add: { companyId, clientId, key: clientId, target, name },
      })),
      when(certificateSettled, ({ certificateId }) => ({ resolve: [certificateId] })),
    ],
  },
};

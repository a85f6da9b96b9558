import { when } from '#platform/runtime/events.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { certificateLapsing, lapseSettled } from './events.server.ts';

export const inboxKinds: Contributions['inbox'] = {
  clearance: {
    icon: 'file-check',
    step: 'check',
    text: text('clearance-certificates', 'inboxLapsing'),
    next: ({ key }, pathTo) => pathTo(`staff/clients/${key}/clearance-certificates`),
    sources: [
      when(certificateLapsing, ({ companyId, clientId, clientAgencyId: target, name }) => ({
        add: { companyId, clientId, key: clientId, target, name },
      })),
      when(lapseSettled, ({ clientAgencyIds }) => ({ resolve: clientAgencyIds })),
    ],
  },
};

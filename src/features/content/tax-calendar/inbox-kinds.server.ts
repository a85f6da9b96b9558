import type { Contributions } from '#platform/runtime/feature.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { taxDateMarked } from './events.server.ts';

/** A contact said that there is nothing to send this time; the firm checks whether that is right. */
export const inboxKinds: Contributions['inbox'] = {
  'tax-nothing': {
    icon: 'calendar',
    step: 'check',
    text: text('tax-calendar', 'inboxNothing'),
    next: ({ key }, pathTo) => pathTo(`staff/clients/${key}/tax-calendar`),
    sources: [
      when(taxDateMarked, ({ companyId, clientId, taxDateId, name, mark, isByStaff }) =>
        mark === 'nothing' && !isByStaff
          ? { add: { companyId, clientId, key: clientId, target: taxDateId, name } }
          : { resolve: [taxDateId] },
      ),
    ],
  },
};

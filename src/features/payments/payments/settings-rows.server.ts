import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { paymentSettingsOf, waysOf } from './settings.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/payments',
    group: 'firm',
    icon: 'receipt-text',
    order: 40,
    title: text('payments', 'settingsTitle'),
    text: text('payments', 'settingsRowText'),
    permission: 'ManageFirm',
    state: async ({ lang, session }) => {
      const t = translationsFor(lang, 'payments');
      const ways = waysOf(await paymentSettingsOf(session.actor.companyId));
      return ways.length === 0 ? t('settingsNoWay') : ways.map((way) => t(`way_${way}`)).join(', ');
    },
  },
];

import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { domainsOf } from './domains.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/sharing',
    group: 'files',
    icon: 'share-2',
    order: 90,
    title: text('sharing', 'domainsTitle'),
    text: text('sharing', 'domainsText'),
    permission: 'ManageFirm',
    state: async ({ lang, session }) => {
      const t = translationsFor(lang, 'sharing');
      const { length: count } = await domainsOf(session.actor.companyId);
      return count === 0 ? t('settingsAnyDomain') : t('settingsDomains', { count });
    },
  },
];

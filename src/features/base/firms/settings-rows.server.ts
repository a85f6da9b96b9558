import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { firmOf } from './firms.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/firm',
    group: 'firm',
    icon: 'building-2',
    order: 20,
    title: text('firms', 'title'),
    text: text('firms', 'intro'),
    permission: 'ManageFirm',
    state: async ({ lang, session }) => {
      const { contactPerson: name } = await firmOf(session.actor.companyId);
      const t = translationsFor(lang, 'firms');
      return name === '' ? t('settingsNoContact') : t('settingsContact', { name });
    },
  },
  {
    page: 'staff/theme',
    group: 'firm',
    icon: 'pen-line',
    order: 30,
    title: text('shell', 'themeTitle'),
    text: text('shell', 'themeIntro'),
    permission: 'ManageFirm',
    state: async ({ lang, session }) => {
      const { theme } = await firmOf(session.actor.companyId);
      return translationsFor(lang, 'firms')(theme.logoUrl === null ? 'settingsNoLogo' : 'settingsOwnLogo');
    },
  },
];

import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { ownTexts } from './own-texts.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/mail-texts',
    group: 'files',
    icon: 'mail',
    order: 125,
    title: text('mail-texts', 'title'),
    text: text('mail-texts', 'settingsText'),
    permission: 'ManageFirm',
    state: async ({ lang, session: { actor } }) => {
      const { length: count } = await ownTexts(actor.companyId);
      const t = translationsFor(lang, 'mail-texts');
      return count === 0 ? t('settingsStandard') : t('settingsOwn', { count });
    },
  },
];

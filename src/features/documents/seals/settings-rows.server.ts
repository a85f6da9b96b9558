import type { Contributions } from '#platform/runtime/feature.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { listSealKeys } from './keys.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/seal',
    group: 'records',
    icon: 'file-check',
    order: 50,
    title: text('seals', 'title'),
    text: text('seals', 'intro'),
    permission: 'ManageFirm',
    state: async ({ lang, locale, timeZone, session }) => {
      const t = translationsFor(lang, 'seals');
      const [key] = await listSealKeys(session.actor);
      if (!key) return t('noneShort');
      const date = formatDate(locale, key.validTo, timeZone);
      return t(key.origin === 'portal' ? 'madeUntil' : 'loadedUntil', { name: key.name, date });
    },
  },
];

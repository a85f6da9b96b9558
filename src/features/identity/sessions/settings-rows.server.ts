import type { Contributions } from '#platform/runtime/feature.server.ts';
import { db } from '#platform/database/database.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/terms',
    group: 'firm',
    icon: 'file-text',
    order: 110,
    title: text('session', 'termsTitle'),
    text: text('session', 'staffTermsIntro'),
    permission: 'ManageFirm',
    state: async ({ lang, session }) => {
      const { version } = await db()
        .selectFrom('terms')
        .select((e) => e.fn.max<number | null>('version').as('version'))
        .where('company_id', '=', session.actor.companyId)
        .executeTakeFirstOrThrow();
      const t = translationsFor(lang, 'session');
      return version === null ? t('settingsNoTerms') : t('settingsVersion', { version });
    },
  },
];

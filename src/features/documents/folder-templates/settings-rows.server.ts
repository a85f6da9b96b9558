import type { Contributions } from '#platform/runtime/feature.server.ts';
import { db } from '#platform/database/database.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/templates',
    group: 'files',
    icon: 'folder',
    order: 120,
    title: text('templates', 'title'),
    text: text('templates', 'settingsText'),
    permission: 'Publish',
    state: async ({ lang, session }) => {
      const { count } = await db()
        .selectFrom('folder_templates')
        .select((e) => e.fn.countAll<number>().as('count'))
        .where('company_id', '=', session.actor.companyId)
        .executeTakeFirstOrThrow();
      return translationsFor(lang, 'templates')('settingsCount', { count: Number(count) });
    },
  },
];

import { staffOf } from '#features/base/people/staff.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/people',
    group: 'people',
    icon: 'users',
    order: 60,
    title: text('directory', 'settingsTitle'),
    text: text('directory', 'settingsText'),
    state: async ({ lang, session }) => {
      const { count } = await staffOf(session.actor.companyId)
        .select((e) => e.fn.countAll<number>().as('count'))
        .where('removed_at', 'is', null)
        .executeTakeFirstOrThrow();
      return translationsFor(lang, 'directory')('settingsMembers', { count: Number(count) });
    },
  },
];

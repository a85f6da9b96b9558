import { fold } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text as textOf } from '#platform/text/texts.server.ts';
import { offeredAreas } from './rows.server.ts';

/** The pages of settings that the reader may open, by words of their titles and of what they are for. */
export const searchKind: Contributions['search'][number] = {
  kind: 'settings',
  order: 70,
  label: textOf('staff', 'settingsTitle'),
  icon: 'settings',
  page: 'staff/settings',
  find: async ({ actor, lang, text, limit, pathTo }) => {
    const hasWord = (content: string): boolean => ` ${fold(content)}`.includes(` ${fold(text)}`);
    const areas = await offeredAreas(lang, actor);
    const named = areas.filter(({ title }) => hasWord(title));
    const described = areas.filter(({ title, text: purpose }) => !hasWord(title) && hasWord(purpose));
    return {
      hits: [...named, ...described]
        .slice(0, limit + 1)
        .map(({ page, title, icon }) => ({ title, href: pathTo(page), icon })),
      all: pathTo('staff/settings'),
    };
  },
};

import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text as textOf } from '#platform/text/texts.server.ts';
import { searchArticles } from './search.server.ts';

/** The help articles for this person, which the index in memory finds. */
export const searchKind: Contributions['search'][number] = {
  kind: 'help',
  order: 90,
  label: textOf('help', 'title'),
  icon: 'info',
  page: 'help',
  // the firm may hide the help
  isFor: ({ session: { actor } }) => !actor.access.controls.has('HideHelp'),
  find: ({ lang, session, text, limit, pathTo }) =>
    Promise.resolve({
      hits: searchArticles(lang, text, session)
        .slice(0, limit + 1)
        .map(({ id, title }) => ({ title, href: pathTo(`help/${id}`) })),
      all: pathTo('help', { q: text }),
    }),
};

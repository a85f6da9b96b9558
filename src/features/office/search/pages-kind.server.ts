import { fold } from '#platform/database/database.server.ts';
import { contributed } from '#platform/runtime/feature.server.ts';
import { text as textOf, translate } from '#platform/text/texts.server.ts';
import type { SearchKind } from './contributions.server.ts';

/** The pages that the frame links, and what can be begun, by their names. */
export const pagesKind: SearchKind = {
  kind: 'pages',
  order: 80,
  label: textOf('search', 'pages'),
  icon: 'chevron-right',
  find: ({ lang, session, text, limit, pathTo, mayOpen }) => {
    const links = contributed('navigation')
      .flat()
      .filter(({ side }) => side === 'account' || (side === 'client') !== session.actor.staff)
      .filter(({ page, isFor }) => mayOpen(page) && (isFor?.(session) ?? true))
      .toSorted((a, b) => a.order - b.order)
      .map(({ page, query, label, icon }) => ({
        title: translate(lang, label),
        href: pathTo(page, query),
        ...(icon && { icon }),
      }));
    const found = links.filter(({ title }) => ` ${fold(title)}`.includes(` ${fold(text)}`));
    const byAddress = new Map(found.map((link) => [link.href, link]));
    return Promise.resolve({ hits: [...byAddress.values()].slice(0, limit) });
  },
};

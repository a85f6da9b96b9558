import type { Contributions } from '#platform/runtime/feature.server.ts';
import { formatNumber } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { MAX_OPENINGS } from './openings.server.ts';

type Badge = NonNullable<Contributions['navigation'][number]['badge']>;

/** How many links to documents of the client were opened since their sender looked last. */
export const newlyOpened: Badge = async ({ lang, locale, client, openings }) => {
  const clientId = (await client)?.id ?? '';
  const count = (await openings).filter(({ clientIds }) => clientIds.includes(clientId)).length;
  if (count === 0) return undefined;
  const shown = `${formatNumber(locale, count)}${count >= MAX_OPENINGS ? '+' : ''}`;
  return { text: shown, label: translationsFor(lang, 'shares')('newlyOpened', { count, text: shown }) };
};

const sent = { page: 'shares', label: text('shares', 'title'), badge: newlyOpened } as const;

export const navigation: Contributions['navigation'] = [
  { ...sent, side: 'client', order: 50, icon: 'share-2', isBesideAreas: true },
  { ...sent, side: 'account', order: 40 },
];

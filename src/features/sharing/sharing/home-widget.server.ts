import type { Contributions } from '#platform/runtime/feature.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { newestOwnShares } from './my-shares.server.ts';
import type { SentShare } from './my-shares.ts';

type Widget = Contributions['widgets'][number];
type Context = Parameters<Widget['load']>[0];

const MAX_SHARES = 3;

/** The newest shares of the reader and whether they were opened. */
export const sharesWidget: Widget = {
  id: 'shares',
  section: 2,
  order: 50,
  page: 'shares',
  title: text('sharing', 'homeTitle'),
  load: async (context) => {
    const { actor, lang, pathTo } = context;
    const t = translationsFor(lang, 'sharing');
    const shares = await newestOwnShares(actor, MAX_SHARES);
    return {
      rows: shares.map((share) => {
        const [first, ...others] = share.recipients.map(({ emailAddress }) => emailAddress);
        const more = others.length > 0 ? t('homeMore', { count: others.length }) : '';
        return {
          title: share.subject,
          href: pathTo('shares', { share: share.shareId }),
          notes: [{ text: [first, more].filter(Boolean).join(' ') }, { text: stateOf(share, context) }],
        };
      }),
    };
  },
};

function stateOf({ state, recipients, expiresAt }: SentShare, { lang, locale, timeZone }: Context): string {
  const t = translationsFor(lang, 'sharing');
  const opened = recipients.flatMap(({ lastOpenedAt }) => lastOpenedAt ?? []).toSorted();
  const last = opened.at(-1);
  if (last !== undefined) return t('homeOpened', { date: formatDate(locale, last, timeZone) });
  if (state === 'revoked') return t('homeRevoked');
  if (state === 'expired') return t('homeExpired', { date: formatDate(locale, expiresAt, timeZone) });
  return t('homeNotOpened');
}

import type { Contributions } from '#platform/runtime/feature.server.ts';
import { fold } from '#platform/database/database.server.ts';
import { text as textOf } from '#platform/text/texts.server.ts';
import { newestOwnShares } from '#features/sharing/sharing/my-shares.server.ts';

/** Subjects and recipients are encrypted, so the newest shares are read: no more is promised. */
const MAX_READ = 50;

/** What the reader shared last, by its subject or by whom it was sent to. */
export const searchKind: Contributions['search'][number] = {
  kind: 'shares',
  order: 50,
  label: textOf('shares', 'title'),
  icon: 'share-2',
  page: 'shares',
  find: async ({ actor, text, limit, pathTo }) => {
    const wanted = fold(text);
    const shares = await newestOwnShares(actor, MAX_READ);
    const found = shares.filter(({ subject, recipients }) =>
      [subject, ...recipients.map(({ emailAddress }) => emailAddress)].some((one) =>
        fold(one).includes(wanted),
      ),
    );
    return {
      hits: found.slice(0, limit + 1).map(({ shareId, subject, recipients }) => ({
        title: subject,
        href: pathTo('shares', { share: shareId }),
        note: recipients[0]?.emailAddress ?? '',
      })),
      all: pathTo('shares'),
    };
  },
};

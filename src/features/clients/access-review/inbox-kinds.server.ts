import type { Contributions } from '#platform/runtime/feature.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { mayReview } from './access-review.server.ts';
import { reviewFinished, reviewWaits } from './events.server.ts';

const noticeOf = (reviewId: string, notice: 'started' | 'ends'): string => `${reviewId}-${notice}`;

export const inboxKinds: Contributions['inbox'] = {
  'access-review': {
    icon: 'users',
    step: 'review',
    text: text('inbox', 'accessReview'),
    next: ({ key }, pathTo) => pathTo(`staff/access-review/${key}`),
    isFor: mayReview,
    isTeamWide: true,
    sources: [
      when(reviewWaits, ({ reviewId: key, companyId, notice }) => ({
        add: { companyId, clientId: null, key, target: noticeOf(key, notice), name: '', once: true },
      })),
      when(reviewFinished, ({ reviewId }) => ({
        resolve: [noticeOf(reviewId, 'started'), noticeOf(reviewId, 'ends')],
      })),
    ],
  },
};

import type { Contributions } from '#platform/runtime/feature.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { feedbackGiven, feedbackSettled } from './events.server.ts';
import { mayReadFeedback } from './feedback.server.ts';

export const inboxKinds: Contributions['inbox'] = {
  feedback: {
    icon: 'smile',
    step: 'open',
    text: text('feedback', 'inbox'),
    next: (_row, pathTo) => pathTo('staff/feedback'),
    isFor: mayReadFeedback,
    isTeamWide: true,
    sources: [
      when(feedbackGiven, ({ feedbackId, companyId, author }) => ({
        add: { companyId, clientId: null, key: 'feedback', target: feedbackId, name: author },
      })),
      when(feedbackSettled, ({ feedbackIds }) => ({ resolve: feedbackIds })),
    ],
  },
};

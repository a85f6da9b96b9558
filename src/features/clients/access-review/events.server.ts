import { defineEvent } from '#platform/runtime/events.server.ts';

/** Those who may review are notified of an open review: when it starts, and repeatedly before its end. */
export const reviewWaits = defineEvent<{
  reviewId: string;
  companyId: string;
  notice: 'started' | 'ends';
}>();

/** Everything in a review is decided. */
export const reviewFinished = defineEvent<{ reviewId: string }>();

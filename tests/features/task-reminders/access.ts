import type { FeatureAccess } from '../../authz/feature-access.ts';
import { over, toNobody } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/reminders/[token]': () => over,
    '/[base]/[lang]/calendar/[token].ics': toNobody,
  },
  postedByReaders: ['/[base]/[lang]/reminders/[token]', '/[base]/[lang]/calendar/[token].ics'],
};

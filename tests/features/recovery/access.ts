import type { FeatureAccess } from '../../authz/feature-access.ts';
import { over, toEverybody, toWriters } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/auth/forgot': toEverybody,
    '/[base]/[lang]/auth/reset/[token]': () => over,
    '/[base]/[lang]/auth/rescue': toEverybody,
    '/[base]/[lang]/staff/rescue': toWriters,
  },
  postedByReaders: [
    '/[base]/[lang]/auth/forgot',
    '/[base]/[lang]/auth/reset/[token]',
    '/[base]/[lang]/auth/rescue',
  ],
};

import type { FeatureAccess } from '../../authz/feature-access.ts';
import { sends } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/actions/service-request/mocks/vacation': sends(''),
    '/[base]/[lang]/actions/service-request/mocks/termination': sends(''),
  },
  postedByReaders: [
    '/[base]/[lang]/actions/service-request/mocks/vacation',
    '/[base]/[lang]/actions/service-request/mocks/termination',
  ],
};

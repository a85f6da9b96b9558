import type { FeatureAccess } from '../../authz/feature-access.ts';
import { sends, toManagers, toStaff, toStaffWithId } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/actions/service-request/requests': sends(''),
    '/[base]/[lang]/actions/service-request/requests/[requestId]': sends(''),
    '/[base]/[lang]/staff/service-requests': toStaff,
    '/[base]/[lang]/staff/service-requests/settings': toManagers,
    '/[base]/[lang]/staff/service-requests/[requestId]': toStaffWithId,
  },
  inMissingSections: [
    '/[base]/[lang]/actions/service-request/requests',
    '/[base]/[lang]/actions/service-request/requests/[requestId]',
  ],
};

import type { FeatureAccess } from '../../authz/feature-access.ts';
import { sends, toStaffWithARight } from '../../authz/page-policy.ts';

// nobody of the fixture has invoices to manifest, or manages clients: certificates.test.ts has those who do
export const access: FeatureAccess = {
  rules: {},
  requests: {},
  pages: {
    '/[base]/[lang]/actions/nfe-manifest/digital-certificate': sends(''),
    '/[base]/[lang]/staff/clients/[id]/digital-certificate': toStaffWithARight,
  },
  inMissingSections: ['/[base]/[lang]/actions/nfe-manifest/digital-certificate'],
};

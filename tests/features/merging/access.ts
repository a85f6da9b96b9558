import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toManagers } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/staff/clients/duplicates': toManagers,
    '/[base]/[lang]/staff/clients/[id]/merge': toManagers,
  },
};

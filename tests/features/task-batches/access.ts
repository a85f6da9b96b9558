import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toWriters, toWritersWithId } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/staff/tasks/new': toWriters,
    '/[base]/[lang]/staff/tasks/batches/[batchId]': toWritersWithId,
  },
};

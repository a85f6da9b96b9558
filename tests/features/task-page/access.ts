import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toSignedInWithId } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/tasks/[taskId]': toSignedInWithId,
    '/[base]/[lang]/tasks/clients/[clientId]/task/[taskId]': toSignedInWithId,
  },
  inMissingSections: [
    '/[base]/[lang]/tasks/[taskId]',
    '/[base]/[lang]/tasks/clients/[clientId]/task/[taskId]',
  ],
};

import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toWriters, toWritersWithId } from '../../authz/page-policy.ts';
import { filesForm } from '../../support/api.ts';
import { pdf } from '../../support/cast.ts';

export const access: FeatureAccess = {
  rules: {
    // Nobody in the fixture has a batch: tests/features/publishing.
    'post /api/storage/v1/publish-batches/{id}/files': { who: 'staff', answers: [404] },
  },
  requests: {
    'post /api/storage/v1/publish-batches/{id}/files': [
      { ids: { id: 'project' }, send: () => ({ form: filesForm(['file.pdf', pdf('file')]) }) },
    ],
  },
  pages: {
    '/[base]/[lang]/staff/publish': toWriters,
    '/[base]/[lang]/staff/publish/[batchId]': toWritersWithId,
  },
  placeholders: { batchId: 'batch_0' },
  fuzz: {
    notHere: {
      'POST /api/storage/v1/publish-batches/{id}/files': 'no batch was started',
    },
  },
};

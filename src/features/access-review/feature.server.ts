import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { HOUR } from '#platform/clock.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import type messages from '../../../locales/en-us/access-review.json';
import { sweepReviews } from './access-review.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'access-review.plan': { text: 'didReviewPlan' },
  'access-review.start': { text: 'didReviewStart' },
  'access-review.confirm': { text: 'didReviewConfirm' },
  'access-review.remove': { text: 'didReviewRemove' },
  'access-review.finish': { text: 'didReviewFinish' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    'access-review': typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    'access-review': typeof messages;
  }
}

export const accessReview = defineFeature({
  name: 'access-review',
  tables,
  auditActions,
  sweeps: [{ every: HOUR, run: sweepReviews }],
});

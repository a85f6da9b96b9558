import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/access-review.json';
import { exportedReviews } from './exporting.server.ts';
import { sweepReviews } from './access-review.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { tables } from './schema.server.ts';
import { settingsRows } from './settings-rows.server.ts';

const auditActions = {
  'access-review.plan': { text: 'didReviewPlan' },
  'access-review.start': { text: 'didReviewStart' },
  'access-review.confirm': { text: 'didReviewConfirm' },
  'access-review.remove': { text: 'didReviewRemove' },
  'access-review.finish': { text: 'didReviewFinish' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'access-review': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'access-review': typeof messages;
  }
}

export const accessReview = defineFeature({
  name: 'access-review',
  tables,
  auditActions,
  exports: [exportedReviews],
  inbox: inboxKinds,
  settings: settingsRows,
  sweeps: [{ every: HOUR, run: sweepReviews }],
});

import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { HOUR } from '#platform/clock.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import type messages from '../../../locales/en-us/retention.json';
import { sweepRetention } from './retention.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'retention.change': { text: 'didRetentionChange' },
  'retention.move': { text: 'didRetentionMove' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    retention: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    retention: typeof messages;
  }
}

export const retention = defineFeature({
  name: 'retention',
  tables,
  auditActions,
  sweeps: [{ every: HOUR, run: sweepRetention }],
});

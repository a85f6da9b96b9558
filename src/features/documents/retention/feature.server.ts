import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/retention.json';
import { exportedRules } from './exporting.server.ts';
import { sweepRetention } from './retention.server.ts';
import { tables } from './schema.server.ts';
import { settingsRows } from './settings-rows.server.ts';

const auditActions = {
  'retention.change': { text: 'didRetentionChange' },
  'retention.move': { text: 'didRetentionMove' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    retention: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    retention: typeof messages;
  }
}

export const retention = defineFeature({
  name: 'retention',
  notifications: { retention: { icon: 'trash-2', ofMails: [] } },
  tables,
  auditActions,
  exports: [exportedRules],
  settings: settingsRows,
  sweeps: [{ every: HOUR, run: sweepRetention }],
});

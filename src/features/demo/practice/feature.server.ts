import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/practice.json';
import { removeFormer } from './removal.server.ts';
import { tables } from './schema.server.ts';
import { settingsRows } from './settings-rows.server.ts';

const auditActions = {
  'practice.create': { text: text('practice', 'didCreate') },
  'practice.enter': { text: text('practice', 'didEnter') },
  'practice.act': { text: text('practice', 'didAct') },
  'practice.reset': { text: text('practice', 'didReset') },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    practice: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    practice: typeof messages;
  }
}

export const practice = defineFeature({
  name: 'practice',
  tables,
  auditActions,
  settings: settingsRows,
  jobs: { 'practice-removal': { run: removeFormer } },
});

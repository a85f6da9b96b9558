import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { settingsRows } from './settings-rows.server.ts';
import type messages from '../../../../locales/en-us/first-day.json';

const auditActions = {
  'first-day.mail': { text: 'didTestMail' },
  'first-day.done': { text: 'didFirstDay' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'first-day': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'first-day': typeof messages;
  }
}

export const firstDay = defineFeature({ name: 'first-day', settings: settingsRows, auditActions });

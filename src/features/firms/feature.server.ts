import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import type messages from '../../../locales/en-us/firms.json';
import { tables } from './schema.server.ts';

const auditActions = {
  'theme.change': { text: 'didTheme' },
  'theme.reset': { text: 'didThemeReset' },
  'firm.change': { text: 'didFirm' },
  'firm.lock': { text: 'didLock' },
  'firm.unlock': { text: 'didUnlock' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    firms: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    firms: typeof messages;
  }
}

export const firms = defineFeature({
  name: 'firms',
  tables,
  auditActions,
});

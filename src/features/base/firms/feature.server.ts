import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/firms.json';
import { exportedFirm } from './exporting.server.ts';
import { tables } from './schema.server.ts';
import { settingsRows } from './settings-rows.server.ts';

const auditActions = {
  'theme.change': { text: 'didTheme' },
  'theme.reset': { text: 'didThemeReset' },
  'firm.change': { text: 'didFirm' },
  'firm.lock': { text: 'didLock' },
  'firm.unlock': { text: 'didUnlock' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    firms: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    firms: typeof messages;
  }
}

export const firms = defineFeature({
  name: 'firms',
  access: [
    {
      name: 'DisplayCOVIDAlert',
      place: 'the announcement of the firm; src/layouts/announcement.server.ts',
      row: { group: 'account', order: 10, label: text('portal', 'rowAnnouncement'), isShown: true },
    },
  ],
  tables,
  auditActions,
  exports: [exportedFirm],
  settings: settingsRows,
});

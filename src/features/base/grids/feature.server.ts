import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { tables } from './schema.server.ts';
import { gridWords } from './ui/grid-words.ts';
import type messages from '../../../../locales/en-us/grids.json';

const auditActions = {
  'grid.export': { text: 'didExportList' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    grids: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    grids: typeof messages;
  }
}

/** Each feature with a grid declares its calls itself (`mountGrid`, `gridRoutes`). */
export const grids = defineFeature({
  name: 'grids',
  tables,
  auditActions,
  islandMessages: { grid: ['grids', gridWords] },
});

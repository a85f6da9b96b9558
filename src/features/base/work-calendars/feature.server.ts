import type { FeatureApi } from '#features/base/people/people.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../../locales/en-us/work-calendars.json';

const auditActions = {
  'holiday.add': { text: text('work-calendars', 'didAdd') },
  'holiday.decide': { text: text('work-calendars', 'didDecide') },
  'holiday.remove': { text: text('work-calendars', 'didRemove') },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'work-calendars': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'work-calendars': typeof messages;
  }
}

export const workCalendars = defineFeature<FeatureApi>({
  name: 'work-calendars',
  tables,
  auditActions,
});

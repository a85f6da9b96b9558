import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/inbox.json';
import { contributedSources } from './contributions.server.ts';
import { sweepInbox } from './inbox.server.ts';
import { navigation } from './navigation.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'inbox.done': { text: 'didInboxDone' },
  'inbox.undo': { text: 'didInboxUndo' },
  'inbox.mine': { text: 'didInboxMine' },
  'inbox.not-mine': { text: 'didInboxNotMine' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    inbox: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    inbox: typeof messages;
  }
}

export const inbox = defineFeature({
  name: 'inbox',
  navigation,
  tables,
  auditActions,
  subscriptions: contributedSources,
  sweeps: [{ every: HOUR, run: sweepInbox }],
});

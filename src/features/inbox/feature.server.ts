import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { HOUR } from '#platform/clock.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import type messages from '../../../locales/en-us/inbox.json';
import { sweepInbox } from './inbox.server.ts';
import { tables } from './schema.server.ts';
import { addExpiredInvitations, subscriptions } from './sources.server.ts';

const auditActions = {
  'inbox.done': { text: 'didInboxDone' },
  'inbox.undo': { text: 'didInboxUndo' },
  'inbox.mine': { text: 'didInboxMine' },
  'inbox.not-mine': { text: 'didInboxNotMine' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    inbox: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    inbox: typeof messages;
  }
}

export const inbox = defineFeature({
  name: 'inbox',
  tables,
  auditActions,
  subscriptions,
  sweeps: [
    { every: HOUR, run: addExpiredInvitations },
    { every: HOUR, run: sweepInbox },
  ],
});

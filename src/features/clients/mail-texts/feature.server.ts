import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { mailBeingQueued } from '#platform/mail/mail-events.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/mail-texts.json';
import { rewordMail } from './own-texts.server.ts';
import { tables } from './schema.server.ts';
import { settingsRows } from './settings-rows.server.ts';

const auditActions = {
  'mail-text.change': { text: text('mail-texts', 'didMailText') },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'mail-texts': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'mail-texts': typeof messages;
  }
}

export const mailTexts = defineFeature({
  name: 'mail-texts',
  tables,
  auditActions,
  settings: settingsRows,
  subscriptions: [on(mailBeingQueued, rewordMail)],
});

import { when } from '#platform/runtime/events.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { sheetLate, sheetsSettled, sheetSubmitted } from './events.server.ts';

type Kind = Contributions['inbox'][string];

const toSheet: Kind['next'] = ({ key }, pathTo) => pathTo(`staff/payroll-entries/sheets/${key}`);

/** Entries are resolved by their targets alone, whatever their kind. */
const lateTarget = (sheetId: string): string => `late-${sheetId}`;

/** What of payroll entries waits for the firm. */
export const inboxKinds: Contributions['inbox'] = {
  'payroll-sheet': {
    icon: 'clipboard-list',
    step: 'check',
    text: text('payroll-entries', 'inboxSubmitted'),
    next: toSheet,
    sources: [
      when(sheetSubmitted, ({ companyId, clientId, sheetId, name }) => ({
        add: { companyId, clientId, key: sheetId, target: sheetId, name },
      })),
      when(sheetsSettled, ({ sheetIds }) => ({ resolve: sheetIds })),
    ],
  },
  'payroll-sheet-late': {
    icon: 'clipboard-list',
    step: 'check',
    text: text('payroll-entries', 'inboxLate'),
    next: toSheet,
    sources: [
      when(sheetLate, ({ companyId, clientId, sheetId, name }) => ({
        add: { companyId, clientId, key: sheetId, target: lateTarget(sheetId), name },
      })),
      when(sheetSubmitted, ({ sheetId }) => ({ resolve: [lateTarget(sheetId)] })),
      when(sheetsSettled, ({ sheetIds }) => ({ resolve: sheetIds.map(lateTarget) })),
    ],
  },
};

import { gridRoutes } from '#features/base/grids/grid-api.server.ts';
import { clientMerged } from '#features/base/people/merged-clients.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { hasArea } from '#features/base/people/people.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { payrollEntriesApi } from './api.server.ts';
import { exportedEntries } from './exporting.server.ts';
import { entriesReport } from './entries-report.server.ts';
import { sheetGrid } from './grid.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { makeAllSheets } from './making-sheets.server.ts';
import { uniteSheets } from './merging.server.ts';
import { listNames, sheetNames } from './names.server.ts';
import { remindOfSheets } from './notices.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../../locales/en-us/payroll-entries.json';

const did = (key: Parameters<typeof text<'payroll-entries'>>[1]) => text('payroll-entries', key);

const auditActions = {
  'payroll-list.add': { text: did('didAddList') },
  'payroll-list.change': { text: did('didChangeList') },
  'payroll-list.publish': { text: did('didPublishList') },
  'payroll-list.end': { text: did('didEndList') },
  'payroll-list.export': { text: did('didExport') },
  'payroll-sheet.submit': { text: did('didSubmit'), seenByClient: true },
  'payroll-sheet.take-back': { text: did('didTakeBack'), seenByClient: true },
  'payroll-sheet.return': { text: did('didReturn'), seenByClient: true },
  'payroll-sheet.reply': { text: did('didReply'), seenByClient: true },
  'payroll-sheet.close': { text: did('didClose'), seenByClient: true },
  'payroll-sheet.reopen': { text: did('didReopen'), seenByClient: true },
} as const satisfies AuditActionDeclarations;

const mails = {
  'payroll-sheet': {
    label: text('payroll-entries', 'mailKind'),
    optional: {
      contact: text('payroll-entries', 'mailNotify'),
      staff: text('payroll-entries', 'mailNotifyStaff'),
    },
  },
} as const satisfies MailKindDeclarations;

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    'payroll-entries': typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'payroll-entries': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'payroll-entries': typeof messages;
  }
}

const path = '/api/br-payroll/v1';
const sheet = `${path}/sheets/{id}`;
const guard = { who: 'signed-in' } as const;
const managers = { who: 'staff', permission: 'ManageFirm' } as const;
const keepers = { who: 'staff', permission: 'Publish' } as const;

export const payrollEntries = defineFeature<FeatureApi>({
  name: 'payroll-entries',
  tables,
  auditActions,
  mails,
  notifications: {
    'payroll-sheet': { icon: 'clipboard-list', ofMails: ['payroll-sheet'], isForContacts: true },
  },
  inbox: inboxKinds,
  exports: exportedEntries,
  names: { sheet: sheetNames, payroll: listNames },
  navigation: [
    {
      side: 'staff',
      page: 'staff/payroll-entries',
      order: 45,
      label: text('payroll-entries', 'title'),
      icon: 'clipboard-list',
      key: 'y',
      isFor: ({ actor }) => hasArea(actor.access, 'service-request'),
    },
  ],
  api: {
    app: payrollEntriesApi,
    routes: [
      { method: 'get', path: `${path}/lists`, ...keepers },
      { method: 'post', path: `${path}/lists`, ...managers },
      { method: 'post', path: `${path}/lists/{id}/publish`, ...managers },
      { method: 'get', path: `${path}/clients/{clientId}/sheets`, ...guard },
      { method: 'get', path: sheet, ...guard },
      { method: 'patch', path: `${sheet}/cells`, ...guard },
      { method: 'put', path: `${sheet}/rows`, ...guard },
      { method: 'post', path: `${sheet}/undo`, ...guard },
      { method: 'post', path: `${sheet}/submit`, ...guard },
      { method: 'post', path: `${sheet}/take-back`, ...guard },
      { method: 'post', path: `${sheet}/return`, ...keepers },
      { method: 'post', path: `${sheet}/reply`, ...keepers },
      { method: 'post', path: `${sheet}/close`, ...keepers },
      { method: 'post', path: `${sheet}/reopen`, ...keepers },
      { method: 'get', path: `${sheet}/totals`, ...guard },
      { method: 'get', path: `${sheet}/table`, ...guard },
      { method: 'get', path: `${path}/exports/{listId}`, ...keepers },
      ...gridRoutes(sheetGrid, { who: 'staff' }),
      ...gridRoutes(entriesReport, { who: 'signed-in', part: 'actions' }),
    ],
  },
  subscriptions: [on(clientMerged, uniteSheets)],
  sweeps: [
    { every: HOUR, run: makeAllSheets },
    { every: HOUR, run: remindOfSheets },
  ],
});

import { clientRemoving } from '#features/base/people/events.server.ts';
import { clientMerged } from '#features/base/people/merged-clients.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { DAY, HOUR, MINUTE } from '#platform/runtime/clock.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { taxCalendarApi } from './api.server.ts';
import { calendarEvents } from './calendar-events.server.ts';
import { exportedTaxCalendars } from './exporting.server.ts';
import { taxCalendarWidget } from './home-widget.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { ownDateNames, taxDateNames } from './names.server.ts';
import { deleteOldDates, followMergedClient, planDue, PLAN_JOB, removeClient } from './planning.server.ts';
import { sweepReminders } from './reminders.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../../locales/en-us/tax-calendar.json';

const auditActions = {
  'calendar.profile': { text: text('tax-calendar', 'didProfile') },
  'calendar.rule': { text: text('tax-calendar', 'didRule') },
  'calendar.add': { text: text('tax-calendar', 'didAdd') },
  'calendar.remove': { text: text('tax-calendar', 'didRemove') },
  'calendar.date': { text: text('tax-calendar', 'didMove') },
  'calendar.mark': { text: text('tax-calendar', 'didMark'), seenByClient: true },
} as const satisfies AuditActionDeclarations;

const mails = {
  'tax-date': {
    label: text('tax-calendar', 'mailKind'),
    optional: { contact: text('tax-calendar', 'mailNotify') },
    isScheduled: true,
  },
} as const satisfies MailKindDeclarations;

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    'tax-calendar': typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'tax-calendar': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'tax-calendar': typeof messages;
  }
}

const guard = { who: 'signed-in', part: 'dashboards' } as const;

export const taxCalendar = defineFeature<FeatureApi>({
  name: 'tax-calendar',
  tables,
  auditActions,
  mails,
  notifications: { 'tax-date': { icon: 'calendar', ofMails: ['tax-date'], isOnlyLatest: true } },
  names: { taxdate: taxDateNames, owndate: ownDateNames },
  widgets: [taxCalendarWidget],
  inbox: inboxKinds,
  calendarEvents,
  exports: exportedTaxCalendars,
  navigation: [
    {
      side: 'staff',
      page: 'staff/tax-calendar',
      order: 46,
      label: text('tax-calendar', 'title'),
      icon: 'calendar',
      key: 'k',
    },
  ],
  api: {
    app: taxCalendarApi,
    routes: [
      { method: 'get', path: '/api/tax-calendar/v1/dates', ...guard },
      { method: 'put', path: '/api/tax-calendar/v1/dates/{id}/mark', ...guard },
    ],
  },
  subscriptions: [on(clientMerged, followMergedClient), on(clientRemoving, removeClient)],
  jobs: { [PLAN_JOB]: { run: () => planDue(), isSlow: true } },
  sweeps: [
    { every: HOUR, run: planDue },
    { every: 15 * MINUTE, run: sweepReminders },
    { every: DAY, run: deleteOldDates },
  ],
});

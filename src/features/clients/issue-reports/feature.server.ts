import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { DAY } from '#platform/runtime/clock.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { issueReportsApi } from './api.server.ts';
import { issueReported, issueSettled } from './events.server.ts';
import { removeOldReports, seesReports, waitingReports } from './reports.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../../locales/en-us/issues.json';

const auditActions = {
  'issue.report': { text: text('issues', 'didReport') },
  'issue.answer': { text: text('issues', 'didAnswer') },
  'issue.close': { text: text('issues', 'didClose') },
} as const satisfies AuditActionDeclarations;

const mails = { issue: { label: text('issues', 'mailKind') } } as const satisfies MailKindDeclarations;

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    issueReports: typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    issueReports: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    issues: typeof messages;
  }
}

export const issueReports = defineFeature<FeatureApi>({
  name: 'issue-reports',
  access: [
    {
      name: 'HideDiagnosticTool',
      place: 'reporting a problem, in the help menu; src/layouts/HelpMenu.astro',
      row: {
        group: 'account',
        order: 40,
        label: text('portal', 'rowReports'),
        isShown: true,
        isInverted: true,
      },
    },
  ],
  notifications: { issue: { icon: 'info', ofMails: ['issue'] } },
  tables,
  auditActions,
  mails,
  inbox: {
    issue: {
      icon: 'circle-alert',
      step: 'open',
      text: text('issues', 'inbox'),
      next: ({ key }, pathTo) => pathTo(`staff/issues/${key}`),
      isFor: seesReports,
      isTeamWide: true,
      sources: [
        when(issueReported, ({ companyId, code }) => ({
          add: { companyId, clientId: null, key: code, target: code, name: code },
        })),
        when(issueSettled, ({ code }) => ({ resolve: [code] })),
      ],
    },
  },
  settings: [
    {
      page: 'staff/issues',
      group: 'records',
      icon: 'circle-alert',
      order: 165,
      title: text('issues', 'listTitle'),
      text: text('issues', 'listText'),
      permission: 'ManageFirm',
      state: async ({ lang, session }) =>
        translationsFor(lang, 'issues')('waiting', { count: await waitingReports(session.actor.companyId) }),
    },
  ],
  api: {
    app: issueReportsApi,
    routes: [
      // errors happen on the page to sign in, before terms and while viewing as somebody, too
      {
        method: 'post',
        path: '/api/logging/v1/log',
        who: 'visitor',
        beforeTerms: true,
        whileViewing: true,
        forReadOnly: true,
      },
      {
        method: 'post',
        path: '/api/notifications/v1/notifications/category/CCVNEXT/type/CLIENT_CENTER_ISSUE_CONFIRMATION',
        who: 'signed-in',
        forReadOnly: true,
      },
    ],
  },
  sweeps: [{ every: DAY, run: removeOldReports }],
});

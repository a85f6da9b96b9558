import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR, MINUTE, SECOND } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { exportedTerms } from './exporting.server.ts';
import { sessionsApi } from './api.server.ts';
import { abortTransfersOfLocked } from './cut-off.server.ts';
import { writeLastSeen } from './last-seen.server.ts';
import { sweepSessions } from './sessions.server.ts';
import { tables } from './schema.server.ts';
import { settingsRows } from './settings-rows.server.ts';
import type messages from '../../../../locales/en-us/session.json';

const auditActions = {
  'session.start': { text: 'didSignIn' },
  'session.end': { text: 'didSignOut' },
  'session.switch': { text: 'didSwitch' },
  'token.issue': { text: 'didToken' },
  'token.revoke': { text: 'didTokenRevoke' },
  'terms.publish': { text: 'didPublish' },
  'terms.accept': { text: 'didAccept' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    sessions: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    session: typeof messages;
  }
}

export const sessions = defineFeature<FeatureApi>({
  name: 'sessions',
  tables,
  auditActions,
  exports: exportedTerms,
  settings: settingsRows,
  api: {
    app: sessionsApi,
    routes: [
      { method: 'get', path: '/api/security/v1/session', who: 'signed-in', beforeTerms: true },
      {
        method: 'delete',
        path: '/api/security/v1/session',
        who: 'signed-in',
        beforeTerms: true,
        whileViewing: true,
      },
      { method: 'get', path: '/api/profile/v1/themes/{companyId}', who: 'signed-in' },
      {
        method: 'post',
        path: '/api/security/v1/session/extend',
        who: 'signed-in',
        beforeTerms: true,
        whileViewing: true,
      },
      { method: 'get', path: '/api/security/v1/long-tokens', who: 'signed-in' },
      { method: 'post', path: '/api/security/v1/long-tokens', who: 'signed-in', forReadOnly: true },
      {
        method: 'delete',
        path: '/api/security/v1/long-tokens/{tokenId}',
        who: 'signed-in',
        forReadOnly: true,
      },
      { method: 'get', path: '/api/security/v1/accounts', who: 'signed-in', beforeTerms: true },
      {
        method: 'post',
        path: '/api/security/v1/account-switch',
        who: 'signed-in',
        beforeTerms: true,
        forReadOnly: true,
      },
      { method: 'get', path: '/api/security/v1/terms', who: 'signed-in', beforeTerms: true },
      {
        method: 'post',
        path: '/api/security/v1/terms',
        who: 'signed-in',
        beforeTerms: true,
        forReadOnly: true,
      },
      { method: 'get', path: '/api/security/v1/sessions', who: 'signed-in' },
      { method: 'delete', path: '/api/security/v1/sessions', who: 'signed-in', forReadOnly: true },
    ],
  },
  sweeps: [
    { every: HOUR, run: sweepSessions },
    // a read-only disk must not affect readers: last-seen times are written a minute later
    { every: MINUTE, run: writeLastSeen, failure: { level: 'warn', event: 'last-seen.failed' } },
    { every: 2 * SECOND, run: abortTransfersOfLocked, failure: { level: 'error', event: 'cut-off.failed' } },
  ],
  stop: () => writeLastSeen().catch((error: unknown) => log.warn({ err: error, event: 'last-seen.failed' })),
});

import { contactSessionEnded } from '#features/base/people/events.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { notificationsAdded } from '#features/office/notifications/events.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/push.json';
import { pushApi } from './api.server.ts';
import { sweepVapidKeys } from './keys.server.ts';
import { tables } from './schema.server.ts';
import { DECIDE, decidePush, pushLater, SEND, sendPush } from './sending.server.ts';
import { endOfSignIn, sweepSubscriptions } from './subscriptions.server.ts';

const auditActions = {
  'push.add': { text: text('push', 'didAdd') },
  'push.remove': { text: text('push', 'didRemove') },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    push: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    push: typeof messages;
  }
}

export const push = defineFeature<FeatureApi>({
  name: 'push',
  tables,
  auditActions,
  api: {
    app: pushApi,
    routes: [
      {
        method: 'post',
        path: '/api/notifications/v1/push-subscriptions',
        who: 'signed-in',
        forReadOnly: true,
      },
    ],
  },
  subscriptions: [
    on(notificationsAdded, pushLater),
    on(contactSessionEnded, async ({ sessionId }) => {
      if (sessionId !== undefined) await endOfSignIn(sessionId);
    }),
  ],
  jobs: { [DECIDE]: { run: decidePush }, [SEND]: { run: sendPush } },
  sweeps: [
    { every: HOUR, run: sweepVapidKeys, failure: { level: 'warn', event: 'push.no-keys' } },
    { every: HOUR, run: sweepSubscriptions },
  ],
});

import { clientMerged } from '#features/people/merged-clients.server.ts';
import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { on } from '#platform/events.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { invitationsApi } from './api.server.ts';
import { followMergedClient } from './invitations.server.ts';
import { sendBatch } from './batches.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'invitation.send': { text: 'didInvite' },
  'invitation.prepare': { text: 'didInvitePrepare' },
  'invitation.clients': { text: 'didInviteClients' },
  'invitation.revoke': { text: 'didInviteRevoke' },
  'invitation.accept': { text: 'didInviteAccept' },
  'owner.create': { text: 'didOwner' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    invitations: typeof auditActions;
  }
}

export const invitations = defineFeature<FeatureApi>({
  name: 'invitations',
  tables,
  auditActions,
  subscriptions: [on(clientMerged, followMergedClient)],
  jobs: { 'invitation-batch': { run: sendBatch, isSlow: true } },
  api: {
    app: invitationsApi,
    routes: [
      { method: 'get', path: '/api/security/v1/invitations', who: 'staff', permission: 'ManageContacts' },
      { method: 'post', path: '/api/security/v1/invitations', who: 'staff', permission: 'ManageContacts' },
      {
        method: 'delete',
        path: '/api/security/v1/invitations/{id}',
        who: 'staff',
        permission: 'ManageContacts',
      },
    ],
  },
});

import { continueEarlier } from '#features/base/batches/earlier-jobs.server.ts';
import { clientMerged } from '#features/base/people/merged-clients.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { text } from '#platform/text/texts.server.ts';
import { exportedInvitations } from './exporting.server.ts';
import { invitationsApi } from './api.server.ts';
import { followMergedClient } from './invitations.server.ts';
import { invitationBatchKind } from './batches.server.ts';
import { invitedNames } from './names.server.ts';
import { announceExpired } from './expired.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'invitation.send': { text: 'didInvite' },
  'invitation.prepare': { text: 'didInvitePrepare' },
  'invitation.clients': { text: 'didInviteClients' },
  'invitation.revoke': { text: 'didInviteRevoke' },
  'invitation.accept': { text: 'didInviteAccept' },
  'owner.create': { text: 'didOwner' },
} as const satisfies AuditActionDeclarations;

const mails = {
  invitation: { label: text('mails', 'kindInvitation'), isSecret: true },
} as const satisfies MailKindDeclarations;

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    invitations: typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    invitations: typeof auditActions;
  }
}

export const invitations = defineFeature<FeatureApi>({
  name: 'invitations',
  access: [
    {
      name: 'ManageContacts',
      place: 'invitations and rescue codes; src/routes.ts',
      row: { group: 'team', order: 40, label: text('portal', 'rowContacts'), isForTeam: true },
    },
  ],
  names: { invitation: invitedNames },
  tables,
  auditActions,
  exports: [exportedInvitations],
  mails,
  inbox: inboxKinds,
  figures: [
    {
      id: 'invitations',
      group: 'reach',
      order: 20,
      label: text('overview', 'invitations'),
      inboxKind: 'invitation',
    },
  ],
  subscriptions: [on(clientMerged, followMergedClient)],
  sweeps: [{ every: HOUR, run: announceExpired }],
  batches: { [invitationBatchKind.name]: invitationBatchKind },
  jobs: { 'invitation-batch': { run: continueEarlier, isSlow: true } },
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

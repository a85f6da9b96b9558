import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { HOUR, MINUTE } from '#platform/clock.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { identityApi, type Renew } from './api.server.ts';
import { sweepSignIns } from './identity.server.ts';
import { recordRefusal } from './refusals.server.ts';
import { sendResetLink } from './reset.server.ts';
import { sweepStarted } from './store.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'sign-in.failed': { text: 'didSignInFail' },
  'sign-in.locked': { text: 'didSignInLock' },
  'sign-in.refused': { text: 'didSignInRefuse' },
  'password.change': { text: 'didPassword' },
  'password.reset': { text: 'didReset' },
  'factor.add': { text: 'didFactor' },
  'factor.remove': { text: 'didFactorRemove' },
  'recovery-codes.make': { text: 'didCodes' },
  'recovery-codes.use': { text: 'didCodeUse' },
  'invitation.send': { text: 'didInvite' },
  'invitation.revoke': { text: 'didInviteRevoke' },
  'invitation.accept': { text: 'didInviteAccept' },
  'owner.create': { text: 'didOwner' },
  'owner.reset': { text: 'didOwnerReset' },
  'rescue.issue': { text: 'didRescue' },
  'rescue.use': { text: 'didRescueUse' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    identity: typeof auditActions;
  }
}

/** `renew` is the work of the feature `session`, which identity does not know. */
export const identity = (renew: Renew) =>
  defineFeature<FeatureApi>({
    name: 'identity',
    tables,
    auditActions,
    api: {
      app: identityApi(renew),
      routes: [
        { method: 'post', path: '/api/security/v1/step-up', who: 'signed-in' },
        { method: 'post', path: '/api/security/v1/passkeys/challenge', who: 'visitor' },
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
    jobs: {
      'password-reset': { run: sendResetLink },
      'sign-in-refused': { run: recordRefusal },
    },
    sweeps: [
      { every: HOUR, run: sweepSignIns },
      { every: MINUTE, run: sweepStarted },
    ],
  });

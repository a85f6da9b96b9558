import { invite } from '#features/identity/invitations/invitations.server.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import { over, toWritersWithId } from '../../authz/page-policy.ts';
import { type Sending, unique } from '../../authz/request-fixtures.ts';

const invitation = (clientIds: readonly string[]): Sending => ({
  json: {
    emailAddress: `${unique('guest').replace(' ', '-')}@out.example`,
    firstName: 'Gwen',
    lastName: 'Guest',
    language: 'en-us',
    clientIds,
  },
});

export const access: FeatureAccess = {
  rules: {
    'get /api/security/v1/invitations': { managesContacts: true, who: 'staff' },
    'post /api/security/v1/invitations': {
      managesContacts: true,
      who: 'staff',
      sees: ['clientIds'],
      changes: ['invitations', 'jobs', 'limits'],
    },
    'delete /api/security/v1/invitations/{id}': {
      managesContacts: true,
      who: 'staff',
      sees: ['id'],
      changes: ['invitations'],
      alters: true,
    },
  },
  requests: {
    'get /api/security/v1/invitations': [{ ids: {} }],
    'post /api/security/v1/invitations': [
      {
        ids: { clientIds: 'client' },
        send: ({ clientIds = '' }) => invitation([clientIds]),
        batch: { id: 'clientIds', send: invitation },
      },
    ],
    'delete /api/security/v1/invitations/{id}': [{ ids: { id: 'invitation' } }],
  },
  pages: {
    '/[base]/[lang]/auth/invitation/[token]': () => over,
    '/[base]/[lang]/auth/first-owner/[token]': () => over,
    '/[base]/[lang]/staff/people/invite/[id]': toWritersWithId,
  },
  postedByReaders: ['/[base]/[lang]/auth/invitation/[token]', '/[base]/[lang]/auth/first-owner/[token]'],
  fuzz: {
    prepare: async ({ olga, clientA }) => {
      const { invitationId } = await invite(olga, {
        emailAddress: 'new@out.example',
        firstName: 'New',
        lastName: 'Nelson',
        language: 'en-us',
        clientIds: [clientA],
      });
      return { only: { 'DELETE /api/security/v1/invitations/{id}': [invitationId] } };
    },
  },
};

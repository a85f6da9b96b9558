import type { FeatureAccess } from '../../authz/feature-access.ts';
import { forWriters, isSeen, toEverybody, toManagers, toSignedInWriters } from '../../authz/page-policy.ts';
import type { Sending } from '../../authz/request-fixtures.ts';

const share = (items: readonly { documentId: string; containerId: string }[]): Sending => ({
  json: {
    expirationPeriod: 'AfterOneDay',
    overrides: { subject: 'Papers', body: 'Hello' },
    recipients: [{ emailAddress: 'someone@out.example' }],
    sharedItems: items.map((item) => ({ containerType: 'Project', ...item })),
  },
});

export const access: FeatureAccess = {
  rules: {
    'post /api/storage/v2/sharing/share': {
      who: 'signed in',
      sees: ['documentId'],
      narrows: ['containerId'],
      changes: ['shares', 'share_items', 'share_clients', 'share_recipients', 'jobs', 'limits', 'receipts'],
    },
    'get /api/storage/v2/sharing/shares': { who: 'signed in', sees: ['clientId'], narrows: ['senderId'] },
    // Only its sender may extend and send it again, not even other staff; both may end links.
    'post /api/storage/v2/sharing/shares/{shareId}/extend': {
      who: 'signed in',
      sees: ['shareId'],
      updates: ['shares'],
    },
    'delete /api/storage/v2/sharing/shares/{shareId}/recipients/{recipientId}': {
      who: 'signed in',
      sees: ['shareId', 'recipientId'],
      within: ['recipientId', 'shareId'],
      changes: ['share_recipients'],
      alters: true,
    },
    'delete /api/storage/v2/sharing/shares/{shareId}': {
      who: 'signed in',
      sees: ['shareId'],
      changes: ['shares'],
      alters: true,
    },
    'get /api/storage/v2/sharing/links/{token}/documents/{documentId}': {
      who: 'holder of an opened link',
      changes: ['receipts', 'limits'],
      counts: { share_recipients: 'downloads' },
    },
    'get /api/storage/v2/sharing/links/{token}/documents/{documentId}/pages/{page}': {
      who: 'holder of an opened link',
      changes: ['limits'],
    },
    'get /api/storage/v2/sharing/links/{token}/documents.zip': {
      who: 'holder of an opened link',
      changes: ['receipts'],
      counts: { share_recipients: 'downloads' },
    },
  },
  requests: {
    'post /api/storage/v2/sharing/share': [
      {
        ids: { documentId: 'any document', containerId: 'any container' },
        send: ({ documentId = '', containerId = '' }) => share([{ documentId, containerId }]),
        named: ['language', 'locale', 'name', 'variables'],
        batch: {
          id: 'documentId',
          send: (ids) => share(ids.map((documentId) => ({ documentId, containerId: '-' }))),
        },
      },
    ],
    'get /api/storage/v2/sharing/shares': [
      { ids: { clientId: 'client' }, send: ({ clientId = '' }) => ({ query: { clientId } }) },
      {
        of: 'of one sender',
        ids: { clientId: 'client', senderId: 'contact' },
        send: ({ clientId = '', senderId = '' }) => ({ query: { clientId, senderId } }),
      },
    ],
    'post /api/storage/v2/sharing/shares/{shareId}/extend': [
      { ids: { shareId: 'sent share' }, send: () => ({ json: { expirationPeriod: 'AfterTwoWeeks' } }) },
    ],
    'delete /api/storage/v2/sharing/shares/{shareId}/recipients/{recipientId}': [
      { ids: { shareId: 'share', recipientId: 'recipient' } },
    ],
    'delete /api/storage/v2/sharing/shares/{shareId}': [{ ids: { shareId: 'share' } }],
    'get /api/storage/v2/sharing/links/{token}/documents/{documentId}': [
      { ids: { token: 'link', documentId: 'linked document' } },
    ],
    'get /api/storage/v2/sharing/links/{token}/documents/{documentId}/pages/{page}': [
      { ids: { token: 'link', documentId: 'linked document' }, send: () => ({ query: { width: '160' } }) },
    ],
    'get /api/storage/v2/sharing/links/{token}/documents.zip': [{ ids: { token: 'link' } }],
  },
  pages: {
    '/[base]/[lang]/documents/send': toSignedInWriters,
    '/[base]/[lang]/staff/sharing': toManagers,
    '/[base]/[lang]/share/[token]': toEverybody,
    // to the page of the link, which nobody of the fixture has opened
    '/[base]/[lang]/share/[token]/[documentId]': () => ({ status: 303, to: 'share/' }),
  },
  postedByReaders: ['/[base]/[lang]/share/[token]', '/[base]/[lang]/share/[token]/[documentId]'],
  ids: {
    'documents/send?id=': {
      things: (things) => things['any document'],
      opens: forWriters(isSeen),
    },
    'documents/send?folder=': {
      things: (things) => things.project,
      opens: forWriters(isSeen),
    },
  },
};

import { type FeatureAccess, ofContainers } from '../../authz/feature-access.ts';
import type { RequestFixture } from '../../authz/request-fixtures.ts';
import { notAuthorized, nowhere, signIn } from '../../authz/page-policy.ts';
import { isSignedIn, isStaff, type Rule } from '../../authz/policy.ts';

const item = ({
  id = '',
  documentId = '',
}: Readonly<Record<string, string>>): { Id: string; ContainerId: string } => ({
  Id: documentId,
  ContainerId: id,
});

/** The maximum number of keys; one more is refused. */
const keys = (most: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: most }, (_, i) => [`key${i}`, 'a value']));

export const access: FeatureAccess = {
  rules: {
    'get /api/storage/v1/documents/constraints': { who: 'signed in' },
    'get /api/storage/v1/containers/documents': {
      who: 'signed in',
      sees: ['clientId'],
      narrows: ['parentIds'],
    },
    'put /api/storage/v1/itemmetadata': {
      who: 'signed in',
      narrows: ['id', 'documentId'],
      changes: ['item_metadata'],
    },
    'post /api/storage/v1/itemmetadata/filter': { forReaders: true, who: 'signed in', sees: ['clientId'] },
    'post /api/storage/v1/itemmetadata/remove': {
      who: 'signed in',
      narrows: ['id', 'documentId'],
      ends: ['item_metadata'],
      changes: ['item_metadata'],
    },
    'put /api/storage/v1/documents/read': {
      who: 'contacts',
      narrows: ['documentId'],
      changes: ['document_reads'],
      ends: ['document_reads'],
    },
    'put /api/storage/v1/documents/{id}/lock': {
      who: 'staff',
      sees: ['id'],
      changes: ['item_locks'],
      locks: true,
    },
    ...ofContainers<Rule>((type) => ({
      [`get /api/storage/v1/${type}/{id}/documents`]: { who: 'signed in', sees: ['id'] },
      [`post /api/storage/v1/${type}/{id}/documents/exists`]: { who: 'signed in', sees: ['id'] },
    })),
    ...ofContainers<Rule>((type) => ({
      [`get /api/storage/v1/${type}/{id}/roles`]: { who: 'staff', sees: ['id'] },
      [`put /api/storage/v1/${type}/{id}/roles/{contactId}`]: {
        who: 'staff',
        sees: ['id', 'contactId'],
        changes: ['container_roles'],
        gives: true,
      },
      [`delete /api/storage/v1/${type}/{id}/roles/{contactId}`]: {
        who: 'staff',
        sees: ['id', 'contactId'],
        changes: ['container_roles'],
        gives: true,
      },
      [`put /api/storage/v1/${type}/{id}/lock`]: {
        who: 'staff',
        sees: ['id'],
        changes: ['item_locks'],
        locks: true,
      },
    })),
  },
  requests: {
    'get /api/storage/v1/documents/constraints': [{ ids: {} }],
    'get /api/storage/v1/containers/documents': [
      { ids: { clientId: 'client' }, send: ({ clientId = '' }) => ({ query: { clientId } }) },
      {
        of: 'of one container',
        ids: { clientId: 'client', parentIds: 'any container' },
        send: ({ clientId = '', parentIds = '' }) => ({ query: { clientId, parentIds } }),
      },
    ],
    'put /api/storage/v1/itemmetadata': [
      {
        ids: { id: 'project', documentId: 'document in project' },
        send: (id) => ({ json: [{ ...item(id), CustomItemMetaData: keys(20) }] }),
      },
    ],
    'post /api/storage/v1/itemmetadata/filter': [
      {
        ids: { clientId: 'client' },
        send: ({ clientId = '' }) => ({ json: { ClientId: clientId, CustomItemMetaData: keys(5) } }),
      },
    ],
    'post /api/storage/v1/itemmetadata/remove': [
      {
        ids: { id: 'project', documentId: 'document in project' },
        send: (id) => ({ json: [{ ...item(id), Keys: ['key1'] }] }),
      },
    ],
    'put /api/storage/v1/documents/read': [
      {
        ids: { documentId: 'any document' },
        send: ({ documentId = '' }) => ({ json: { documentIds: [documentId], isRead: true } }),
      },
      {
        of: 'taken back',
        ids: { documentId: 'any document' },
        send: ({ documentId = '' }) => ({ json: { documentIds: [documentId], isRead: false } }),
      },
    ],
    'put /api/storage/v1/documents/{id}/lock': [
      { ids: { id: 'any document' }, send: () => ({ json: { locked: true } }) },
    ],
    ...ofContainers<readonly RequestFixture[]>((type, kind) => ({
      [`get /api/storage/v1/${type}/{id}/documents`]: [
        { ids: { id: kind } },
        {
          of: 'searched',
          ids: { id: kind },
          send: () => ({ query: { name: 'canary', readByClientUser: 'true', loadPermission: 'true' } }),
          named: ['after', 'from', 'orderBy', 'orderDir', 'pageSize', 'uploadedBy', 'year'],
        },
      ],
      [`post /api/storage/v1/${type}/{id}/documents/exists`]: [
        { ids: { id: kind }, send: () => ({ json: ['CANARY.pdf', 'new.pdf'] }) },
      ],
    })),
    ...ofContainers<readonly RequestFixture[]>((type, kind) => ({
      [`get /api/storage/v1/${type}/{id}/roles`]: [{ ids: { id: kind } }],
      [`put /api/storage/v1/${type}/{id}/roles/{contactId}`]: [
        { ids: { id: kind, contactId: 'contact' }, send: () => ({ json: { role: 'Owner' } }) },
      ],
      [`delete /api/storage/v1/${type}/{id}/roles/{contactId}`]: [
        { ids: { id: kind, contactId: 'contact' } },
      ],
      [`put /api/storage/v1/${type}/{id}/lock`]: [
        { ids: { id: kind }, send: () => ({ json: { locked: true } }) },
      ],
    })),
  },
  pages: {
    // without an item the list is empty
    '/[base]/[lang]/documents/rights': (person) =>
      isStaff(person) ? nowhere : isSignedIn(person) ? notAuthorized : signIn,
  },
  fuzz: {
    prepare: ({ clientA, clientB, clientTwo, projectA, folder, documents }) =>
      Promise.resolve({
        only: {
          'GET /api/storage/v1/clients/{id}/documents': [clientA, clientB, clientTwo],
          ...Object.fromEntries(
            [
              ['clients', clientA],
              ['projects', projectA.id],
              ['folders', folder.id],
            ].flatMap(([type, id = '']) =>
              ['GET roles', 'PUT roles/{contactId}', 'DELETE roles/{contactId}', 'PUT lock'].map((call) => [
                call.replace(' ', ` /api/storage/v1/${type}/{id}/`),
                [id],
              ]),
            ),
          ),
          'PUT /api/storage/v1/documents/{id}/lock': documents.map(({ id }) => id),
        },
      }),
    notHere: {
      'POST /api/storage/v1/itemmetadata/filter': 'keys of metadata seldom fit by chance',
    },
  },
};

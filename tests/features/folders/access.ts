import { type FeatureAccess, ofContainers } from '../../authz/feature-access.ts';
import type { Rule } from '../../authz/policy.ts';
import { toWriters } from '../../authz/page-policy.ts';
import { type RequestFixture, unique } from '../../authz/request-fixtures.ts';
import type { Kind } from '../../authz/things.ts';

const folderIn = (parentType: string, kind: Kind): RequestFixture => ({
  of: `in a ${parentType}`,
  ids: { parentId: kind },
  send: ({ parentId }) => ({ json: { name: unique('Receipts'), parentId, parentType } }),
});

export const access: FeatureAccess = {
  rules: {
    'get /api/storage/v1/containers/tree': { who: 'signed in', sees: ['clientId'] },
    'get /api/storage/v1/containers': { who: 'signed in', sees: ['clientId'] },
    'get /api/storage/v1/projects': { who: 'signed in', sees: ['primaryAssociationId'] },
    'post /api/storage/v1/projects': { who: 'staff', sees: ['clientId'], changes: ['containers'] },
    'post /api/storage/v1/folders': { who: 'signed in', sees: ['parentId'], changes: ['containers'] },
    ...ofContainers<Rule>((type) => ({
      [`get /api/storage/v1/${type}/{id}/descendants`]: { who: 'signed in', sees: ['id'] },
    })),
  },
  requests: {
    'get /api/storage/v1/containers/tree': [
      {
        ids: { clientId: 'client' },
        send: ({ clientId = '' }) => ({
          query: { clientId, includeOrphans: 'true', countDocuments: 'true', calculateLocks: 'true' },
        }),
      },
    ],
    'get /api/storage/v1/containers': [
      {
        of: 'of a client',
        ids: { clientId: 'client' },
        send: ({ clientId = '' }) => ({ query: { clientId, includeAssociationFields: 'true' } }),
        named: ['from', 'pageSize'],
      },
    ],
    'get /api/storage/v1/projects': [
      {
        ids: { primaryAssociationId: 'client' },
        send: ({ primaryAssociationId = '' }) => ({
          query: { primaryAssociationId, primaryAssociationType: 'Client' },
        }),
        named: ['productType'],
      },
    ],
    'post /api/storage/v1/projects': [
      {
        ids: { clientId: 'client' },
        send: ({ clientId }) => ({ json: { clientId, name: unique('Project') } }),
      },
    ],
    'post /api/storage/v1/folders': [
      folderIn('Client', 'client'),
      folderIn('Project', 'project'),
      folderIn('Folder', 'folder'),
    ],
    ...ofContainers<readonly RequestFixture[]>((type, kind) => ({
      [`get /api/storage/v1/${type}/{id}/descendants`]: [{ ids: { id: kind } }],
    })),
  },
  pages: {
    '/[base]/[lang]/documents/project': toWriters,
  },
};

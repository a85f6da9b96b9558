import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toSignedInWriters } from '../../authz/page-policy.ts';
import { type Sending, unique } from '../../authz/request-fixtures.ts';

const filed = ({ containerId, documentId }: Readonly<Record<string, string>>): Sending => ({
  json: { documentIds: [documentId], containerId, containerType: 'Project' },
});

export const access: FeatureAccess = {
  rules: {
    'put /api/storage/v1/documents/{id}/name': {
      who: 'signed in',
      sees: ['id'],
      uploadedByCaller: 'id',
      changes: ['documents'],
      trashes: true,
    },
    'put /api/storage/v1/projects/{id}/name': {
      who: 'staff',
      sees: ['id'],
      changes: ['containers'],
      trashes: true,
    },
    'put /api/storage/v1/folders/{id}/name': {
      who: 'signed in',
      sees: ['id'],
      ofStaff: true,
      changes: ['containers'],
      trashes: true,
    },
    // Each document is reported separately; an invisible one is treated as unknown.
    'put /api/storage/v1/items/move': {
      who: 'signed in',
      sees: ['containerId'],
      narrows: ['documentId'],
      changes: ['documents'],
      trashes: true,
    },
    'post /api/storage/v1/items/copy': {
      who: 'signed in',
      sees: ['containerId'],
      narrows: ['documentId'],
      changes: [
        'documents',
        'document_reads',
        'blobs',
        'limits',
        'receipts',
        'upload_notices',
        'notices',
        'jobs',
      ],
      updates: ['notices'],
    },
  },
  requests: {
    'put /api/storage/v1/documents/{id}/name': [
      { ids: { id: 'document in project' }, send: () => ({ json: { name: unique('Renamed') } }) },
    ],
    'put /api/storage/v1/projects/{id}/name': [
      { ids: { id: 'project' }, send: () => ({ json: { name: unique('Renamed') } }) },
    ],
    'put /api/storage/v1/folders/{id}/name': [
      { ids: { id: 'folder' }, send: () => ({ json: { name: unique('Renamed') } }) },
    ],
    'put /api/storage/v1/items/move': [
      { ids: { containerId: 'project', documentId: 'document in folder' }, send: filed },
    ],
    'post /api/storage/v1/items/copy': [
      { ids: { containerId: 'project', documentId: 'document in folder' }, send: filed },
    ],
  },
  pages: {
    '/[base]/[lang]/documents/organize': toSignedInWriters,
  },
  fuzz: {
    prepare: ({ documents }) =>
      Promise.resolve({ only: { 'PUT /api/storage/v1/documents/{id}/name': documents.map(({ id }) => id) } }),
    notHere: {
      'PUT /api/storage/v1/items/move': 'items and targets seldom fit by chance',
      'POST /api/storage/v1/items/copy': 'items and targets seldom fit by chance',
      'PUT /api/storage/v1/projects/{id}/name': 'other requests lock the projects',
    },
  },
};

import { createProject } from '#features/documents/folders/folders.server.ts';
import { type FeatureAccess, ofContainers } from '../../authz/feature-access.ts';
import type { RequestFixture } from '../../authz/request-fixtures.ts';
import { toSignedIn, toSignedInWriters } from '../../authz/page-policy.ts';
import type { Rule } from '../../authz/policy.ts';

/** Each document of a list is reported separately; an invisible one is treated as unknown. */
const TRASH: Rule = {
  who: 'signed in',
  narrows: ['documentId', 'id'],
  changes: ['documents', 'document_reads', 'comments', 'item_metadata', 'blobs', 'receipts'],
  trashes: true,
  showsDeleted: ['the own contact', 'staff', 'staff with assigned clients', 'read-only staff'],
};

const placed = ({ id = '', documentId = '' }: Readonly<Record<string, string>>): object => ({
  Id: documentId,
  ContainerId: id,
  ContainerType: 'Project',
});

export const access: FeatureAccess = {
  rules: {
    'delete /api/storage/v1/projects/{id}': {
      who: 'staff',
      sees: ['id'],
      changes: ['containers', 'documents', 'receipts'],
      trashes: true,
    },
    'delete /api/storage/v1/folders/{id}': {
      who: 'signed in',
      sees: ['id'],
      ofStaff: true,
      changes: ['containers', 'documents', 'receipts'],
      trashes: true,
    },
    'get /api/storage/v1/folders/trash': { who: 'signed in', sees: ['clientId'] },
    // Nobody in the fixture has deleted a folder: tests/features/trash/folder-trash.test.ts.
    'post /api/storage/v1/folders/{id}/restore': { who: 'signed in', answers: [404] },
    'get /api/storage/v1/documents/trash': {
      who: 'signed in',
      sees: ['clientId'],
      showsDeleted: ['the own contact', 'staff', 'staff with assigned clients', 'read-only staff'],
    },
    'post /api/storage/v1/documents/trash': {
      who: 'signed in',
      sees: ['id', 'documentId'],
      within: ['documentId', 'id'],
      uploadedByCaller: 'documentId',
      changes: ['documents', 'receipts'],
      trashes: true,
    },
    'put /api/storage/v1/documents/batch-delete': TRASH,
    'post /api/storage/v1/documents/restore': TRASH,
    'post /api/storage/v1/documents/purge': TRASH,
    ...ofContainers<Rule>((type) => ({
      [`delete /api/storage/v1/${type}/{id}/documents/{documentId}`]: {
        who: 'signed in',
        sees: ['id', 'documentId'],
        within: ['documentId', 'id'],
        uploadedByCaller: 'documentId',
        changes: ['documents', 'receipts'],
        trashes: true,
      },
    })),
  },
  requests: {
    'delete /api/storage/v1/projects/{id}': [{ ids: { id: 'project' } }],
    'delete /api/storage/v1/folders/{id}': [{ ids: { id: 'folder' } }],
    'get /api/storage/v1/folders/trash': [
      { ids: { clientId: 'client' }, send: ({ clientId = '' }) => ({ query: { clientId } }) },
    ],
    'post /api/storage/v1/folders/{id}/restore': [{ ids: { id: 'folder' } }],
    'get /api/storage/v1/documents/trash': [
      {
        ids: { clientId: 'client' },
        send: ({ clientId = '' }) => ({ query: { clientId } }),
        named: ['from'],
      },
    ],
    'post /api/storage/v1/documents/trash': [
      { ids: { id: 'project', documentId: 'document in project' }, send: (id) => ({ json: placed(id) }) },
    ],
    'put /api/storage/v1/documents/batch-delete': [
      {
        ids: { id: 'project', documentId: 'document in project' },
        send: (id) => ({ json: { docs: [placed(id)], staffUploads: [] } }),
      },
      {
        of: 'of staff uploads',
        ids: { id: 'project', documentId: 'document in project' },
        send: (id) => ({ json: { docs: [], staffUploads: [placed(id)] } }),
      },
    ],
    'post /api/storage/v1/documents/restore': [
      {
        ids: { documentId: 'any document' },
        send: ({ documentId = '' }) => ({ json: { ids: [documentId] } }),
      },
    ],
    'post /api/storage/v1/documents/purge': [
      {
        ids: { documentId: 'any document' },
        send: ({ documentId = '' }) => ({ json: { ids: [documentId] } }),
      },
    ],
    ...ofContainers<readonly RequestFixture[]>((type, kind) => ({
      [`delete /api/storage/v1/${type}/{id}/documents/{documentId}`]: [
        { ids: { id: kind, documentId: `document in ${kind}` } },
      ],
    })),
  },
  pages: {
    '/[base]/[lang]/documents/delete': toSignedInWriters,
    '/[base]/[lang]/documents/trash': toSignedIn,
  },
  fuzz: {
    prepare: async ({ sam, clientA }) => {
      const spare = await createProject(sam, { clientId: clientA, name: 'Spare' });
      return { only: { 'DELETE /api/storage/v1/projects/{id}': [spare.id] } };
    },
    notHere: {
      'POST /api/storage/v1/documents/trash':
        'a document, its place and who handed it in seldom fit by chance',
      'DELETE /api/storage/v1/clients/{id}/documents/{documentId}':
        'a document, its place and who handed it in seldom fit by chance',
      'DELETE /api/storage/v1/projects/{id}/documents/{documentId}':
        'a document, its place and who handed it in seldom fit by chance',
      'DELETE /api/storage/v1/folders/{id}/documents/{documentId}':
        'a document, its place and who handed it in seldom fit by chance',
    },
  },
};

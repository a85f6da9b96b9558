import { startUpload } from '#features/documents/uploads/parts.server.ts';
import { type FeatureAccess, ofContainers } from '../../authz/feature-access.ts';
import type { Rule } from '../../authz/policy.ts';
import { unique, type RequestFixture } from '../../authz/request-fixtures.ts';
import { filesForm } from '../../support/api.ts';
import { pdf } from '../../support/cast.ts';

const metadata = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');

export const access: FeatureAccess = {
  rules: {
    'post /api/storage/v1/notifications/documents/upload': {
      who: 'signed in',
      sees: ['containerId'],
      narrows: ['documentId'],
      changes: ['upload_notices', 'notices', 'jobs'],
      updates: ['notices'],
    },
    'get /api/storage/v1/uploads': { who: 'signed in' },
    'post /api/storage/v1/uploads': {
      who: 'signed in',
      sees: ['containerId'],
      changes: ['uploads'],
      succeeds: 201,
    },
    // An empty part; tests/features/uploads/parts.test.ts tests parts with content.
    'get /api/storage/v1/uploads/{uploadId}': { who: 'signed in', sees: ['uploadId'] },
    'patch /api/storage/v1/uploads/{uploadId}': { who: 'signed in', sees: ['uploadId'], succeeds: 204 },
    'delete /api/storage/v1/uploads/{uploadId}': {
      who: 'signed in',
      sees: ['uploadId'],
      changes: ['uploads'],
      alters: true,
      trashes: true,
      succeeds: 204,
    },
    ...ofContainers<Rule>((type) => ({
      [`post /api/storage/v1/${type}/{id}/documents`]: {
        who: 'signed in',
        sees: ['id'],
        ...(type === 'folders' && { anyKind: 'id' }),
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
    })),
  },
  requests: {
    'post /api/storage/v1/notifications/documents/upload': [
      {
        ids: { containerId: 'project', documentId: 'document in project' },
        send: ({ containerId = '', documentId = '' }) => ({
          json: { containerType: 'Project', containerId, documentIds: [documentId] },
        }),
      },
    ],
    'get /api/storage/v1/uploads': [{ ids: {} }],
    'post /api/storage/v1/uploads': [
      {
        ids: { containerId: 'project' },
        send: ({ containerId = '' }) => ({
          headers: {
            'upload-length': '1000',
            'upload-metadata': metadata({
              filename: `${unique('Part')}.pdf`,
              containerType: 'Project',
              containerId,
            }),
          },
        }),
      },
    ],
    'get /api/storage/v1/uploads/{uploadId}': [{ ids: { uploadId: 'upload' } }],
    'patch /api/storage/v1/uploads/{uploadId}': [
      {
        ids: { uploadId: 'upload' },
        send: () => ({
          headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
        }),
      },
    ],
    'delete /api/storage/v1/uploads/{uploadId}': [{ ids: { uploadId: 'upload' } }],
    ...ofContainers<readonly RequestFixture[]>((type, kind) => ({
      [`post /api/storage/v1/${type}/{id}/documents`]: [
        {
          ids: { id: kind },
          send: () => ({
            ...(type !== 'projects' && { query: { notify: 'false' } }),
            form: filesForm([`${unique('Receipt')}.pdf`, pdf('receipt')]),
          }),
        },
      ],
    })),
  },
  fuzz: {
    prepare: async ({ ada, clientA }) => ({
      known: {
        uploadId: await Promise.all(
          Array.from(
            { length: 8 },
            async (_, i) =>
              (
                await startUpload(ada, 1000, {
                  filename: `part ${i}.pdf`,
                  containerType: 'Client',
                  containerId: clientA,
                  onConflict: 'rename',
                })
              ).uploadId,
          ),
        ),
      },
    }),
    notHere: {
      'POST /api/storage/v1/uploads': 'what it is about stands in headers of its own',
      'PATCH /api/storage/v1/uploads/{uploadId}': 'what it is about stands in headers of its own',
    },
  },
};

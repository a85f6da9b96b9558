import { startExport } from '#features/documents/downloads/exports.server.ts';
import { type FeatureAccess, ofContainers } from '../../authz/feature-access.ts';
import type { RequestFixture } from '../../authz/request-fixtures.ts';
import type { Rule } from '../../authz/policy.ts';
import { toSignedIn, toSignedInWithId } from '../../authz/page-policy.ts';
import { runDueJobs } from '../../support/jobs.ts';

export const access: FeatureAccess = {
  rules: {
    // The path of a shared document says where a page showed it: it grants and denies nothing.
    'post /api/storage/v1/jobs/export': {
      forReaders: true,
      who: 'signed in',
      sees: ['fileIDs'],
      changes: ['exports', 'jobs', 'limits'],
    },
    'get /api/storage/v1/jobs/{jobId}': { who: 'signed in', sees: ['jobId'] },
    'get /api/storage/v1/jobs/{jobId}/result': {
      who: 'signed in',
      sees: ['jobId'],
      changes: ['document_reads', 'receipts', 'limits'],
    },
    'delete /api/storage/v1/jobs/{jobId}': {
      forReaders: true,
      who: 'signed in',
      sees: ['jobId'],
      changes: ['exports'],
      alters: true,
    },
    ...ofContainers<Rule>((type) => ({
      [`get /api/storage/v1/${type}/{id}/documents/{documentId}`]: {
        who: 'signed in',
        sees: ['id', 'documentId'],
        within: ['documentId', 'id'],
        changes: ['document_reads', 'receipts', 'limits'],
      },
    })),
  },
  requests: {
    'post /api/storage/v1/jobs/export': [
      {
        ids: { fileIDs: 'any document' },
        send: ({ fileIDs = '' }) => ({ json: { fileIDs: [fileIDs] } }),
        batch: { id: 'fileIDs', send: (ids) => ({ json: { fileIDs: ids } }) },
      },
    ],
    'get /api/storage/v1/jobs/{jobId}': [{ ids: { jobId: 'export' } }],
    'get /api/storage/v1/jobs/{jobId}/result': [{ ids: { jobId: 'export' } }],
    'delete /api/storage/v1/jobs/{jobId}': [{ ids: { jobId: 'export' } }],
    ...ofContainers<readonly RequestFixture[]>((type, kind) => ({
      [`get /api/storage/v1/${type}/{id}/documents/{documentId}`]: [
        { ids: { id: kind, documentId: `document in ${kind}` } },
      ],
    })),
  },
  pages: {
    '/[base]/[lang]/documents/download': toSignedIn,
    // without a job there is nothing to show
    '/[base]/[lang]/partials/download': toSignedInWithId,
  },
  postedByReaders: ['/[base]/[lang]/documents/download', '/[base]/[lang]/partials/download'],
  fuzz: {
    prepare: async ({ ada, documents }) => {
      const own = documents.map(({ id }) => id);
      const jobIds = await Promise.all(Array.from({ length: 3 }, () => startExport(ada, own)));
      await runDueJobs();
      return {
        known: { fileIDs: own, jobId: jobIds.slice(1) },
        only: { 'DELETE /api/storage/v1/jobs/{jobId}': jobIds.slice(0, 1) },
      };
    },
  },
};

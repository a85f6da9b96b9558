import { type FeatureAccess, ofContainers } from '../../authz/feature-access.ts';
import { forWriters, isSeen, toSignedInWriters } from '../../authz/page-policy.ts';
import { actsFor, type Rule } from '../../authz/policy.ts';
import { unique, type RequestFixture } from '../../authz/request-fixtures.ts';
import { containersOf } from '../../authz/things.ts';
import { filesForm } from '../../support/api.ts';

/** A photo of one pixel. */
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAACklEQVQImWP4DwABAQEADeY2wwAAAABJRU5ErkJggg==',
  'base64',
);

export const access: FeatureAccess = {
  rules: {
    ...ofContainers<Rule>((type) => ({
      [`post /api/storage/v1/${type}/{id}/scans`]: {
        who: 'signed in',
        sees: ['id'],
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
    ...ofContainers<readonly RequestFixture[]>((type, kind) => ({
      [`post /api/storage/v1/${type}/{id}/scans`]: [
        { ids: { id: kind }, send: () => ({ form: scanForm() }), named: ['name'] },
      ],
    })),
  },
  pages: {
    '/[base]/[lang]/documents/scan': toSignedInWriters,
  },
  ids: {
    'documents/scan?folder=': {
      things: (things) => containersOf(things),
      opens: forWriters(
        (person, thing) =>
          actsFor(person).length === 0 || (isSeen(person, thing) && thing.client === actsFor(person)[0]),
      ),
    },
  },
  fuzz: {
    notHere: {
      'POST /api/storage/v1/clients/{id}/scans': 'what is sent here is no photo',
      'POST /api/storage/v1/projects/{id}/scans': 'what is sent here is no photo',
      'POST /api/storage/v1/folders/{id}/scans': 'what is sent here is no photo',
    },
  },
};

function scanForm(): FormData {
  const form = filesForm(['page.png', DOT]);
  form.append('name', unique('Scan'));
  return form;
}

import { setFlag } from '#features/base/access/access.server.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import { sends } from '../../authz/page-policy.ts';
import { openStorageOf } from '../../support/fiscal.ts';

export const access: FeatureAccess = {
  rules: {
    // The firms of the fixture store no fiscal documents: tests/features/fiscal-documents and fiscal-intake test those that do.
    'get /api/boxe/v1/companies': { who: 'signed in' },
    'get /api/boxe/v1/clients/{id}': { who: 'signed in', sees: ['id'] },
    'get /api/boxe/v1/documents/{id}/xml': { who: 'nobody here' },
    'get /api/boxe/v1/exports': { who: 'nobody here' },
    'get /api/boxe/v1/fixity': { who: 'staff', forWriters: true },
    'get /api/boxe/v1/grids/nfe': { who: 'nobody here' },
    'get /api/boxe/v1/grids/nfe/export': { who: 'nobody here' },
    'get /api/boxe/v1/grids/nfce': { who: 'nobody here' },
    'get /api/boxe/v1/grids/nfce/export': { who: 'nobody here' },
    'get /api/boxe/v1/grids/cte': { who: 'nobody here' },
    'get /api/boxe/v1/grids/cte/export': { who: 'nobody here' },
    'get /api/boxe/v1/grids/cfe': { who: 'nobody here' },
    'get /api/boxe/v1/grids/cfe/export': { who: 'nobody here' },
    'get /api/boxe/v1/grids/xml': { who: 'nobody here' },
    'get /api/boxe/v1/grids/xml/export': { who: 'nobody here' },
    'get /api/boxe/v1/grids/all': { who: 'nobody here' },
    'get /api/boxe/v1/grids/all/export': { who: 'nobody here' },
  },
  requests: {
    'get /api/boxe/v1/companies': [{ ids: {} }],
    'get /api/boxe/v1/clients/{id}': [{ ids: { id: 'client' } }],
    'get /api/boxe/v1/documents/{id}/xml': [{ ids: { id: 'client' }, named: ['file'] }],
    'get /api/boxe/v1/exports': [
      {
        ids: { clientId: 'client' },
        send: ({ clientId = '' }) => ({ query: { clientId, storage: 'nfe', month: '2026-11' } }),
      },
    ],
    'get /api/boxe/v1/fixity': [{ ids: {} }],
    'get /api/boxe/v1/grids/nfe': [{ ids: {} }],
    'get /api/boxe/v1/grids/nfe/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
    'get /api/boxe/v1/grids/nfce': [{ ids: {} }],
    'get /api/boxe/v1/grids/nfce/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
    'get /api/boxe/v1/grids/cte': [{ ids: {} }],
    'get /api/boxe/v1/grids/cte/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
    'get /api/boxe/v1/grids/cfe': [{ ids: {} }],
    'get /api/boxe/v1/grids/cfe/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
    'get /api/boxe/v1/grids/xml': [{ ids: {} }],
    'get /api/boxe/v1/grids/xml/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
    'get /api/boxe/v1/grids/all': [{ ids: {} }],
    'get /api/boxe/v1/grids/all/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
  },
  pages: {
    '/[base]/[lang]/actions/box-e/[action]': sends(''),
    '/[base]/[lang]/actions/box-e/[action]/[month]': sends(''),
    '/[base]/[lang]/actions/box-e/documents/[documentId]': sends(''),
  },
  inMissingSections: [
    '/[base]/[lang]/actions/box-e/[action]',
    '/[base]/[lang]/actions/box-e/[action]/[month]',
    '/[base]/[lang]/actions/box-e/documents/[documentId]',
  ],
  placeholders: { month: '2026-11' },
  fuzz: {
    prepare: async ({ olga }) => {
      await setFlag(olga, 'BoxE', true);
      await openStorageOf(olga);
      return { known: { month: ['2026-11'] } };
    },
  },
};

import { setFlag } from '#features/base/access/access.server.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import { sends } from '../../authz/page-policy.ts';
import { unique } from '../../authz/request-fixtures.ts';

export const access: FeatureAccess = {
  rules: {
    // nobody of the fixture has invoices to manifest: tests/features/invoice-manifest/manifest.test.ts has those who do
    'get /api/manifesto/v1/documents': { who: 'nobody here' },
    'get /api/manifesto/v1/clients': { who: 'nobody here' },
    'post /api/manifesto/v1/documents/{id}/intent': { who: 'nobody here' },
    'delete /api/manifesto/v1/documents/{id}/intent': { who: 'nobody here' },
    'post /api/manifesto/v1/intents/accept': { who: 'nobody here' },
    'post /api/manifesto/v1/intents/refuse': { who: 'nobody here' },
    'get /api/manifesto/v1/grids/documents': { who: 'nobody here' },
    'get /api/manifesto/v1/grids/documents/export': { who: 'nobody here' },
    'get /api/manifesto/v1/grids/worklist': { who: 'nobody here' },
    'get /api/manifesto/v1/grids/worklist/export': { who: 'nobody here' },
  },
  requests: {
    'get /api/manifesto/v1/documents': [
      {
        ids: { clientId: 'client' },
        send: ({ clientId = '' }) => ({ query: { clientId } }),
        named: [
          'status',
          'intent',
          'from',
          'to',
          'issuer',
          'key',
          'minValue',
          'filter',
          'orderBy',
          'startIndex',
          'itemsPerPage',
        ],
      },
    ],
    'get /api/manifesto/v1/clients': [{ ids: {}, named: ['searchTerm', 'startIndex', 'itemsPerPage'] }],
    'post /api/manifesto/v1/documents/{id}/intent': [
      {
        ids: { id: 'client' },
        send: () => ({ json: { event: 'confirmed', version: 1 } }),
        named: ['justification'],
      },
    ],
    'delete /api/manifesto/v1/documents/{id}/intent': [{ ids: { id: 'client' }, named: ['version'] }],
    'post /api/manifesto/v1/intents/accept': [{ ids: {}, send: () => ({ json: { ids: ['intent_0'] } }) }],
    'post /api/manifesto/v1/intents/refuse': [
      { ids: {}, send: () => ({ json: { ids: ['intent_0'], reason: unique('A reason') } }) },
    ],
    'get /api/manifesto/v1/grids/documents': [{ ids: {} }],
    'get /api/manifesto/v1/grids/documents/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
    'get /api/manifesto/v1/grids/worklist': [{ ids: {} }],
    'get /api/manifesto/v1/grids/worklist/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
  },
  pages: {
    '/[base]/[lang]/actions/nfe-manifest/invoice-processing': sends(''),
    '/[base]/[lang]/actions/nfe-manifest/invoices/[invoiceId]': sends(''),
    '/[base]/[lang]/staff/invoice-manifest': sends(''),
  },
  inMissingSections: [
    '/[base]/[lang]/actions/nfe-manifest/invoice-processing',
    '/[base]/[lang]/actions/nfe-manifest/invoices/[invoiceId]',
    '/[base]/[lang]/staff/invoice-manifest',
  ],
  placeholders: { invoiceId: 'manifest_0' },
  fuzz: {
    prepare: async ({ olga }) => {
      await setFlag(olga, 'NfeManifest.Disabled', false);
      return {};
    },
    notHere: {
      'GET /api/manifesto/v1/documents': 'filters and days seldom fit by chance',
      'POST /api/manifesto/v1/documents/{id}/intent': 'versions seldom fit by chance',
      'DELETE /api/manifesto/v1/documents/{id}/intent': 'nothing was marked',
    },
  },
};

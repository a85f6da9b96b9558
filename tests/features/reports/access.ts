import { setFlag } from '#features/base/access/access.server.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import { sends } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  rules: {
    'get /api/br-reports/v1/grids/payroll-registrations': { who: 'nobody here' },
    'get /api/br-reports/v1/grids/payroll-registrations/export': { who: 'nobody here' },
    'get /api/br-reports/v1/grids/stored-documents': { who: 'nobody here' },
    'get /api/br-reports/v1/grids/stored-documents/export': { who: 'nobody here' },
  },
  requests: {
    'get /api/br-reports/v1/grids/payroll-registrations': [{ ids: {} }],
    'get /api/br-reports/v1/grids/payroll-registrations/export': [
      { ids: {}, send: () => ({ query: { format: 'csv' } }) },
    ],
    'get /api/br-reports/v1/grids/stored-documents': [{ ids: {} }],
    'get /api/br-reports/v1/grids/stored-documents/export': [
      { ids: {}, send: () => ({ query: { format: 'csv' } }) },
    ],
  },
  pages: {
    '/[base]/[lang]/actions/br-reports/payroll-entries': sends(''),
    '/[base]/[lang]/actions/br-reports/payroll-registrations': sends(''),
    '/[base]/[lang]/actions/br-reports/stored-documents': sends(''),
    '/[base]/[lang]/actions/br-reports/stored-documents-report': sends(''),
  },
  inMissingSections: [
    '/[base]/[lang]/actions/br-reports/payroll-entries',
    '/[base]/[lang]/actions/br-reports/payroll-registrations',
    '/[base]/[lang]/actions/br-reports/stored-documents',
    '/[base]/[lang]/actions/br-reports/stored-documents-report',
  ],
  fuzz: {
    prepare: async ({ olga }) => {
      await setFlag(olga, 'Reports', true);
      return {};
    },
  },
};

import type { FeatureAccess } from '../../authz/feature-access.ts';
import {
  forStaff,
  isSeenClient,
  nowhere,
  sends,
  toManagers,
  toSignedIn,
  toStaff,
} from '../../authz/page-policy.ts';
import { isStaff } from '../../authz/policy.ts';

export const access: FeatureAccess = {
  rules: {
    // Nobody in the fixture manages clients: tests/features/clients/clients-api.test.ts tests those who do.
    'post /api/staff/v1/clients': { who: 'nobody here' },
    'get /api/staff/v1/clients/{id}': { who: 'staff', sees: ['id'] },
    'patch /api/staff/v1/clients/{id}': { who: 'nobody here' },
    'post /api/staff/v1/clients/{id}/archive': { who: 'nobody here' },
    'post /api/staff/v1/clients/{id}/restore': { who: 'nobody here' },
    'get /api/staff/v1/grids/clients': { who: 'staff' },
    'get /api/staff/v1/grids/clients/export': { who: 'staff' },
    'get /api/staff/v1/grids/archived-clients': { who: 'staff' },
    'get /api/staff/v1/grids/archived-clients/export': { who: 'staff' },
    'get /api/client-center/v1/clients/': { who: 'signed in', narrows: ['companyId'] },
    'post /api/core/v3/companies/{companyId}/clients/search': {
      forReaders: true,
      who: 'signed in',
      narrows: ['companyId'],
    },
  },
  requests: {
    'get /api/client-center/v1/clients/': [
      { ids: {} },
      { of: 'searching', ids: {}, send: () => ({ query: { searchTerm: 'canary', pageSize: '1000' } }) },
      {
        of: 'of a firm',
        ids: { companyId: 'firm' },
        send: ({ companyId = '' }) => ({ query: { companyId, 'show-nickname': 'true' } }),
        named: ['orderBy', 'orderDir', 'pageNum', 'searchBy'],
      },
    ],
    'post /api/core/v3/companies/{companyId}/clients/search': [
      {
        ids: { companyId: 'firm' },
        send: () => ({
          json: {
            expand: 'primaryContactExpanded',
            pagingDataRequest: { pageIndex: 0, itemsPerPage: 1000 },
            filterSearchSort: { orderBy: 'name', searchBy: 'name', search: 'canary' },
          },
        }),
      },
    ],
    'post /api/staff/v1/clients': [{ ids: {}, send: () => ({ json: { name: 'New' } }) }],
    'get /api/staff/v1/clients/{id}': [{ ids: { id: 'client' } }],
    'patch /api/staff/v1/clients/{id}': [
      { ids: { id: 'client' }, send: () => ({ json: { version: 1, name: 'Changed' } }) },
    ],
    'post /api/staff/v1/clients/{id}/archive': [{ ids: { id: 'client' } }],
    'post /api/staff/v1/clients/{id}/restore': [{ ids: { id: 'client' } }],
    'get /api/staff/v1/grids/clients': [{ ids: {} }],
    'get /api/staff/v1/grids/clients/export': [{ ids: {} }],
    'get /api/staff/v1/grids/archived-clients': [{ ids: {} }],
    'get /api/staff/v1/grids/archived-clients/export': [{ ids: {} }],
  },
  pages: {
    '/[base]/[lang]/clients': toSignedIn,
    '/[base]/[lang]/company/[companyId]': sends('not-authorized?because=account'),
    '/[base]/[lang]/staff/clients': toStaff,
    '/[base]/[lang]/staff/clients/new': toManagers,
    // without a choice, it leads to the list
    '/[base]/[lang]/staff/clients/archive': toManagers,
    '/[base]/[lang]/staff/clients/[id]': (person) => (isStaff(person) ? nowhere : toStaff(person)),
    '/[base]/[lang]/staff/clients/[id]/edit': toManagers,
  },
  postedByReaders: ['/[base]/[lang]/clients'],
  ids: {
    'staff/clients/': {
      things: (things) => things.client,
      opens: forStaff((person, thing) => isSeenClient(person, thing)),
    },
    'company/': {
      things: (things) => things.client,
      // One's own client is kept; a client of another account of theirs asks for a switch, and any other is not
      // open.
      opens: (_, thing) => (thing.state === 'malformed' ? 404 : 303),
    },
  },
  fuzz: {
    notHere: {
      'POST /api/staff/v1/clients': 'tax ids and the end of a year seldom fit by chance',
      'PATCH /api/staff/v1/clients/{id}': 'versions and tax ids seldom fit by chance',
    },
  },
};

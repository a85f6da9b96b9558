import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toSignedIn, toStaff } from '../../authz/page-policy.ts';
import { isStaff } from '../../authz/policy.ts';

export const access: FeatureAccess = {
  rules: {
    'get /api/staff/v1/grids/tasks': { who: 'staff' },
    'get /api/staff/v1/grids/tasks/export': { who: 'staff' },
  },
  requests: {
    'get /api/staff/v1/grids/tasks': [{ ids: {} }],
    'get /api/staff/v1/grids/tasks/export': [{ ids: {} }],
  },
  pages: {
    '/[base]/[lang]/tasks': (person) =>
      isStaff(person) ? { status: 303, to: 'staff/tasks' } : toSignedIn(person),
    // the fixture has no link to a task
    '/[base]/[lang]/staff/tasks': toStaff,
  },
  inMissingSections: ['/[base]/[lang]/tasks', '/[base]/[lang]/staff/tasks'],
};

import type { FeatureAccess } from '../../authz/feature-access.ts';
import {
  forStaff,
  movedTo,
  notAuthorized,
  toSignedIn,
  toStaff,
  toStaffWithARight,
  toStaffWithId,
  toWriters,
  toWritersWithId,
} from '../../authz/page-policy.ts';
import { isReader, isStaff, type Person, type Thing } from '../../authz/policy.ts';

const isSeenPerson = (person: Person, thing: Thing): boolean =>
  thing.state === 'live' && (thing.seenBy?.includes(person) ?? false);

export const access: FeatureAccess = {
  rules: {
    'get /api/staff/v1/grids/people': { who: 'staff' },
    'get /api/staff/v1/grids/people/export': { who: 'staff' },
  },
  requests: {
    'get /api/staff/v1/grids/people': [{ ids: {} }],
    // not a workbook: it is compared without the times of the last visits
    'get /api/staff/v1/grids/people/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
  },
  pages: {
    '/[base]/[lang]/staff/invitations': (person) =>
      isReader(person) ? notAuthorized : movedTo('staff/people')(person),
    '/[base]/[lang]/staff/people': toStaff,
    '/[base]/[lang]/staff/people/new': toWriters,
    '/[base]/[lang]/staff/people/invite': toWriters,
    // without a selection it leads to the list
    '/[base]/[lang]/staff/people/suspend': (person) =>
      isStaff(person) && !isReader(person) ? { status: 303, to: 'staff/people' } : toWriters(person),
    '/[base]/[lang]/staff/people/[id]': toStaffWithId,
    '/[base]/[lang]/staff/people/[id]/clients': toWritersWithId,
    '/[base]/[lang]/staff/people/[id]/email': toWritersWithId,
    '/[base]/[lang]/staff/people/[id]/suspend': toWritersWithId,
    '/[base]/[lang]/staff/people/[id]/remove': toWritersWithId,
    '/[base]/[lang]/staff/people/[id]/role': toStaffWithARight,
    '/[base]/[lang]/profile/email': toSignedIn,
    '/[base]/[lang]/staff/contacts': movedTo('staff/people'),
  },
  postedByReaders: ['/[base]/[lang]/profile/email'],
  ids: {
    'staff/people/': {
      things: (things) => things.contact,
      opens: forStaff((person, thing) => isSeenPerson(person, thing)),
    },
    'staff/people/{id}/clients': {
      things: (things) => things.contact,
      // Managers of contacts change the clients of contacts; staff of the fixture manage no staff.
      opens: (person, thing) =>
        isReader(person) || (isStaff(person) && isSeenPerson(person, thing) && thing.isOfStaff)
          ? 303
          : forStaff((one, contact) => isSeenPerson(one, contact))(person, thing),
    },
  },
};

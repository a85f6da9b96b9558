import type { Actor } from '#features/base/people/people.ts';
import { listDates } from '#features/content/tax-calendar/dates.server.ts';
import { addDate } from '#features/content/tax-calendar/firm-rules.server.ts';
import { saveProfile } from '#features/content/tax-calendar/profiles.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import {
  type Answered,
  forStaff,
  isSeenClient,
  toSignedIn,
  toStaff,
  toStaffWithId,
} from '../../authz/page-policy.ts';
import { isStaff, type Person, type Thing } from '../../authz/policy.ts';
import { type ClientOfWorld, live, noIds, type WorldSoFar } from '../../authz/things.ts';

declare module '../../authz/things.ts' {
  interface Kinds {
    'tax date': true;
  }
}

/** The tax dates of one's companies; staff are redirected to those of all clients. */
const toOwnDates = (person: Person): Answered =>
  isStaff(person) ? { status: 303, to: 'staff/tax-calendar' } : toSignedIn(person);

export const access: FeatureAccess = {
  rules: {
    'get /api/tax-calendar/v1/dates': { who: 'signed in', sees: ['clientId'] },
    'put /api/tax-calendar/v1/dates/{id}/mark': {
      who: 'signed in',
      sees: ['id'],
      changes: ['tax_dates'],
      trashes: true,
    },
  },
  requests: {
    'get /api/tax-calendar/v1/dates': [
      {
        ids: { clientId: 'client' },
        send: ({ clientId = '' }) => ({ query: { clientId } }),
        named: ['from', 'until', 'startIndex', 'itemsPerPage'],
      },
    ],
    'put /api/tax-calendar/v1/dates/{id}/mark': [
      { ids: { id: 'tax date' }, send: () => ({ json: { mark: 'done' } }) },
    ],
  },
  pages: {
    '/[base]/[lang]/tax-calendar': toOwnDates,
    '/[base]/[lang]/staff/tax-calendar': toStaff,
    '/[base]/[lang]/staff/tax-calendar/rules': toStaff,
    '/[base]/[lang]/staff/clients/[id]/tax-calendar': toStaffWithId,
  },
  inMissingSections: ['/[base]/[lang]/tax-calendar'],
  ids: {
    'staff/clients/{id}/tax-calendar': {
      things: (things) => things.client,
      opens: forStaff((person, thing) => isSeenClient(person, thing)),
    },
  },
  things: {
    kinds: { 'tax date': 'taxdate' },
    make: async ({ staff, otherStaff, clients }) => ({
      'tax date': await makeTaxDates(staff, otherStaff, clients),
    }),
  },
  keys: { tax_dates: 'tax_date_id' },
  fuzz: {
    notHere: {
      'PUT /api/tax-calendar/v1/dates/{id}/mark': 'no calendar is kept',
    },
  },
};

/** The tax date of each client. */
async function makeTaxDates(
  staff: Actor,
  otherStaff: Actor,
  clients: WorldSoFar['clients'],
): Promise<Record<string, Thing>> {
  const add = async (by: Actor, { id: clientId, papers }: ClientOfWorld): Promise<string> => {
    await saveProfile(by, clientId, { country: 'us', facts: {}, version: 0 });
    const name = `Date of ${papers.Folder.name}`;
    const startsOn = dayOf(now() + 30 * DAY, 'UTC');
    await addDate(by, clientId, { name, kind: 'file', startsOn, repeats: 'once', roll: 'none' });
    const { items } = await listDates(by, { clientId, start: 0, limit: 1 });
    return items[0]?.id ?? '';
  };
  return {
    own: live(await add(staff, clients.own), 'own'),
    sibling: live(await add(staff, clients.sibling), 'sibling'),
    'staff only': live(await add(staff, clients['staff only']), 'staff only'),
    'other firm': live(await add(otherStaff, clients['other firm']), 'other firm'),
    ...noIds('taxdate'),
  };
}

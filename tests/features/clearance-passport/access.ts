import type { Actor } from '#features/base/people/people.ts';
import { followAgency } from '#features/brazil/clearance-certificates/following.server.ts';
import { makePassport, revokePassport } from '#features/brazil/clearance-passport/passports.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import { isSeenClient, nowhere, toSignedInWithId, toStaffWithId } from '../../authz/page-policy.ts';
import { actsFor, isStaff, type Thing } from '../../authz/policy.ts';
import { type ClientOfWorld, live, noIds, type WorldSoFar } from '../../authz/things.ts';

declare module '../../authz/things.ts' {
  interface Kinds {
    passport: true;
  }
}

const soon = (): string => dayOf(now() + 2 * DAY, 'UTC');
const passport = (clientId: string) => ({
  clientId,
  recipient: 'A bank',
  agencyIds: ['federal'],
  endsOn: soon(),
});

export const access: FeatureAccess = {
  rules: {
    'get /api/cnd/v1/passports': { who: 'signed in', sees: ['clientId'] },
    'post /api/cnd/v1/passports': {
      who: 'signed in',
      sees: ['clientId'],
      changes: ['cnd_passports', 'limits'],
    },
    'delete /api/cnd/v1/passports/{id}': {
      who: 'signed in',
      sees: ['id'],
      changes: ['cnd_passports'],
      alters: true,
    },
    // the fixture has none: tests/features/clearance-passport/passports.test.ts tests those who hold one
    'get /api/cnd/v1/passport-links/{token}/agencies/{agencyId}/document': {
      who: 'holder of a link that is not here',
    },
  },
  requests: {
    'get /api/cnd/v1/passports': [
      {
        ids: { clientId: 'client' },
        send: ({ clientId = '' }) => ({ query: { clientId } }),
        named: ['startIndex', 'itemsPerPage'],
      },
    ],
    'post /api/cnd/v1/passports': [
      { ids: { clientId: 'client' }, send: ({ clientId = '' }) => ({ json: passport(clientId) }) },
    ],
    'delete /api/cnd/v1/passports/{id}': [{ ids: { id: 'passport' } }],
    'get /api/cnd/v1/passport-links/{token}/agencies/{agencyId}/document': [
      { ids: { token: 'link', agencyId: 'clearance' } },
    ],
  },
  pages: {
    '/[base]/[lang]/home/cnd/[clientId]/passports': toSignedInWithId,
    '/[base]/[lang]/staff/clients/[id]/clearance-certificates/passports': toStaffWithId,
    '/[base]/[lang]/clearance/[token]': () => nowhere,
  },
  postedByReaders: ['/[base]/[lang]/clearance/[token]'],
  inMissingSections: ['/[base]/[lang]/home/cnd/[clientId]/passports'],
  ids: {
    'home/cnd/{id}/passports': {
      things: (things) => things.client,
      // staff have theirs
      opens: (person, thing) =>
        !isSeenClient(person, thing)
          ? 404
          : isStaff(person) || thing.client !== actsFor(person)[0]
            ? 303
            : 200,
    },
  },
  things: {
    kinds: { passport: 'passport' },
    make: async ({ staff, otherStaff, clients }) => ({
      passport: await makePassports(staff, otherStaff, clients),
    }),
  },
  keys: { cnd_passports: 'passport_id' },
  fuzz: {
    notHere: {
      'POST /api/cnd/v1/passports': 'an agency of anything is seldom followed',
      'DELETE /api/cnd/v1/passports/{id}': 'no passport was made',
      'GET /api/cnd/v1/passport-links/{token}/agencies/{agencyId}/document': 'no passport was made',
    },
  },
};

/** A passport of most clients, all with the agency that links name, and one that was revoked. */
async function makePassports(
  staff: Actor,
  otherStaff: Actor,
  clients: WorldSoFar['clients'],
): Promise<Record<string, Thing>> {
  const make = async (by: Actor, { id }: ClientOfWorld): Promise<string> =>
    (await makePassport(by, passport(id))).passportId;
  await followAgency(otherStaff, {
    clientId: clients['other firm, second'].id,
    agencyId: 'federal',
    renewBeforeDays: 15,
    notifiesClient: false,
  });
  const revoked = await make(staff, clients.own);
  await revokePassport(staff, revoked);
  return {
    own: live(await make(staff, clients.own), 'own'),
    sibling: live(await make(staff, clients.sibling), 'sibling'),
    'staff only': live(await make(staff, clients['staff only']), 'staff only'),
    'other firm': live(await make(otherStaff, clients['other firm']), 'other firm'),
    revoked: live(revoked, 'own'),
    ...noIds('passport'),
  };
}

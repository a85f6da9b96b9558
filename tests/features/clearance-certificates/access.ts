import type { Actor } from '#features/base/people/people.ts';
import {
  listAttempts,
  noteAttempt,
  withdrawAttempt,
} from '#features/brazil/clearance-certificates/attempts.server.ts';
import { followAgency } from '#features/brazil/clearance-certificates/following.server.ts';
import { filesForm } from '../../support/api.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import {
  isSeenClient,
  toSignedInWithId,
  toStaff,
  toStaffWithId,
  toWriters,
} from '../../authz/page-policy.ts';
import { actsFor, isStaff, type Thing } from '../../authz/policy.ts';
import { type ClientOfWorld, live, noIds, type WorldSoFar } from '../../authz/things.ts';

declare module '../../authz/things.ts' {
  interface Kinds {
    clearance: true;
  }
}

/** A filter of the spec, by which a list is narrowed. */
const specFilter = (values: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    groups: [{ items: Object.entries(values).map(([by, value]) => ({ by, op: 'EQ', value })) }],
  });

export const access: FeatureAccess = {
  rules: {
    'get /api/cnd/v1/client-agencies': { who: 'signed in', sees: ['clientId'] },
    'get /api/cnd/v1/crawler-history': { who: 'signed in', sees: ['clientId'] },
    // those of the fixture have no PDF: tests/features/clearance-certificates/certificates.test.ts has one
    'get /api/cnd/v1/crawler-history/{id}/document': { who: 'signed in', sees: ['id'], answers: [404] },
    'post /api/cnd/v1/certificates': { who: 'staff' },
    'get /api/cnd/v1/grids/client-agencies': { who: 'staff' },
    'get /api/cnd/v1/grids/client-agencies/export': { who: 'staff' },
  },
  requests: {
    'get /api/cnd/v1/client-agencies': [
      {
        ids: { clientId: 'client' },
        send: ({ clientId = '' }) => ({ query: { filter: specFilter({ clientId }) } }),
        named: ['startIndex', 'itemsPerPage'],
      },
    ],
    'get /api/cnd/v1/crawler-history': [
      {
        ids: { clientId: 'client' },
        send: ({ clientId = '' }) => ({ query: { filter: specFilter({ agencyId: 'federal', clientId }) } }),
        named: ['expand', 'startIndex', 'itemsPerPage'],
      },
    ],
    'get /api/cnd/v1/crawler-history/{id}/document': [{ ids: { id: 'clearance' } }],
    'post /api/cnd/v1/certificates': [
      { ids: {}, send: () => ({ form: filesForm(['certidao.pdf', Buffer.from('%PDF-1.7')]) }) },
    ],
    'get /api/cnd/v1/grids/client-agencies': [{ ids: {} }],
    'get /api/cnd/v1/grids/client-agencies/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
  },
  pages: {
    // staff have theirs, and a client that does not exist is not found
    '/[base]/[lang]/home/cnd/[clientId]': toSignedInWithId,
    '/[base]/[lang]/staff/clearance-certificates': toStaff,
    '/[base]/[lang]/staff/clearance-certificates/upload': toWriters,
    '/[base]/[lang]/staff/clients/[id]/clearance-certificates': toStaffWithId,
    '/[base]/[lang]/staff/clients/[id]/clearance-certificates/[agencyId]': toStaffWithId,
  },
  inMissingSections: ['/[base]/[lang]/home/cnd/[clientId]'],
  placeholders: { agencyId: 'federal' },
  ids: {
    'home/cnd/': {
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
    kinds: { clearance: 'attempt' },
    make: async ({ staff, otherStaff, clients }) => ({
      clearance: await makeClearances(staff, otherStaff, clients),
    }),
  },
  fuzz: {
    notHere: {
      'GET /api/cnd/v1/client-agencies': 'a filter of anything seldom names a client',
      'GET /api/cnd/v1/crawler-history': 'a filter of anything seldom names a client',
      'GET /api/cnd/v1/crawler-history/{id}/document': 'no certificate was filed',
    },
  },
};

/** What an agency answered for each client, and an answer that was withdrawn. */
async function makeClearances(
  staff: Actor,
  otherStaff: Actor,
  clients: WorldSoFar['clients'],
): Promise<Record<string, Thing>> {
  const answer = async (by: Actor, { id: clientId, papers }: ClientOfWorld): Promise<string> => {
    const note = `Certificate of ${papers.Folder.name}`;
    await noteAttempt(by, { clientId, agencyId: 'federal', status: 'unavailable', note });
    const { items } = await listAttempts(by, { clientId, agencyId: 'federal', start: 0, limit: 1 });
    return items[0]?.id ?? '';
  };
  const follow = (by: Actor, { id: clientId }: ClientOfWorld): Promise<void> =>
    followAgency(by, { clientId, agencyId: 'federal', renewBeforeDays: 15, notifiesClient: false });
  for (const client of [clients.own, clients.sibling, clients['staff only']]) await follow(staff, client);
  await follow(otherStaff, clients['other firm']);
  const withdrawn = await answer(staff, clients.own);
  await withdrawAttempt(staff, withdrawn);
  return {
    own: live(await answer(staff, clients.own), 'own'),
    sibling: live(await answer(staff, clients.sibling), 'sibling'),
    'staff only': live(await answer(staff, clients['staff only']), 'staff only'),
    'other firm': live(await answer(otherStaff, clients['other firm']), 'other firm'),
    withdrawn: { id: withdrawn, state: 'deleted', client: 'own' },
    ...noIds('clearance'),
  };
}

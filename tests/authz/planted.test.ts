import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { findSession } from '#features/identity/sessions/sessions.server.ts';
import { readCookie } from '#platform/http/cookies.server.ts';
import { API_ROUTES } from '../../src/api.server.ts';
import type * as all from '../../src/features/all.server.ts';
import { denialReason, PAGES } from '../../src/routes.ts';
import type * as routes from '../../src/routes.ts';
import type * as files from './access-files.ts';
import { PLANTED_PAGES } from '../support/planted-feature.ts';
import { world, wrongsOf } from './cells.ts';
import { fixturesFor, PAGE_RULES, unusedEntries } from './features.ts';
import { PERSONS } from './policy.ts';
import { nameOf } from './request-fixtures.ts';

/*
 * The portal with one feature more (tests/contributions.test.ts): its calls are in the matrix and its pages are guarded,
 * with no other file than the list of features, the pages, and what the feature says of its access itself.
 */
vi.mock('../../src/features/all.server.ts', async (original) => ({
  FEATURES: [
    ...(await original<typeof all>()).FEATURES,
    (await import('../support/planted-feature.ts')).visits,
  ],
}));
vi.mock('../../src/routes.ts', async (original) => {
  const own = await original<typeof routes>();
  return {
    ...own,
    PAGES: { ...own.PAGES, ...(await import('../support/planted-feature.ts')).PLANTED_PAGES },
  };
});
vi.mock('./access-files.ts', async (original) => ({
  ACCESS_FILES: {
    ...(await original<typeof files>()).ACCESS_FILES,
    visits: path.join(import.meta.dirname, '../support/planted-access.ts'),
  },
}));

const calls = API_ROUTES.filter(({ path: address }) => address.startsWith('/api/visits/'));

describe.each(calls.map((route) => [nameOf(route), route] as const))('%s', (call, route) => {
  test.each(PERSONS)(`${call} of a planted feature answers %s as its policy says`, async (person) => {
    for (const fixture of fixturesFor(route)) expect(await wrongsOf(route, fixture, person)).toEqual([]);
  });
});

test('the matrix tries every call of a planted feature', () => {
  expect(calls).toHaveLength(2);
  expect(unusedEntries()).toEqual([]);
});

test.each(Object.keys(PLANTED_PAGES))(
  'the page %s of a planted feature is open to those whom its policy names',
  async (page) => {
    const guard = PAGES[page];
    const rule = PAGE_RULES[page];
    if (!guard || !rule) throw new Error(`Nothing says who may open ${page}.`);
    for (const person of PERSONS) {
      const session = await findSession(readCookie(await world.cookieOf(person), 'sid'));
      const reason = denialReason(guard, session, { method: 'GET', isDemo: false });
      const { status, to = '' } = rule(person, false);
      const expected = status === 200 ? undefined : to.startsWith('auth') ? 'UNAUTHENTICATED' : 'FORBIDDEN';
      expect([person, reason]).toEqual([person, expected]);
    }
  },
);

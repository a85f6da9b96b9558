import { expect, test } from 'vitest';
import { API_ROUTES } from '../../src/api.server.ts';
import { denialReason, PAGES } from '../../src/routes.ts';
import { accessFrom } from '#features/base/people/access-settings.server.ts';
import type { Actor, Guard, Session } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { POSTED_BY_READERS, RULES } from './features.ts';

/*
 * Read-only staff, and every address that could write. What they may still do is said in tests/features/<feature>/access.ts,
 * independently of what the features declare: their own account, and reading that is a POST.
 */

const reader: Session = {
  id: 'session',
  actor: {
    prismGuid: 'user_1',
    contactId: 'contact_1',
    companyId: 'firm_1',
    staff: true,
    role: 'reader',
    hasAllClients: true,
    hasManyClients: false,
    firstName: 'Rita',
    lastName: 'Reader',
    fullName: 'Rita Reader',
    emailAddress: 'rita@one.example',
    language: 'en-US',
    access: accessFrom('reader', []),
  } satisfies Actor,
  expiresAt: now() + 60_000,
  amr: ['pwd', 'mfa'],
  authenticatedAt: now(),
  termsDue: false,
};

const isDenied = (guard: Guard, method: string): boolean =>
  denialReason(guard, reader, { method, isDemo: false }) !== undefined;

test('read-only staff post to no page but those of their own account, choose a client, and download', () => {
  const open = Object.entries(PAGES).flatMap(([page, guard]) => (isDenied(guard, 'POST') ? [] : [page]));
  expect(open.filter((page) => !POSTED_BY_READERS.has(page))).toEqual([]);
  expect(open).toEqual(
    expect.arrayContaining([
      '/[base]/[lang]/clients',
      '/[base]/[lang]/documents/download',
      '/[base]/[lang]/partials/download',
    ]),
  );
});

test('read-only staff post the menus of the tables, and nothing else with them', () => {
  const pages = ['clearance-certificates', 'clients', 'mails', 'payroll-entries', 'people', 'tasks'].map(
    (page) => `/[base]/[lang]/staff/${page}`,
  );
  const openFor = (...forms: string[]) =>
    Object.entries(PAGES).flatMap(([page, guard]) =>
      isDenied(guard, 'POST') &&
      denialReason(guard, reader, { method: 'POST', isDemo: false, forms }) === undefined
        ? [page]
        : [],
    );
  for (const form of ['grid-conditions', 'grid-columns', 'grid-filter', 'grid-remove'])
    expect(openFor(form).toSorted(), form).toEqual(pages);
  expect(openFor('grid-columns', 'invite')).toEqual([]);
  expect(openFor('invite')).toEqual([]);
  expect(openFor('')).toEqual([]);
});

test('read-only staff make no writing call but those about their own account, and searches and exports', () => {
  const open = API_ROUTES.filter(
    ({ method, ...guard }) => method !== 'get' && !isDenied(guard, method.toUpperCase()),
  );
  const ofSession = ['signed in', 'contacts', 'staff', 'nobody here', 'demo'];
  const expected = Object.entries(RULES).flatMap(([call, { who, forReaders }]) =>
    call.startsWith('get ') || (!forReaders && ofSession.includes(who)) ? [] : [call],
  );
  expect(open.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(expected.toSorted());
});

import { expect, test } from 'vitest';
import { API_ROUTES } from '../../src/api.server.ts';
import { denialReason, PAGES } from '../../src/routes.ts';
import { accessFrom, type Actor, type Guard, type Session } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';

/*
 * Read-only staff, and every address that could write. What they may still do is listed here, independently of what
 * the features declare: their own account, and reading that is a POST.
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

/** Their own account and session, reading, and links that need no session. */
const OWN =
  /^\/\[base\]\/\[lang\]\/(profile|notifications$|auth(\/|$)|account-switch|kept-form|terms-and-conditions|announcement|language|help$|help\/\[id\]|share\/|sign\/|task-link\/|sandbox-checkout\/|unsubscribe\/|reminders\/|calendar\/|help\/report$|verify$|not-authorized|notfound|staff\/view-as\/end)|^\/(404|500)$/;

const isDenied = (guard: Guard, method: string): boolean =>
  denialReason(guard, reader, { method, isDemo: false }) !== undefined;

test('read-only staff post to no page but those of their own account, choose a client, and download', () => {
  const open = Object.entries(PAGES).flatMap(([page, guard]) => (isDenied(guard, 'POST') ? [] : [page]));
  const more = open.filter((page) => !OWN.test(page));
  expect(more.toSorted()).toEqual([
    '/[base]/[lang]/clients',
    '/[base]/[lang]/documents/download',
    '/[base]/[lang]/partials/download',
  ]);
});

test('read-only staff post the menus of the tables, and nothing else with them', () => {
  const pages = ['clearance-certificates', 'clients', 'mails', 'people', 'tasks'].map(
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
  const named = open.map(({ method, path }) => `${method} ${path}`);
  expect(named.toSorted()).toEqual([
    'delete /api/security/v1/long-tokens/{tokenId}',
    'delete /api/security/v1/session',
    'delete /api/security/v1/sessions',
    'delete /api/security/v1/view-as',
    'delete /api/storage/v1/jobs/{jobId}',
    // without a session: the check of a file, a link, and messages of a payment provider
    'post /api/client-center/v1/seals/verifications',
    'post /api/client-center/v3/task-links/{token}',
    'post /api/core/v3/companies/{companyId}/clients/search',
    'post /api/logging/v1/log', // sent by the page when its scripts fail
    'post /api/notes/v1/comments/search',
    'post /api/notifications/v1/notifications/category/CCVNEXT/type/CLIENT_CENTER_ISSUE_CONFIRMATION',
    'post /api/payments/v1/webhooks/stripe/{companyId}',
    'post /api/payments/v1/webhooks/{provider}',
    'post /api/security/v1/account-switch',
    'post /api/security/v1/long-tokens',
    'post /api/security/v1/oidc/auth-code/session',
    'post /api/security/v1/oidc/login',
    'post /api/security/v1/passkeys/challenge',
    'post /api/security/v1/session/extend',
    'post /api/security/v1/step-up',
    'post /api/security/v1/terms',
    'post /api/service-request/v1/requests/{id}/check',
    'post /api/storage/v1/itemmetadata/filter',
    'post /api/storage/v1/jobs/export',
    'put /api/profile/v1/users/current',
    'put /api/profile/v1/users/{prismGuid}/language',
  ]);
});

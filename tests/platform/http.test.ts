import { expect, test } from 'vitest';
import { afterRefusal, signInFrom, termsFrom } from '#platform/refused-calls.ts';

test.each([
  ['/api/client-center/v1/clients/', 401, 'sign-in'],
  ['/api/security/v1/session?force=1', 401, 'sign-in'],
  ['/api/security/v1/session?force=1', 403, 'sign-out'],
  ['/api/client-center/v1/clients/', 403, 'stay'],
  ['/api/client-center/v1/clients/?ignore-codes=401', 401, 'stay'],
  ['/api/tasks/v1/tasks/1/signature', 401, 'stay'],
  ['/api/storage/v1/documents/1?token=x', 401, 'stay'],
  ['/api/storage/v2/sharing/links/x/documents.zip', 401, 'stay'],
  ['/api/storage/v1/folders', 401, 'sign-in'],
  ['/api/storage/v1/folders', 404, 'stay'],
  ['/api/storage/v1/folders', 500, 'stay'],
] as const)('an API response of %s with status %i leads to: %s', (address, status, next) => {
  expect(afterRefusal(`https://portal.firm.example${address}`, status)).toBe(next);
});

test('the link to the terms is in the language of the page', () => {
  expect(termsFrom({ pathname: '/clientcenter/pt/documents' })).toBe('/clientcenter/pt/terms-and-conditions');
});

test('the sign-in link returns to the page with its query', () => {
  expect(signInFrom({ pathname: '/clientcenter/pt/documents', search: '?folder=a&from=2' })).toBe(
    '/clientcenter/pt/auth?r=%2Fclientcenter%2Fpt%2Fdocuments%3Ffolder%3Da%26from%3D2',
  );
});

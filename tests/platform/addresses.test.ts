import { describe, expect, test } from 'vitest';
import { addressBuilder } from '#platform/http/addresses.server.ts';

const pathTo = addressBuilder(() => 'en-us', 'client_1');
const unpinned = addressBuilder(() => 'en-us', undefined);

describe('the addresses of a tab about one client', () => {
  test.each([
    ['', '?client=client_1'],
    ['documents', 'documents?client=client_1'],
    ['documents?folder=f', 'documents?folder=f&client=client_1'],
    ['#top', '?client=client_1#top'],
    ['documents?a=1#top', 'documents?a=1&client=client_1#top'],
    ['documents?client=client_2', 'documents?client=client_2'],
    ['documents?a=1&client=client_2', 'documents?a=1&client=client_2'],
    ['auth?r=x', 'auth?r=x'],
    ['auth/confirm', 'auth/confirm'],
    ['account-switch', 'account-switch'],
  ])('lead from %j to %j', (page, expected) => {
    expect(pathTo(page)).toBe(`/clientcenter/en-us/${expected}`);
  });

  test('carry it after the rest of the query, unless this names one', () => {
    expect(pathTo('documents', { folder: 'f', name: undefined })).toBe(
      '/clientcenter/en-us/documents?folder=f&client=client_1',
    );
    expect(pathTo('documents', { client: 'client_2' })).toBe('/clientcenter/en-us/documents?client=client_2');
    expect(pathTo('auth', { r: '/a?b=c' })).toBe('/clientcenter/en-us/auth?r=%2Fa%3Fb%3Dc');
  });

  test('escape what is no id', () => {
    expect(addressBuilder(() => 'en-us', '"><script>&')('documents')).toBe(
      '/clientcenter/en-us/documents?client=%22%3E%3Cscript%3E%26',
    );
  });
});

test('an address about no client names none', () => {
  expect(unpinned()).toBe('/clientcenter/en-us/');
  expect(unpinned('documents', { folder: 'a b' })).toBe('/clientcenter/en-us/documents?folder=a+b');
  expect(unpinned('documents', { folder: undefined })).toBe('/clientcenter/en-us/documents');
});

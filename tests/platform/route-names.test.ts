import { describe, expect, test } from 'vitest';
import { newId, newToken } from '#platform/security/crypto.server.ts';
import { NO_ROUTE, routeNames } from '#platform/http/route-names.server.ts';
import { API_ROUTES } from '../../src/api.server.ts';
import { FRONT_DOOR, PAGES } from '../../src/routes.ts';

const patterns = API_ROUTES.map((route) => route.path);
const prefixes = [...Object.keys(FRONT_DOOR), '/_astro/'];
const pages = Object.keys(PAGES);
const nameOf = routeNames({ patterns, prefixes, pages });

describe('route names in logs and metrics', () => {
  test.each([
    ['/api/openapi.json', '/api/openapi.json'],
    ['/api/storage/v1/folders/fld_1/documents?onConflict=rename', '/api/storage/v1/folders/{id}/documents'],
    ['/api/storage/v1/folders/fld_1/documents/exists', '/api/storage/v1/folders/{id}/documents/exists'],
    ['/api/storage/v1/folders/fld_1/documents/doc_1', '/api/storage/v1/folders/{id}/documents/{documentId}'],
    ['/api/nowhere/jane@supplier.example', '/api/'],
    ['/theme/com_1/2/theme.css', '/theme/'],
    ['/oidc/interaction/abc', '/oidc/'],
    ['/_astro/index.abc.js', '/_astro/'],
    ['/healthz', '/healthz'],
    ['/clientcenter/en-us', '/[base]/[lang]'],
    ['/clientcenter/pt/', '/[base]/[lang]'],
    ['/clientcenter/fr/documents?searchTerm=Jane%20Doe', '/[base]/[lang]/documents'],
    [`/clientcenter/es/share/${'t'.repeat(43)}`, '/[base]/[lang]/share/[token]'],
    ['/clientcenter/en-us/mailbox/mail_1', '/[base]/[lang]/mailbox/[id]'],
    ['/clientcenter/en-us/Jane%20Doe', NO_ROUTE],
    ['/clientcenter/jane@supplier.example', NO_ROUTE],
    ['/jane@supplier.example/en-us', NO_ROUTE],
    ['/', NO_ROUTE],
    ['', NO_ROUTE],
    ['*', NO_ROUTE],
  ])('the route name of %s is %s', (url, name) => {
    expect(nameOf(url)).toBe(name);
  });

  test('a route name is always one of the route table, whatever the URL contains', () => {
    const names = new Set([...patterns, ...prefixes, ...pages, NO_ROUTE]);
    for (const pattern of [...patterns, ...pages]) {
      for (const value of [newId('doc'), newToken(), 'jane@supplier.example', '%00%0a', '..%2f..', '{id}']) {
        const url = pattern.replace(/\{\w+\}|\[\w+\]/g, value);
        expect(names, `${url} is called ${nameOf(url)}`).toContain(nameOf(url));
      }
    }
  });
});

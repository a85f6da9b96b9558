import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { deepLinkTarget } from '#platform/http/deep-links.ts';

interface Redirects {
  hostile: { target: string; why: string }[];
}
const { hostile } = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, 'corpora/redirects.json'), 'utf8'),
) as Redirects;
const origin = 'https://portal.firm.example';
const home = '/clientcenter/pt/';
const target = (link: string, r: string | null = null): string | undefined =>
  deepLinkTarget(link, r, { origin, pathTo: (page = '') => home + page });

test('a deep link leads to the page it names', () => {
  expect(['home', 'tasks', 'documents', 'actions', 'clients'].map((link) => target(link))).toEqual([
    home,
    `${home}tasks`,
    `${home}documents`,
    `${home}actions`,
    `${home}clients`,
  ]);
});

test('a deep link with an unknown name answers "not found"', () => {
  for (const link of ['', 'staff', '__proto__', 'toString', 'apple-app-site-association'])
    expect(target(link)).toBeUndefined();
});

test('a deep link with a return path leads to a page of the portal', () => {
  expect(target('open', `${home}documents?folder=1#x`)).toBe(`${home}documents?folder=1#x`);
  expect(target('open', `${origin}${home}tasks`)).toBe(`${home}tasks`);
  for (const elsewhere of [
    null,
    '',
    '/',
    '/api/docs',
    '/oidc/session/end',
    '/clientcenter/pt',
    '/clientcenter/fr/documents',
  ])
    expect(target('open', elsewhere)).toBe(home);
});

describe('hostile deep links', () => {
  test.each(hostile.map(({ why, target: r }) => [why, r] as const))(
    'a hostile deep link leads to the start page: %s',
    (_, r) => {
      const location =
        target('open', r.replaceAll('ORIGIN', origin).replaceAll('HOST', 'portal.firm.example')) ?? '';
      expect(location.startsWith(home)).toBe(true);
      expect(new URL(location, origin).origin).toBe(origin);
      expect(target('documents', r)).toBe(`${home}documents`);
    },
  );
});

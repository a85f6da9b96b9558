import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeRedirect } from '#platform/http/safe-redirect.ts';

interface Redirects {
  /** `ORIGIN` is the portal's own origin, `HOST` its host and port. */
  hostile: { target: string; why: string }[];
  ordinary: string[];
}

const ORIGINS = ['https://portal.firm.example', 'http://127.0.0.1:4321'];
const FALLBACK = '/clientcenter/en-us/';
const { hostile, ordinary } = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, '../corpora/redirects.json'), 'utf8'),
) as Redirects;

/**
 * The URL that a browser opens after a redirect of the portal to `location`; and that after another redirect
 * to its path.
 */
function opens(location: string, origin: string): string[] {
  const first = new URL(location, `${origin}/clientcenter/en-us/auth`);
  const second = new URL(first.pathname + first.search + first.hash, `${origin}/clientcenter/en-us/auth`);
  return [first.origin, second.origin];
}

const PRINTABLE_PATH = /^\/(?![/\\])[\x21-\x7e]*$/;

describe.each(ORIGINS)('redirects of a portal at %s', (origin) => {
  const own = (target: string): string =>
    target.replaceAll('ORIGIN', origin).replaceAll('HOST', new URL(origin).host);

  test('a redirect never leaves the portal with any link of the attack list', () => {
    const led = hostile.map(({ target, why }) => ({
      why,
      target,
      place: safeRedirect(own(target), origin, FALLBACK),
    }));
    const outside = led.filter(
      ({ place }) => !PRINTABLE_PATH.test(place) || opens(place, origin).some((opened) => opened !== origin),
    );
    expect(outside).toEqual([]);
  });

  test('a redirect to another site goes to the fallback instead', () => {
    const elsewhere = hostile
      .map(({ target }) => own(target))
      .filter((target) => URL.parse(target, origin)?.origin !== origin);
    expect(elsewhere.length).toBeGreaterThan(30);
    for (const target of elsewhere)
      expect(safeRedirect(target, origin, FALLBACK), JSON.stringify(target)).toBe(FALLBACK);
  });

  test('a redirect to an ordinary address in the portal is unchanged', () => {
    for (const target of ordinary)
      expect(safeRedirect(own(target), origin, FALLBACK)).toBe(target.replaceAll('ORIGIN', ''));
  });

  test('a redirect target is returned without the origin, even if requested with it', () => {
    expect(safeRedirect(`${origin}/clientcenter/pt/documents?page=2`, origin, FALLBACK)).toBe(
      '/clientcenter/pt/documents?page=2',
    );
  });

  test('a redirect never leaves the portal with links made of typical attack fragments', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '//',
      '.',
      '..',
      '%2e',
      '%2E',
      '%2f',
      '%5c',
      ':',
      '@',
      '?',
      '#',
      'https:',
      'javascript:',
      'evil.example',
      '\t',
      '\n',
      '\r',
      ' ',
      '\0',
      '／',
      '。',
      'a',
      own('HOST'),
      origin,
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        const place = safeRedirect(pieces.join(''), origin, FALLBACK);
        expect(place).toMatch(PRINTABLE_PATH);
        expect(opens(place, origin)).toEqual([origin, origin]);
        expect(safeRedirect(place, origin, 'changed')).toBe(place);
      }),
      { numRuns: 5000 },
    );
  });
});

test.each([[undefined], [null], ['']])('a redirect without a target (%j) goes to the fallback', (target) => {
  expect(safeRedirect(target, 'https://portal.firm.example', FALLBACK)).toBe(FALLBACK);
});

test('a redirect target of 2,000 characters is accepted, and a longer one goes to the fallback', () => {
  const longest = `/${'a'.repeat(1999)}`;
  expect(safeRedirect(longest, 'https://portal.firm.example', FALLBACK)).toBe(longest);
  expect(safeRedirect(`${longest}a`, 'https://portal.firm.example', FALLBACK)).toBe(FALLBACK);
});

test('the list of attack links is long enough', () => {
  expect(new Set(hostile.map(({ target }) => target)).size).toBe(hostile.length);
  expect(hostile.length).toBeGreaterThanOrEqual(50);
});

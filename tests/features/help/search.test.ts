import { describe, expect, test } from 'vitest';
import { isOneLetterApart, searchArticles } from '#features/content/help/search.server.ts';
import { accessFrom } from '#features/base/people/access-settings.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { LANGS } from '#platform/text/languages.ts';
import { QUERIES } from './queries.ts';

const actorWith = (given: Partial<Actor>): { actor: Actor } => ({
  actor: { staff: false, access: accessFrom(undefined, []), ...given } as Actor,
});
/** With actions, which are off by default, since there are articles about them. */
const owner = actorWith({
  staff: true,
  access: accessFrom('owner', [{ kind: 'flag', name: 'NfeManifest.Disabled', granted: false }]),
});
const contact = actorWith({});
const idsOf = (...search: Parameters<typeof searchArticles>): string[] =>
  searchArticles(...search).map(({ id }) => id);

const places = (lang: keyof typeof QUERIES) =>
  QUERIES[lang].map(([query, expected]) => {
    const found = idsOf(lang, query, owner);
    return { query, expected, place: found.indexOf(expected) + 1, found: found.slice(0, 3) };
  });

describe.each(Object.keys(QUERIES) as (keyof typeof QUERIES)[])('the search of the help in %s', (lang) => {
  test(`at least 40 queries in ${lang} have an expected article`, () => {
    expect(QUERIES[lang].length).toBeGreaterThanOrEqual(40);
  });

  test(`the expected article is among the first three for every query in ${lang}`, () => {
    expect(places(lang).filter(({ place }) => place === 0 || place > 3)).toEqual([]);
  });

  test(`the expected article is the first for at least nine of ten queries in ${lang}`, () => {
    const later = places(lang).filter(({ place }) => place !== 1);
    expect(later.length / QUERIES[lang].length, JSON.stringify(later, null, 1)).toBeLessThanOrEqual(0.1);
  });
});

describe('the search of the help', () => {
  test.each(LANGS)('an article is found in %s', (lang) => {
    expect(idsOf(lang, 'zip', owner)).toContain('download-many');
  });

  test('an article is found by the beginning of a word, with or without accents and capitals', () => {
    expect(idsOf('pt', 'VERIFICACAO', owner)[0]).toBe('two-step');
    expect(idsOf('pt', 'verificação', owner)[0]).toBe('two-step');
    expect(idsOf('pt', 'assinat', owner)[0]).toBe('sign');
  });

  test.each(['', ' ', '"', '*', '""', '^', '\0', '-', '() ', '🙂', 'שלום'])(
    'signs find nothing and fail nothing: %j',
    (query) => {
      expect(idsOf('en-us', query, owner)).toEqual([]);
    },
  );

  test('much text finds nothing and fails nothing', () => {
    expect(idsOf('en-us', 'xyzzy '.repeat(2_000), owner)).toEqual([]);
    expect(idsOf('en-us', 'x'.repeat(100_000), owner)).toEqual([]);
  });

  test.each(['title : password', 'password AND', 'NOT password', '{title} : password', 'password" OR "'])(
    'the language of the index is searched as words: %s',
    (query) => {
      expect(idsOf('en-us', query, owner)).toContain('forgot');
    },
  );

  test('visitors find articles for visitors only, contacts none of the team, and nobody what they cannot use', () => {
    expect(idsOf('en-us', 'password', undefined)).toContain('forgot');
    expect(idsOf('en-us', 'publish', undefined)).not.toContain('staff-publish');
    expect(idsOf('en-us', 'publish', contact)).not.toContain('staff-publish');
    expect(idsOf('en-us', 'publish', owner)).toContain('staff-publish');
    expect(idsOf('en-us', 'scanner', contact)).toContain('scan');
    const withoutCamera = accessFrom(undefined, [
      { kind: 'control', name: 'HideScanFromDevice', granted: true },
    ]);
    expect(idsOf('en-us', 'scanner', actorWith({ access: withoutCamera }))).not.toContain('scan');
  });

  test.each([
    ['pasword', 'password', true],
    ['passwordd', 'password', true],
    ['passwort', 'password', true],
    ['passowrd', 'password', true],
    ['pasworrd', 'password', false],
    ['pass', 'password', false],
    ['cat', 'car', false],
    ['trash', 'trash', true],
  ])('%s and %s differ by one letter at most: %s', (one, other, expected) => {
    expect([isOneLetterApart(one, other), isOneLetterApart(other, one)]).toEqual([expected, expected]);
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isLang,
  LANGS,
  LANGUAGE_CODE,
  LANGUAGES,
  languageOf,
  preferredLanguage,
} from '#platform/text/languages.ts';

test('the portal supports seven languages', () => {
  expect(LANGUAGES).toEqual({
    'en-us': 'en-US',
    'en-gb': 'en-GB',
    'en-au': 'en-AU',
    'en-ca': 'en-CA',
    es: 'es-AR',
    pt: 'pt-BR',
    fr: 'fr-CA',
  });
});

test.each([
  ['en-us', 'en-us'],
  ['EN-GB', 'en-gb'],
  ['en', 'en-us'],
  ['EN', 'en-us'],
  ['pt', 'pt'],
  ['pt-BR', 'pt'],
  ['es-AR', 'es'],
  ['fr-CA', 'fr'],
  ['fr-FR', undefined],
  ['de', undefined],
  ['en-', undefined],
  ['en_us', undefined],
  ['', undefined],
  ['../..', undefined],
  ['constructor', undefined],
  ['__proto__', undefined],
  ['toString', undefined],
  ['hasOwnProperty', undefined],
])('the language code %j in a URL means %s', (code, lang) => {
  expect(languageOf(code)).toBe(lang);
});

test('every language is found by its segment and its tag', () => {
  for (const lang of LANGS) {
    expect([isLang(lang), languageOf(lang), languageOf(LANGUAGES[lang])]).toEqual([true, lang, lang]);
    expect(LANGUAGE_CODE.test(lang)).toBe(true);
  }
  for (const other of [undefined, '', 'EN-US', 'de', 'constructor', '__proto__'])
    expect(isLang(other)).toBe(false);
});

test.each([
  [undefined, 'en-us'],
  ['', 'en-us'],
  ['*', 'en-us'],
  ['de-DE,de;q=0.9', 'en-us'],
  ['pt-BR,pt;q=0.9,en-US;q=0.8', 'pt'],
  ['pt-PT', 'pt'],
  ['es-419,es;q=0.9', 'es'],
  ['es-MX', 'es'],
  ['fr-FR,fr;q=0.9,en;q=0.8', 'fr'],
  ['en-AU', 'en-au'],
  ['en-NZ,en;q=0.9', 'en-us'],
  ['en-GB,en;q=0.9', 'en-gb'],
  ['de,fr;q=0.5,es;q=0.8', 'es'],
  ['fr;q=0.1, pt;q=0.2', 'pt'],
  ['fr; q=0.1, pt; q=0.2', 'pt'],
  ['FR-ca', 'fr'],
  ['fr;q=0,es', 'es'],
  ['fr;q=0', 'en-us'],
  ['fr;q=abc,es;q=0.1', 'es'],
  [',,, ,pt', 'pt'],
  ['constructor', 'en-us'],
  ['__proto__', 'en-us'],
  ['constructor,pt', 'pt'],
])('a browser that prefers %j gets %s', (header, lang) => {
  expect(preferredLanguage(header)).toBe(lang);
});

test('any Accept-Language header leads to a supported language', () => {
  const part = fc.oneof(
    fc.constantFrom('en', 'pt-BR', 'constructor', '__proto__', 'valueof', ';q=', ';q=1', ',', '*', '-', ' '),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      expect(LANGS).toContain(preferredLanguage(parts.join('')));
    }),
  );
});

import { expect, test } from 'vitest';
import { privacyUrl } from '#platform/text/privacy.server.ts';

const TEMPLATE = 'https://www.firm.example/{language}/privacy';

test.each([
  ['es', 'es-AR', 'es-ar'],
  ['pt', 'en', 'pt-br'],
  ['fr', undefined, 'fr-ca'],
  ['en-gb', 'en-GB', 'en'],
  ['en-us', undefined, 'en'],
  ['en-us', 'nl-NL, en;q=0.5', 'nl-nl'],
  ['en-us', 'en, nl;q=0.5', 'en'],
  ['fr', 'nl', 'fr-ca'],
] as const)(
  'the privacy statement of a page in %s, for a browser with %s, is the one in %s',
  (lang, asked, language) => {
    expect(privacyUrl(lang, asked, TEMPLATE)).toBe(`https://www.firm.example/${language}/privacy`);
  },
);

test('without a configured statement there is no link to one', () => {
  expect(privacyUrl('en-us', 'nl')).toBeUndefined();
});

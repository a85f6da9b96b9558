import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/*
 * A form with something to type or to choose says by `data-keep` that it survives the end of a session
 * (session-end.ts). A new one gets the mark, or stands here with those that are for people who are not signed
 * in, hold only codes, or keep what they hold themselves.
 */

const NOT_KEPT = [
  /^src\/features\/identity\//, // codes
  /\/auth\//, // before the sign-in, or passwords and codes
  /^src\/features\/viewer\/ui\/Pages\.astro/, // goes to a page and searches inside a document
  /\/profile\/security\.astro/, // passwords and codes
  /\/share\/\[token\]\.astro/, // a recipient's code
  /\/verify\.astro/, // open to everybody
  /_frame\/(ClientBar|LanguageChoice|LinkedAccounts)\.astro/, // act at once
  /\/kept-form\.astro/, // what was sent already
];

test('every form with something to type or to choose is kept across the end of a session, or says why not', () => {
  const missing = globSync('src/**/*.astro').flatMap((file) => {
    const forms = readFileSync(file, 'utf8').match(/<form[^]*?<\/form>/g) ?? [];
    const asks = (form: string): boolean =>
      /<Field|<textarea|<select|type="(text|search|checkbox|radio)"/.test(form);
    return forms.some((form) => asks(form) && !form.includes('data-keep=')) &&
      !NOT_KEPT.some((pattern) => pattern.test(file))
      ? [file]
      : [];
  });
  expect(missing).toEqual([]);
});

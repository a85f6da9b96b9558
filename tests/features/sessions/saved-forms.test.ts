import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/*
 * A form with inputs declares by `data-keep` that it survives the end of a session (typed-forms.ts). A new
 * form gets that attribute or is listed here with the forms that are for signed-out people, contain only
 * codes, or save their own content.
 */

const NOT_KEPT = [
  /^src\/features\/identity\//, // codes
  /\/auth\//, // before the sign-in, or passwords and codes
  /^src\/features\/documents\/viewer\/ui\/(Toolbar|ViewerBar)\.astro/, // navigates to a page or searches inside a document
  /\/profile\/security\.astro/, // passwords and codes
  /\/share\/\[token\]\.astro/, // a recipient's code
  /\/verify\.astro/, // open to everybody
  /layouts\/(ClientBar|LanguageChoice|LinkedAccounts)\.astro/, // submitted at once
  /\/staff\/(imports|publish)\/index\.astro/, // files, which the browser does not give back; its search is saved
  /^src\/features\/base\/grids\/ui\/GridView\.astro/, // submitted at once
  /^src\/features\/content\/help\/ui\/HelpSearch\.astro/, // a search
  /^src\/features\/office\/search\/ui\/SearchForm\.astro/, // a search
  /\/staff\/fiscal-documents\/\[setAsideId\]\.astro/, // a search
  /^src\/features\/brazil\/fiscal-intake\/ui\/UploadForm\.astro/, // files, which the browser does not give back
  /\/payroll-entries\/lists\/\[listId\]\.astro/, // the month of a download
  /\/kept-form\.astro/, // already submitted content
];

test('every form with inputs is saved when the session ends, or is listed here with a reason', () => {
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

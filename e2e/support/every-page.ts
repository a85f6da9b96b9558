import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { onPostgres, WHOLE } from '../../tests/support/whole.ts';
import { PAGES } from '../../src/routes.ts';

const VISITS = path.join(import.meta.dirname, '../../test-results/looked-at.txt');

/** Pages that only redirect or are not HTML, with the test that covers them. */
const NOT_WALKED: Readonly<Record<string, string>> = {
  '/404': 'shown at unknown addresses: `notfound` in e2e/pages.spec.ts',
  '/500': 'shown at failed addresses: e2e/budget.spec.ts',
  '/[base]/[lang]/documents/[documentId]': 'a file or the viewer: e2e/viewer.spec.ts',
  '/[base]/[lang]/partials/documents': 'a part of the documents page',
  '/[base]/[lang]/partials/download': 'a part of the documents page',
  '/[base]/[lang]/company/[companyId]': 'redirects to the start page: e2e/access.spec.ts',
  '/[base]/[lang]/.well-known/[link]': 'redirects to the page of the link: e2e/access.spec.ts',
  '/[base]/[lang]/announcement': 'handles the form that closes the announcement: e2e/look.spec.ts',
  '/[base]/[lang]/staff/audit.csv': 'a file: e2e/view-as.spec.ts',
};

/** Records that `expectUsable` has checked the page at this URL. */
export function recordCheckedPage(url: string): void {
  mkdirSync(path.dirname(VISITS), { recursive: true });
  appendFileSync(VISITS, `${new URL(url).pathname}\n`);
}

/** The pattern of src/routes.ts that matches a path: of several, the one with the fewest placeholders. */
function patternOf(pathname: string): string | undefined {
  const matches = (pattern: string): boolean =>
    new RegExp(
      `^${pattern
        .replaceAll('.', String.raw`\.`)
        .replaceAll(/\[(?:\\\.){3}\w+\]/g, '.+')
        .replaceAll(/\[\w+\]/g, '[^/]+')}/?$`,
    ).test(pathname);
  const placeholders = (pattern: string): number => pattern.split('[').length;
  return Object.keys(PAGES)
    .filter(matches)
    .toSorted((a, b) => placeholders(a) - placeholders(b))[0];
}

/**
 * Global setup: clears the record. After a full run, as in `npm test`, it fails if a page was never checked.
 */
export default function everyPage(): () => void {
  rmSync(VISITS, { force: true });
  return () => {
    // a partial run
    if (process.env['E2E_REPORT'] === undefined || (onPostgres && !WHOLE)) return;
    const visited = new Set(
      (existsSync(VISITS) ? readFileSync(VISITS, 'utf8') : '').split('\n').map(patternOf),
    );
    const missing = Object.keys(PAGES).filter(
      (pattern) => !visited.has(pattern) && !Object.hasOwn(NOT_WALKED, pattern),
    );
    const shown = Object.keys(NOT_WALKED).filter(
      (pattern) => visited.has(pattern) || !Object.hasOwn(PAGES, pattern),
    );
    if (missing.length > 0)
      throw new Error(
        `No test checked these pages with expectUsable: ${missing.join(', ')}. Add them, and each of their states, to a walk in e2e/pages.spec.ts.`,
      );
    if (shown.length > 0)
      throw new Error(`Remove these from NOT_WALKED in e2e/support/every-page.ts: ${shown.join(', ')}.`);
  };
}

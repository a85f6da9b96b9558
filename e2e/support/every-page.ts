import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { onPostgres, WHOLE } from '../../tests/support/whole.ts';
import { PAGES } from '../../src/routes.ts';
import { exampleOf } from '../examples/all.ts';

const VISITS = path.join(import.meta.dirname, '../../test-results/looked-at.txt');

/** Records that `expectUsable` has checked the page at this URL. */
export function recordCheckedPage(url: string): void {
  mkdirSync(path.dirname(VISITS), { recursive: true });
  appendFileSync(VISITS, `${new URL(url).pathname}\n`);
}

/** The pattern of src/routes.ts that matches a path: of several, the one with the fewest placeholders. */
export function patternOf(pathname: string): string | undefined {
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
    const hasMarkup = (pattern: string): boolean => !('noMarkup' in exampleOf(pattern));
    const missing = Object.keys(PAGES).filter((pattern) => !visited.has(pattern) && hasMarkup(pattern));
    const shown = Object.keys(PAGES).filter((pattern) => visited.has(pattern) && !hasMarkup(pattern));
    if (missing.length > 0)
      throw new Error(
        `No test checked these pages with expectUsable: ${missing.join(', ')}. Add their states to e2e/examples/, or a test of their own to e2e/pages.spec.ts.`,
      );
    if (shown.length > 0)
      throw new Error(`These pages have markup: replace noMarkup in e2e/examples/: ${shown.join(', ')}.`);
  };
}

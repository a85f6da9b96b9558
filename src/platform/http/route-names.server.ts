import { config } from '../runtime/config.server.ts';
import { LANGS } from '../text/languages.ts';

export interface Routes {
  /** Patterns such as `/api/clients/{id}` or `/[base]/[lang]/documents`; the first match counts. */
  patterns: readonly string[];
  /** Path prefixes, tried after the patterns of calls and before the pages. */
  prefixes: readonly string[];
  pages: readonly string[];
}

/** The name of a URL that matches no route. */
export const NO_ROUTE = 'other';

/**
 * Names a URL by its route, for logs and metrics: a pattern of the table, or {@link NO_ROUTE}. The name
 * contains nothing of the URL itself, which may hold personal data, tokens and ids.
 */
export function routeNames({ patterns, prefixes, pages }: Routes): (url: string) => string {
  const callMatchers = patterns.map(matcher);
  const pageMatchers = pages.map(matcher);
  return (url) => {
    const address = url.split('?', 1)[0] ?? '';
    const fits = ({ fit }: Matcher): boolean => fit.test(address);
    return (
      callMatchers.find(fits)?.name ??
      prefixes.find((prefix) => address.startsWith(prefix)) ??
      pageMatchers.find(fits)?.name ??
      NO_ROUTE
    );
  };
}

interface Matcher {
  name: string;
  fit: RegExp;
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  '[base]': config.base,
  '[lang]': `(?:${LANGS.join('|')})`,
};

const matcher = (name: string): Matcher => ({
  name,
  fit: new RegExp(
    `^${name.replaceAll('.', '\\.').replace(/\{\w+\}|\[\w+\]/g, (placeholder) => PLACEHOLDERS[placeholder] ?? '[^/]+')}/?$`,
  ),
});

import { config } from './config.server.ts';
import { LANGS } from './languages.ts';

export interface Routes {
  /** Addresses with a name in the place of what changes, such as `/api/clients/{id}` or `/[base]/[lang]/documents`; the first that fits counts. */
  patterns: readonly string[];
  /** Beginnings of addresses, tried when no pattern of calls fits and before the pages. */
  beginnings: readonly string[];
  pages: readonly string[];
}

/** The name of an address that matches nothing. */
export const NO_ROUTE = 'other';

/**
 * Names an address by its route, for logs and figures: a pattern of the table, or {@link NO_ROUTE}. Nothing of the address itself is in
 * the name, since people type names, mails carry tokens and every id is somebody's.
 */
export function routeNames({ patterns, beginnings, pages }: Routes): (url: string) => string {
  const calls = patterns.map(matcher);
  const shown = pages.map(matcher);
  return (url) => {
    const address = url.split('?', 1)[0] ?? '';
    const fits = ({ fit }: Matcher): boolean => fit.test(address);
    return calls.find(fits)?.name ?? beginnings.find((beginning) => address.startsWith(beginning)) ?? shown.find(fits)?.name ?? NO_ROUTE;
  };
}

interface Matcher {
  name: string;
  fit: RegExp;
}

const HOLES: Readonly<Record<string, string>> = { '[base]': config.base, '[lang]': `(?:${LANGS.join('|')})` };

const matcher = (name: string): Matcher => ({
  name,
  fit: new RegExp(`^${name.replaceAll('.', '\\.').replace(/\{\w+\}|\[\w+\]/g, (hole) => HOLES[hole] ?? '[^/]+')}/?$`),
});

import { NO_ROUTE, routeNames } from '#platform/http/route-names.server.ts';

/*
 * Metrics about pages are by their patterns, whatever somebody reports: an address is never a label.
 */

let nameOf = (_: string): string => NO_ROUTE;

/** Makes the patterns of the pages known, which only the front door knows. */
export function declarePages(pages: readonly string[]): void {
  nameOf = routeNames({ patterns: [], prefixes: [], pages });
}

/** The pattern of the page that a report is about; {@link NO_ROUTE} for none. */
export const pageNameOf = (source: string): string => nameOf(source);

import { searchesTooOften } from './limit.server.ts';
import { IN_LIST, IN_LIST_OF_CLIENTS, MAX_RECENT, ON_PAGE } from './rules.ts';
import { recentClients, searchEverything, searchTextOf, type ResultGroup } from './search.server.ts';

interface Page {
  url: URL;
  response: { status?: number };
  locals: Parameters<typeof searchEverything>[0];
}

export interface Results {
  /** What was looked for; empty if nothing was typed. */
  text: string;
  groups: ResultGroup[];
  /** Nothing was looked for, because this person searches too often. */
  isRefused: boolean;
}

/** The results of the search in the address. */
export const searchPage = (page: Page): Promise<Results> => resultsOf(page, ON_PAGE);

/**
 * The first results for the list under the field; before anything is typed, the clients that were opened last. With
 * `choose=client` only clients are found, for a field that chooses one of them.
 */
export async function searchList(page: Page): Promise<Results> {
  const { searchParams } = page.url;
  const recent = searchParams.get('recent');
  if (recent === null)
    return searchParams.get('choose') === 'client'
      ? resultsOf(page, IN_LIST_OF_CLIENTS, ['clients', 'companies'])
      : resultsOf(page, IN_LIST);
  const ids = recent.split(',').slice(0, MAX_RECENT);
  return { text: '', groups: await recentClients(page.locals, ids), isRefused: false };
}

async function resultsOf(
  { url, response, locals }: Page,
  limit: number,
  only?: readonly string[],
): Promise<Results> {
  const text = searchTextOf(url.searchParams.get('q'));
  const isRefused = text !== '' && (await searchesTooOften(locals.session.actor));
  if (isRefused) response.status = 429;
  return {
    text,
    isRefused,
    groups: isRefused ? [] : await searchEverything(locals, { text, limit, ...(only && { only }) }),
  };
}

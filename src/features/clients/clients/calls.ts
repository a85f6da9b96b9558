import { http } from '#platform/http/http.ts';
import type { ClientPage, ClientQuery } from './clients.ts';

/**
 * GET /api/client-center/v1/clients/: a page of the switcher; 'failed' if it cannot be loaded, and 'overtaken' once
 * `signal` has aborted the search because a newer one replaces it.
 */
export async function findClients({
  searchTerm,
  signal,
  ...page
}: Pick<ClientQuery, 'searchTerm' | 'pageNum' | 'pageSize' | 'orderBy'> & { signal: AbortSignal }): Promise<
  ClientPage | 'failed' | 'overtaken'
> {
  const searchParams = {
    ...page,
    'show-nickname': 'true',
    ...(searchTerm !== '' && { searchBy: 'name', searchTerm }),
  };
  try {
    return await http
      .get('/api/client-center/v1/clients/', { searchParams, signal, retry: 0 })
      .json<ClientPage>();
  } catch {
    // whatever the reason, the person reads that it failed and tries again
    return signal.aborted ? 'overtaken' : 'failed';
  }
}

import { config } from '#platform/config.server.ts';
import { flashCookie, type Flash } from '#platform/flash.server.ts';
import { safeRedirect } from '#platform/safe-redirect.ts';
import { redirectTo } from '#platform/redirect.server.ts';

/** The ids that a form or an address names, each once. */
export const idsIn = (named: FormData | URLSearchParams): string[] =>
  [...new Set(named.getAll('id').map(String))].slice(0, 1000);

/** The answer to a form: back to a page of ours, which says what happened. */
export const backTo = (
  page: FormDataEntryValue | null,
  otherwise: string,
  message: Omit<Flash, 'namespace' | 'vars'> & { count: number },
): Response => {
  const { count, ...rest } = message;
  return redirectTo(safeRedirect(typeof page === 'string' ? page : null, config.origin, otherwise), [
    flashCookie({ ...rest, namespace: 'trash', vars: { count } }),
  ]);
};

import { safeRedirect } from './safe-redirect.ts';

/** Names of deep links and the pages that they lead to; `open` goes where its `r` says. */
const PAGE_OF_LINK = {
  home: '',
  tasks: 'tasks',
  documents: 'documents',
  actions: 'actions',
  clients: 'clients',
} as const;

/**
 * Where the deep link of this name leads, always inside this portal's own pages; undefined when there is no
 * such link.
 */
export function deepLinkTarget(
  link: string,
  r: string | null,
  { origin, pathTo }: { origin: string; pathTo: (page?: string) => string },
): string | undefined {
  if (link === 'open') {
    const home = new URL(pathTo(), origin).pathname;
    const target = safeRedirect(r, origin, home);
    return target.startsWith(home) ? target : pathTo();
  }
  return Object.hasOwn(PAGE_OF_LINK, link)
    ? pathTo(PAGE_OF_LINK[link as keyof typeof PAGE_OF_LINK])
    : undefined;
}

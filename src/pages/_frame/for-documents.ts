import { activeClient } from '#features/clients/clients.server.ts';
import type { Client } from '#features/clients/clients.ts';
import { documentOrder, type DocumentQuery } from '#features/documents/documents.ts';
import { listDocuments } from '#features/documents/documents.server.ts';
import type { Actor, Session } from '#features/people/people.ts';
import { readCookie } from '#platform/cookies.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import type { Lang } from '#platform/languages.ts';
import { pathTo } from './paths.ts';

/** The session of a page that the guard lets nobody reach without one. */
export function sessionOf(locals: App.Locals): Session {
  if (!locals.session) throw new PortalError('UNAUTHENTICATED');
  return locals.session;
}

/** For whom the page acts: a client in the address wins over the one chosen before (product.md, Session and sign-in). */
export async function clientOfPage(actor: Actor, request: Request): Promise<Client | undefined> {
  const named = new URL(request.url).searchParams.get('client') ?? undefined;
  return activeClient(actor, named ?? readCookie(request.headers.get('cookie'), 'client'));
}

/** What the documents page and its fragment show: the query in the address, one page of the list, and addresses of its neighbours. */
export async function documentsOfPage(actor: Actor, clientId: string, url: URL, lang: Lang) {
  const folder = url.searchParams.get('folder') ?? undefined;
  const order = documentOrder.safeParse(Object.fromEntries(['from', 'orderBy', 'orderDir'].flatMap((name) => (url.searchParams.has(name) ? [[name, url.searchParams.get(name)]] : []))));
  const query: DocumentQuery = { ...(order.data ?? documentOrder.parse({})), ...(folder !== undefined && { parentIds: folder }) };
  const page = await listDocuments(actor, clientId, query);
  return { folder, query, page, urlFor: (change: Partial<DocumentQuery>) => documentsUrl(lang, folder, { ...query, ...change }) };
}

const DEFAULTS = documentOrder.parse({});

/** The address of the documents page; what is as usual is left out of it. */
export function documentsUrl(lang: Lang, folder: string | undefined, query: Partial<DocumentQuery> = {}): string {
  const parameters = new URLSearchParams();
  if (folder !== undefined) parameters.set('folder', folder);
  for (const name of ['from', 'orderBy', 'orderDir'] as const) {
    if (query[name] !== undefined && query[name] !== DEFAULTS[name]) parameters.set(name, String(query[name]));
  }
  return `${pathTo(lang, 'documents')}${parameters.size > 0 ? `?${parameters}` : ''}`;
}

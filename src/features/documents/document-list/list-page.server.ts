import {
  listDocuments,
  neighborsOf,
  yearsOf,
  type Neighbors,
} from '#features/documents/documents/documents.server.ts';
import { documentOrder, narrowing, type DocumentQuery } from '#features/documents/documents/documents.ts';
import type { ContainerPermissions } from '#features/documents/folders/roles.server.ts';
import { loadOf } from '#features/documents/folders/tree.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/**
 * What the address of the documents page asks for, besides the order: a folder, words of a name, what is not
 * read, who added it and when, and folders or none.
 */
interface ListAddress {
  folder: string | undefined;
  isFlat: boolean;
  query: DocumentQuery;
}

/**
 * What the documents page and its fragment show: the query in the address, one page of the list, and
 * addresses of its neighbours.
 */
export async function listOfPage(
  actor: Actor,
  clientId: string,
  {
    url,
    pathTo,
    containerPermissions,
  }: { url: URL; pathTo: PathTo; containerPermissions?: ContainerPermissions },
) {
  const load = loadOf(actor.access);
  const address = listAddressIn(url.searchParams, load);
  const { folder, isFlat, query } = address;
  const { byFolder, listed, below } = contentOf(address, load, clientId);
  return {
    folder,
    isFlat,
    byFolder,
    load,
    query,
    page: await listDocuments(actor, clientId, listed, { below, containerPermissions }),
    years: await yearsOf(actor, clientId),
    urlFor: (change: Partial<DocumentQuery>) =>
      documentsUrl(pathTo, { ...address, query: { ...query, after: undefined, ...change } }),
  };
}

/**
 * The state of a list as one parameter of an address, from which the viewer finds the next and the previous
 * document, and the way back.
 */
export const listParameterOf = (list: {
  folder?: string | undefined;
  isFlat?: boolean;
  query?: DocumentQuery;
}) => String(new URLSearchParams(parametersOf({ ...list, query: { ...list.query, after: undefined } })));

const MAX_PARAMETER = 1000;

/**
 * The neighbors of a document in the list that a parameter describes, and the address of that list. Of an
 * address that somebody changed, only what the actor may see is found; without a parameter there is no list.
 */
export async function neighborsInList(
  actor: Actor,
  clientId: string,
  documentId: string,
  { parameter, pathTo }: { parameter: string | undefined; pathTo: PathTo },
): Promise<{ neighbors: Neighbors; list: string } | undefined> {
  if (parameter === undefined || parameter.length > MAX_PARAMETER) return undefined;
  const load = loadOf(actor.access);
  const address = listAddressIn(new URLSearchParams(parameter), load);
  const { listed, below } = contentOf(address, load, clientId);
  return {
    neighbors: await neighborsOf(actor, clientId, documentId, listed, { below }),
    list: documentsUrl(pathTo, address),
  };
}

/** Which documents are in a list: of one folder and perhaps of those below it, in none, or all of them. */
function contentOf(
  { folder, isFlat, query }: ListAddress,
  load: ReturnType<typeof loadOf>,
  clientId: string,
): { byFolder: boolean; listed: DocumentQuery; below: boolean } {
  const byFolder = load.byFolder && !isFlat && query.name === undefined;
  const within = folder ?? (byFolder ? clientId : undefined);
  return {
    byFolder,
    listed: { ...query, ...(within !== undefined && { parentIds: within }) },
    below: load.below && folder !== undefined,
  };
}

function listAddressIn(parameters: URLSearchParams, load: ReturnType<typeof loadOf>): ListAddress {
  const given = (name: string): string | undefined => parameters.get(name) ?? undefined;
  const order = documentOrder.safeParse(
    Object.fromEntries(
      ['from', 'orderBy', 'orderDir'].flatMap((name) =>
        parameters.has(name) ? [[name, parameters.get(name)]] : [],
      ),
    ),
  );
  const narrowed = narrowing.pick({ uploadedBy: true, year: true }).safeParse({
    uploadedBy: given('by'),
    year: given('year'),
  });
  const name = given('name')?.trim().slice(0, 200);
  const query: DocumentQuery = {
    ...(order.data ?? documentOrder.parse({})),
    name: name === '' ? undefined : name,
    after: given('after')?.slice(0, 2000),
    readByClientUser: load.filtersReading && given('read') === 'no' ? false : undefined,
    ...narrowed.data,
  };
  return { folder: given('folder'), isFlat: load.mayBeFlat && given('view') === 'flat', query };
}

const DEFAULTS = documentOrder.parse({});

/** The address of the documents page; what is as usual is left out of it. */
export function documentsUrl(
  pathTo: PathTo,
  {
    folder,
    isFlat = false,
    query = {},
  }: { folder?: string | undefined; isFlat?: boolean; query?: Partial<DocumentQuery> } = {},
): string {
  return pathTo('documents', parametersOf({ folder, isFlat, query }));
}

/** The same as fields of a form. */
export function parametersOf({
  folder,
  isFlat = false,
  query = {},
}: {
  folder?: string | undefined;
  isFlat?: boolean;
  query?: Partial<DocumentQuery>;
}): Record<string, string> {
  const usual = Object.entries(DEFAULTS);
  const fields = {
    folder,
    view: isFlat ? 'flat' : undefined,
    read: query.readByClientUser === false ? 'no' : undefined,
    by: query.uploadedBy,
    year: query.year,
    name: query.name,
    from: query.from,
    orderBy: query.orderBy,
    orderDir: query.orderDir,
    after: query.after,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined || usual.some(([key, most]) => key === name && most === value)
        ? []
        : [[name, String(value)]],
    ),
  );
}

/** What an empty list says: why nothing is here, and what to do. */
export function emptyTextOf(
  lang: Lang,
  { folder, byFolder, query }: { folder: string | undefined; byFolder: boolean; query: DocumentQuery },
): string {
  const t = translationsFor(lang, 'documents');
  const w = translationsFor(lang, 'tree');
  if (query.name !== undefined) return w('notFound', { name: query.name });
  if (query.uploadedBy !== undefined || query.year !== undefined) return t('emptyFiltered');
  if (query.readByClientUser === false) return w('allRead');
  if (folder !== undefined) return t('emptyFolder');
  return byFolder ? w('chooseFolder') : t('empty');
}

import {
  documentsUrl,
  listParameterOf,
  neighborsInList,
} from '#features/documents/document-list/list-page.server.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { viewDocument } from './viewer.server.ts';
import { asksFirst, opensViewer, ZOOMS, type View, type Zoom } from './viewer.ts';

/**
 * The addresses of documents in the viewer, which lead through the list that they are in, if any; undefined for
 * whoever only downloads them.
 */
export const viewUrlOf = (
  pathTo: PathTo,
  actor: Actor,
  list?: Parameters<typeof listParameterOf>[0],
): ((id: string) => string) | undefined => {
  if (!opensViewer(actor.access)) return undefined;
  const address = pathTo('documents/{id}/view', { list: list && listParameterOf(list) });
  return (id) => address.replace('{id}', id);
};

/** What changes in the address of the viewer. */
interface Change {
  page?: number;
  zoom?: Zoom;
  find?: string | undefined;
}

/** The address of the viewer: the page, search and size that it asks for, and how to change them. */
export type ViewAddress = ReturnType<typeof viewAddressIn>;

/** Reads the address of the viewer, which is at `path`; what it does not understand is as usual. */
export function viewAddressIn(parameters: URLSearchParams, path: string, pathTo: PathTo) {
  const given = parameters.get('page') ?? '';
  const page = /^[1-9]\d{0,5}$/.test(given) ? Number(given) : 1;
  const find = parameters.get('find')?.trim().slice(0, 100) || undefined;
  const zoom = ZOOMS.find((one) => one === parameters.get('zoom')) ?? 'fit';
  const list = parameters.get('list') ?? undefined;
  /** The query as fields of a form. */
  const fieldsFor = (change: Change = {}): Record<string, string | undefined> => {
    const wanted = { page, zoom, find, ...change };
    return {
      list,
      page: String(wanted.page),
      zoom: wanted.zoom === 'fit' ? undefined : wanted.zoom,
      find: wanted.find,
    };
  };
  return {
    page,
    find,
    zoom,
    list,
    fieldsFor,
    urlFor: (change?: Change): string => pathTo(path, fieldsFor(change)),
  };
}

/**
 * Opens a document as its address asks: undefined before people with a details page have opened it, `proof` where
 * they must confirm who they are first.
 */
export async function openView(
  session: Session,
  document: Pick<Document, 'id'>,
  { page, find }: ViewAddress,
  isAsked: boolean,
): Promise<View | 'proof' | undefined> {
  if (asksFirst(session.actor.access) && !isAsked) return undefined;
  try {
    return await viewDocument(session, document.id, { page, find });
  } catch (error) {
    const code = refusal(error)?.code;
    if (code === 'STEP_UP') return 'proof';
    if (code === 'INFECTED') return { kind: 'none', because: 'infected' };
    throw error;
  }
}

/** Links from a document back to its list and to its neighbors there. */
export async function listLinksOf(
  actor: Actor,
  { id, parent }: Document,
  { clientId, parameter, pathTo }: { clientId: string; parameter: string | undefined; pathTo: PathTo },
) {
  const found = await neighborsInList(actor, clientId, id, { parameter, pathTo });
  const linkTo = (other: { id: string; name: string } | undefined) =>
    other && { name: other.name, url: pathTo(`documents/${other.id}/view`, { list: parameter }) };
  return {
    back:
      found?.list ??
      documentsUrl(pathTo, { folder: parent.containerType === 'Client' ? undefined : parent.id }),
    previous: linkTo(found?.neighbors.previous),
    next: linkTo(found?.neighbors.next),
    position: found?.neighbors.position,
  };
}

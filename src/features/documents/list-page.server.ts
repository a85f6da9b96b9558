import type { Actor } from '#features/people/people.ts';
import type { PathTo } from '#platform/addresses.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import { flashCookie } from '#platform/flash.server.ts';
import { formOf } from '#platform/form.server.ts';
import { useForm, type Page as FormPage } from '#platform/forms.server.ts';
import type { Lang } from '#platform/languages.ts';
import { redirectTo } from '#platform/redirect.server.ts';
import { translationsFor } from '#platform/translations.server.ts';
import { createFolder } from './containers.server.ts';
import { documentsByIds, listDocuments, setReading } from './documents.server.ts';
import { documentOrder, type Container, type DocumentQuery } from './documents.ts';
import { folderTitle } from './folder-names.server.ts';
import { loadOf, wayTo } from './folder-tree.ts';
import { folderForm, topFolderForm } from './forms.server.ts';
import { idsIn } from './trash-page.server.ts';
import { containerTree } from './tree.server.ts';
import { targetOf } from './upload-target.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/**
 * The documents page of a client: its list, its folders, where uploads go and the form for a new folder. The
 * answer to what is posted to it makes a folder or does something with the chosen documents. NOT_FOUND for a
 * folder that is not the client's.
 */
export async function documentsPage(page: Page, clientId: string) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const list = await listOfPage(actor, clientId, page.url, pathTo);
  const containers = await containerTree(actor, {
    clientId,
    includeOrphans: list.load.orphans,
    countDocuments: true,
    calculateLocks: true,
  });
  const folder = containers.find(({ id }) => id === list.folder);
  if (list.folder !== undefined && !folder) throw notFound();
  const container = folder ?? containers.find(({ containerType }) => containerType === 'Client');
  const returnTo = documentsUrl(pathTo, { folder: folder?.id, isFlat: list.isFlat });
  const target = await targetOf(actor, lang, clientId, containers, folder);
  const linked = await linkedDocument(actor, page.url.searchParams.get('document'));
  const form = await newFolderForm(page, { clientId, folder, returnTo });
  if (form instanceof Response) return form;
  const acted = await actOnChosen(page);
  if (acted) return acted;
  const mayAddFolders = actor.staff || actor.access.controls.has('AddFolder');
  return {
    ...list,
    containers,
    openFolder: folder,
    /** The open folder, or the client itself where none is open. */
    container,
    title: folder && folderTitle(lang, actor.staff, folder),
    way: wayTo(containers, folder?.id),
    returnTo,
    target,
    linked,
    form,
    mayAddFolders,
    /** Folders are made where one is; whoever may not add there is not shown the form. */
    offersFolders:
      ((container?.permissions.addContents ?? true) && mayAddFolders) || form.problems.length > 0,
  };
}

/** A link to one document shows it on top, for those who have the control (spec 1 section 6). */
async function linkedDocument(actor: Actor, id: string | null) {
  if (id === null || !actor.access.controls.has('DocumentDeepLink')) return undefined;
  const [document] = await documentsByIds(actor, [id]);
  return document;
}

const newFolderForm = (
  page: Page,
  { clientId, folder, returnTo }: { clientId: string; folder: Container | undefined; returnTo: string },
) => {
  const { lang, session } = page.locals;
  const { actor } = session;
  return useForm(page, folder ? folderForm : topFolderForm, {
    vars: { name: folder ? folderTitle(lang, actor.staff, folder) : '' },
    submit: async ({ folderName }) => {
      const { name } = await createFolder(actor, {
        name: folderName,
        parentId: folder?.id ?? clientId,
        parentType: folder?.containerType ?? 'Client',
      });
      return {
        to: returnTo,
        flash: { type: 'success', namespace: 'tree', key: 'uploadFolderSuccessAlert', vars: { name } },
      };
    },
  });
};

const MAX_MARKED = 500;

/** Does what a button of the list asks with the chosen documents, and goes on to the list or their comments. */
async function actOnChosen({ request, url, locals }: Page): Promise<Response | undefined> {
  const form = request.method === 'POST' ? await formOf(request) : undefined;
  const act = form?.get('act');
  if (!form || typeof act !== 'string') return undefined;
  const here = url.pathname + url.search;
  const [first = '', ...others] = idsIn(form).slice(0, MAX_MARKED);
  if (first === '')
    return redirectTo(here, [flashCookie({ type: 'info', namespace: 'notes', key: 'nothingChosen' })]);
  if (act === 'comment') return redirectTo(locals.pathTo(`documents/${encodeURIComponent(first)}/comments`));
  if (act !== 'markRead' && act !== 'markUnread') throw new PortalError('INVALID');
  const isRead = act === 'markRead';
  const marked = await setReading(locals.session.actor, { documentIds: [first, ...others], isRead });
  const count = marked.filter(({ result }) => result === 'MARKED').length;
  const key = isRead ? 'markedRead' : 'markedUnread';
  return redirectTo(here, [flashCookie({ type: 'success', namespace: 'notes', key, vars: { count } })]);
}

/**
 * What the address of the documents page asks for, besides the order: a folder, words of a name, what is not
 * read, and folders or none.
 */
interface Asked {
  folder: string | undefined;
  isFlat: boolean;
  query: DocumentQuery;
}

/**
 * What the documents page and its fragment show: the query in the address, one page of the list, and
 * addresses of its neighbours.
 */
export async function listOfPage(actor: Actor, clientId: string, url: URL, pathTo: PathTo) {
  const load = loadOf(actor.access);
  const asked = askedIn(url, load);
  const { folder, isFlat, query } = asked;
  const byFolder = load.byFolder && !isFlat && query.name === undefined;
  const within = folder ?? (byFolder ? clientId : undefined);
  const page = await listDocuments(
    actor,
    clientId,
    { ...query, ...(within !== undefined && { parentIds: within }) },
    { below: load.below && folder !== undefined },
  );
  return {
    folder,
    isFlat,
    byFolder,
    load,
    query,
    page,
    urlFor: (change: Partial<DocumentQuery>) =>
      documentsUrl(pathTo, { ...asked, query: { ...query, after: undefined, ...change } }),
  };
}

function askedIn(url: URL, load: ReturnType<typeof loadOf>): Asked {
  const given = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  const order = documentOrder.safeParse(
    Object.fromEntries(
      ['from', 'orderBy', 'orderDir'].flatMap((name) =>
        url.searchParams.has(name) ? [[name, url.searchParams.get(name)]] : [],
      ),
    ),
  );
  const name = given('name')?.trim().slice(0, 200);
  const query: DocumentQuery = {
    ...(order.data ?? documentOrder.parse({})),
    name: name === '' ? undefined : name,
    after: given('after')?.slice(0, 2000),
    readByClientUser: load.filtersReading && given('read') === 'no' ? false : undefined,
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
  if (query.readByClientUser === false) return w('allRead');
  if (folder !== undefined) return t('emptyFolder');
  return byFolder ? w('chooseFolder') : t('empty');
}

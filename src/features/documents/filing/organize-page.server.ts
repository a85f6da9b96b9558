import { findClients } from '#features/clients/clients/client-search.server.ts';
import { idsIn } from '#features/documents/documents/chosen.server.ts';
import { documentsUrl } from '#features/documents/document-list/list-page.server.ts';
import { documentsNamed } from '#features/documents/documents/scope.server.ts';
import { CONTAINER_TYPES, type Container } from '#features/documents/folders/folders.ts';
import { containersOf } from '#features/documents/folders/scope.server.ts';
import { folderTitle } from '#features/documents/folders/titles.server.ts';
import { listContainers } from '#features/documents/folders/tree.server.ts';
import { breadcrumbsTo } from '#features/documents/folders/tree.ts';
import { assertActsFor, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { trashFolder } from '#features/documents/trash/folder-trash.server.ts';
import { offeredFolders } from '#features/documents/uploads/publishing.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { useForm, type Destination, type Page as FormPage } from '#platform/forms/forms.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { copyItems } from './copying.server.ts';
import type { Filed } from './filing.ts';
import { moveForm, renameDocumentForm, renameForm } from './forms.server.ts';
import { moveItems, undoMove } from './moving.server.ts';
import { renameDocument, renameFolder } from './renaming.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/**
 * The page that renames, moves, copies and deletes: the documents named by `id`, or the folder named by `folder`; `to`
 * is another client to copy to, `q` a search for one. Undefined when nothing is chosen.
 */
export async function organizePage(page: Page) {
  const { pathTo, session } = page.locals;
  const { actor } = session;
  const query = page.url.searchParams;
  const undone = await undoing(page);
  if (undone) return undone;
  const items = await chosenItems(actor, query);
  const [first] = items;
  if (!first) return undefined;
  const to = query.get('to') ?? first.clientId;
  await assertActsFor(actor, to);
  const isOther = to !== first.clientId;
  const back = first.type === 'Document' ? pathTo('documents') : documentsUrl(pathTo, { folder: first.id });
  const rename = items.length === 1 ? await renaming(page, first, back) : undefined;
  if (rename instanceof Response) return rename;
  const move = await moving(page, items, { to, isOther });
  if (move instanceof Response) return move;
  const acted = await useActions(
    page,
    {
      'act=deleteFolder': async () => {
        if (first.type === 'Document') throw notFound();
        await trashFolder(actor, first.type, first.id);
        return done(documentsUrl(pathTo, { folder: first.parentId }), 'deleted', { name: first.name });
      },
    },
    ({ code }) =>
      code === 'LOCKED' || code === 'FORBIDDEN'
        ? {
            to: page.url.pathname + page.url.search,
            flash: {
              type: 'danger',
              namespace: 'filing',
              key: 'notDeleted',
              items: [{ name: first.name, codes: [code === 'LOCKED' ? code : 'NO_RIGHT'] }],
            },
          }
        : undefined,
  );
  if (acted) return acted;
  const search = query.get('q')?.slice(0, 200) ?? '';
  const addressWith = (name: string, value: string | undefined): string => {
    const changed = new URLSearchParams(query);
    changed.delete('q');
    changed.delete(name);
    if (value !== undefined) changed.set(name, value);
    return `${page.url.pathname}?${changed.toString()}`;
  };
  return {
    items,
    back,
    rename,
    move,
    isFolder: first.type !== 'Document',
    otherClient: isOther ? await clientName(actor, to) : undefined,
    ownUrl: addressWith('to', undefined),
    search,
    found: search === '' ? undefined : await findClients(actor, search),
    urlFor: (id: string) => addressWith('to', id),
    hidden: [...query].filter(([name]) => name !== 'q' && name !== 'to'),
  };
}

/** The button of the message that takes back a move. */
const undoing = (page: Page): Promise<Response | undefined> =>
  useActions(page, {
    'do=undoMove': async (_, form) => {
      const { lang, pathTo, session } = page.locals;
      const moved = form
        .getAll('id')
        .slice(0, MAX_UNDONE)
        .map((each) => {
          const [id = '', from = ''] = String(each).split('/');
          return { id, from };
        });
      const flash = flashOf(lang, await undoMove(session.actor, moved), [], false);
      const back = form.get('r');
      return {
        to:
          typeof back === 'string'
            ? safeRedirect(back, config.origin, `/${config.base}/`)
            : pathTo('documents'),
        flash: { ...flash, key: flash.key === 'moved' ? ('movedBack' as const) : flash.key },
      };
    },
  });

const MAX_UNDONE = 50;

interface Item {
  id: string;
  name: string;
  type: 'Document' | 'Project' | 'Folder';
  clientId: string;
  parentId: string | undefined;
}

async function chosenItems(actor: Actor, query: URLSearchParams): Promise<Item[]> {
  const folder = query.get('folder');
  if (folder !== null) {
    const row = await containersOf(actor).where('containers.container_id', '=', folder).executeTakeFirst();
    if (!row || row.container_type === 'client') throw notFound();
    const { container_id: id, name, client_id: clientId, parent_id: parent } = row;
    const parentId = parent === clientId ? undefined : (parent ?? undefined);
    return [{ id, name, type: row.container_type === 'project' ? 'Project' : 'Folder', clientId, parentId }];
  }
  const rows = await documentsNamed(actor, idsIn(query));
  return rows.map((row) => ({
    id: row.document_id,
    name: row.name,
    type: 'Document',
    clientId: row.client_id,
    parentId: row.container_id,
  }));
}

const done = (to: string, key: 'deleted' | 'renamed', vars: Record<string, string>): Destination => ({
  to,
  flash: { type: 'success', namespace: 'filing', key, vars },
});

function renaming(page: Page, { id, name, type }: Item, back: string) {
  const { actor } = page.locals.session;
  if (type === 'Document' && actor.staff)
    return useForm(page, renameDocumentForm, {
      values: { name },
      submit: async (input) => done(back, 'renamed', { name: (await renameDocument(actor, id, input)).name }),
    });
  return useForm(page, renameForm, {
    values: { name },
    submit: async ({ name: newName }) => {
      const renamed =
        type === 'Document'
          ? await renameDocument(actor, id, { name: newName, changeExtension: false })
          : await renameFolder(actor, type, id, newName);
      return done(back, 'renamed', { name: renamed.name });
    },
  });
}

async function moving(page: Page, items: readonly Item[], { to, isOther }: { to: string; isOther: boolean }) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const containers = await listContainers(actor, to);
  const targets = targetsOf(actor, lang, containers, to);
  return useForm(page, moveForm, {
    choices: {
      target: [{ value: '', text: '' }, ...targets.map(({ id, label }) => ({ value: id, text: label }))],
    },
    submit: async ({ target }, action) => {
      const place = targets.find(({ id }) => id === target);
      if (!place) throw notFound();
      const isDocument = (item: Item): boolean => item.type === 'Document';
      const input = {
        documentIds: items.filter(isDocument).map(({ id }) => id),
        folderIds: items.filter((item) => !isDocument(item)).map(({ id }) => id),
        containerId: place.id,
        containerType: place.type,
      };
      const isCopy = isOther || action === 'copy';
      const filed = isCopy ? await copyItems(actor, input) : await moveItems(actor, input);
      const folder = place.type === 'Client' ? undefined : place.id;
      const url = isOther ? pathTo('documents', { client: to, folder }) : documentsUrl(pathTo, { folder });
      const flash = flashOf(lang, filed, items, isCopy);
      return { to: url, flash: isCopy ? flash : { ...flash, ...undoOf(filed, items) } };
    },
  });
}

/** What undoes a move; nothing if an item got another name, which it would keep. */
function undoOf(filed: readonly Filed[], items: readonly Item[]): { undoMove?: string[] } {
  const moved = filed.filter(({ result }) => result === 'MOVED');
  if (moved.some(({ formerName }) => formerName !== undefined)) return {};
  const from = new Map(items.map(({ id, parentId, clientId }) => [id, parentId ?? clientId]));
  return { undoMove: moved.map(({ id }) => `${id}/${from.get(id) ?? ''}`) };
}

/** The containers to which the actor may add, by path; for staff not the client's own upload folder. */
function targetsOf(actor: Actor, lang: Lang, containers: readonly Container[], clientId: string) {
  const offered = actor.staff
    ? offeredFolders(containers)
    : containers.filter(
        ({ containerType, permissions }) => containerType !== 'Client' && permissions.addContents,
      );
  const root = containers.find(({ containerType }) => containerType === 'Client');
  const pathOf = (id: string): string =>
    breadcrumbsTo(containers, id)
      .map((each) => folderTitle(lang, actor.staff, each))
      .join(' / ');
  return [
    ...((root?.permissions.addContents ?? true)
      ? [{ id: clientId, type: CONTAINER_TYPES.client, label: translationsFor(lang, 'filing')('atTop') }]
      : []),
    ...offered.map(({ id, containerType }) => ({ id, type: containerType, label: pathOf(id) })),
  ];
}

function flashOf(lang: Lang, filed: readonly Filed[], items: readonly Item[], isCopy: boolean) {
  const isDone = ({ result }: Filed): boolean => ['MOVED', 'COPIED', 'STARTED'].includes(result);
  const failed = filed.filter((each) => !isDone(each));
  const isStarted = filed.some(({ result }) => result === 'STARTED');
  const nameOf = (id: string): string =>
    items.find((item) => item.id === id)?.name ?? translationsFor(lang, 'filing')('anItem');
  const details = [
    ...failed.map(({ id, result }) => ({
      name: nameOf(id),
      codes: [result === 'FORBIDDEN' ? 'NO_RIGHT' : result],
    })),
    ...filed.flatMap(({ name = '', formerName }) =>
      formerName === undefined ? [] : [{ name, codes: ['NUMBERED'] }],
    ),
  ];
  const key =
    failed.length > 0
      ? isCopy
        ? 'notCopied'
        : 'notMoved'
      : isStarted
        ? 'started'
        : isCopy
          ? 'copied'
          : 'moved';
  return {
    type:
      failed.length === 0
        ? ('success' as const)
        : failed.length < filed.length
          ? ('info' as const)
          : ('danger' as const),
    namespace: 'filing' as const,
    key,
    vars: { count: failed.length > 0 ? failed.length : filed.length },
    items: details,
  };
}

async function clientName(actor: Actor, clientId: string): Promise<string> {
  const { name } = await clientIdsOf(actor)
    .select('clients.name')
    .where('clients.client_id', '=', clientId)
    .executeTakeFirstOrThrow();
  return name;
}

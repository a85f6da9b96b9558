import { idsIn } from '#features/documents/documents/chosen.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { flashCookie, type Flash } from '#platform/http/flash.server.ts';
import { formOf } from '#platform/forms/form.server.ts';
import { useList } from '#platform/forms/lists.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { listDeletedFolders, restoreFolder } from './folder-trash.server.ts';
import { trashList } from './lists.server.ts';
import { listTrash, purgeDocuments, restoreDocuments, trashedByIds } from './trash.server.ts';

interface Page {
  request: Request;
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

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

/**
 * The trash of a client: one page of it, or the question before the chosen documents are removed for good. The
 * answer to its form restores or removes them.
 */
export async function trashOfPage(page: Page, clientId: string | undefined) {
  const { request, url, locals } = page;
  const posted = request.method === 'POST' ? await formOf(request) : undefined;
  const query = posted ?? url.searchParams;
  const ids = idsIn(query);
  const act = query.get('do');
  const folder = posted?.get('folder');
  if (typeof folder === 'string') return restoreWhole(page, folder);
  const chosen = await trashedByIds(locals.session.actor, ids);
  if (posted && ids.length > 0 && act === 'restore') return restore(page, ids, posted.get('r'));
  if (posted && ids.length > 0 && act === 'purge') return purge(page, ids);
  const asksToPurge = !posted && act === 'purge' && chosen.length > 0;
  const { query: position, pager } = useList(page, trashList);
  return {
    ids,
    chosen,
    asksToPurge,
    /** A button was pressed and nothing was chosen. */
    lacksChoice: posted !== undefined || (act === 'purge' && !asksToPurge),
    page:
      clientId !== undefined && !asksToPurge
        ? await listTrash(locals.session.actor, clientId, position.from)
        : undefined,
    folders:
      clientId !== undefined && !asksToPurge ? await listDeletedFolders(locals.session.actor, clientId) : [],
    pager,
  };
}

async function restoreWhole({ locals: { pathTo, session } }: Page, folderId: string): Promise<Response> {
  const { name } = await restoreFolder(session.actor, folderId);
  return redirectTo(pathTo('documents', { folder: folderId }), [
    flashCookie({ type: 'success', namespace: 'trash', key: 'folderRestored', vars: { name } }),
  ]);
}

async function restore(
  { locals: { lang, pathTo, session } }: Page,
  ids: string[],
  back: FormDataEntryValue | null,
): Promise<Response> {
  const outcomes = await restoreDocuments(session.actor, ids);
  const restored = outcomes.filter(({ result }) => result === 'RESTORED');
  const failed = outcomes
    .filter(({ result }) => result !== 'RESTORED')
    .map(({ name, result }) => ({
      name: name ?? translationsFor(lang, 'trash')('aDocument'),
      codes: [result === 'FORBIDDEN' ? 'STAFF_DELETED' : 'NOT_FOUND'],
    }));
  const changed = restored.flatMap(({ name = '', formerName, moved }) =>
    formerName === undefined && !moved
      ? []
      : [{ name, codes: [...(formerName === undefined ? [] : ['RENAMED']), ...(moved ? ['MOVED'] : [])] }],
  );
  if (failed.length > 0)
    return backTo(back, pathTo('documents/trash'), {
      type: restored.length > 0 ? 'info' : 'danger',
      key: 'restoreErrorCount',
      count: failed.length,
      items: [...failed, ...changed],
    });
  return backTo(back, pathTo('documents/trash'), {
    type: changed.length > 0 ? 'info' : 'success',
    key: changed.length > 0 ? 'restoredOtherwise' : 'restored',
    count: restored.length,
    items: changed,
  });
}

async function purge({ locals: { lang, pathTo, session } }: Page, ids: string[]): Promise<Response> {
  const outcomes = await purgeDocuments(session.actor, ids);
  const failed = outcomes
    .filter(({ result }) => result !== 'PURGED')
    .map(({ name, result }) => ({
      name: name ?? translationsFor(lang, 'trash')('aDocument'),
      codes: [result === 'FORBIDDEN' ? 'STAFF_DELETED' : result === 'LOCKED' ? 'LOCKED' : 'NOT_FOUND'],
    }));
  const here = pathTo('documents/trash');
  if (failed.length === 0)
    return backTo(null, here, { type: 'success', key: 'purged', count: outcomes.length, items: [] });
  return backTo(null, here, {
    type: failed.length < outcomes.length ? 'info' : 'danger',
    key: 'purgeErrorCount',
    count: failed.length,
    items: failed,
  });
}

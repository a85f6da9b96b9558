import { idsIn } from '#features/documents/documents/chosen.server.ts';
import { documentsByIds } from '#features/documents/documents/documents.server.ts';
import { setReading } from '#features/documents/documents/reading.server.ts';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import type { Container } from '#features/documents/folders/folders.ts';
import { folderForm, topFolderForm } from '#features/documents/folders/forms.server.ts';
import { itemPermissionsIn } from '#features/documents/folders/roles.server.ts';
import { folderTitle } from '#features/documents/folders/titles.server.ts';
import { containerTree } from '#features/documents/folders/tree.server.ts';
import { breadcrumbsTo } from '#features/documents/folders/tree.ts';
import { isReadOnly, type Actor } from '#features/base/people/people.ts';
import { targetOf } from '#features/documents/uploads/upload-target.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { flashCookie } from '#platform/http/flash.server.ts';
import { formOf } from '#platform/forms/form.server.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { documentsUrl, listOfPage } from './list-page.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/**
 * The documents page of a client: its list, its folders, where uploads go and the form for a new folder. The
 * answer to what is posted to it makes a folder or does something with the chosen documents. Undefined without a
 * client; NOT_FOUND for a folder that is not the client's and for a linked document that the person may not see.
 */
export async function documentsPage(page: Page, clientId: string | undefined) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const linked = await linkedDocument(actor, page.url.searchParams.get('document'));
  if (clientId === undefined) return undefined;
  const containerPermissions = await itemPermissionsIn(actor, { clientId });
  const list = await listOfPage(actor, clientId, { url: page.url, pathTo, containerPermissions });
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
  const form = await newFolderForm(page, { clientId, folder, returnTo });
  if (form instanceof Response) return form;
  const acted = await actOnChosen(page);
  if (acted) return acted;
  const mayAddFolders = actor.staff ? !isReadOnly(actor) : actor.access.controls.has('AddFolder');
  return {
    ...list,
    containers,
    openFolder: folder,
    /** The open folder, or the client itself where none is open. */
    container,
    title: folder && folderTitle(lang, actor.staff, folder),
    way: breadcrumbsTo(containers, folder?.id),
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

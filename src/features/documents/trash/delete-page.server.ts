import { formOf } from '#platform/forms/form.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { backTo } from './trash-page.server.ts';
import { idsIn } from '#features/documents/documents/chosen.server.ts';
import { chosenToDelete, trashDocuments } from './trash.server.ts';

interface Page {
  request: Request;
  url: URL;
  response: { status?: number };
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

const CODES = { FORBIDDEN: 'STAFF_UPLOAD', LOCKED: 'LOCKED', NOT_FOUND: 'NOT_FOUND', DELETED: '' } as const;

/** The documents that the page asks whether to delete; the answer to its form deletes them. */
export async function deletePage({ request, url, response, locals }: Page) {
  const { lang, pathTo, session } = locals;
  const posted = request.method === 'POST' ? await formOf(request) : undefined;
  const ids = idsIn(posted ?? url.searchParams);
  const { docs, locked, staffUploads } = await chosenToDelete(session.actor, ids);
  const all = [...docs, ...locked, ...staffUploads];
  const placed = ({ name: _, ...place }: (typeof all)[number]) => place;
  const chosen = { docs: [...docs, ...locked].map(placed), staffUploads: staffUploads.map(placed) };
  if (!posted || ids.length === 0) {
    if (posted) response.status = 422;
    return { docs, locked, staffUploads, all, chosen };
  }
  const outcomes = all.length === 0 ? [] : await trashDocuments(session.actor, chosen);
  const deleted = outcomes.filter(({ result }) => result === 'DELETED').map(({ id }) => id);
  const failed = ids
    .filter((id) => !deleted.includes(id))
    .map((id) => ({
      name: all.find(({ Id }) => Id === id)?.name ?? translationsFor(lang, 'trash')('aDocument'),
      codes: [CODES[outcomes.find((outcome) => outcome.id === id)?.result ?? 'NOT_FOUND']],
    }));
  if (failed.length === 0)
    return backTo(null, pathTo('documents'), {
      type: 'success',
      key: 'deleteDocumentsSuccessAlertMsg',
      count: deleted.length,
      items: [],
      undo: deleted,
    });
  return backTo(null, pathTo('documents'), {
    type: deleted.length > 0 ? 'info' : 'danger',
    key: 'documentsDeleteErrorCount',
    count: failed.length,
    items: failed,
    undo: deleted,
  });
}

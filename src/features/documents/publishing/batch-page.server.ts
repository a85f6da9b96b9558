import { findClients } from '#features/clients/clients/client-search.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { useForm, type Destination, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { useList } from '#platform/forms/lists.server.ts';
import { readTabular } from '#platform/tabular/read-tabular.server.ts';
import type { KeysOf } from '#platform/text/translations.server.ts';
import {
  assignFile,
  batchById,
  continueWithRest,
  deleteBatch,
  listFiles,
  PAGE,
  removeFile,
} from './batches.server.ts';
import { listForm } from './forms.server.ts';
import { fileList } from './lists.server.ts';
import { matchByList, startMatching, stopMatching } from './matching.server.ts';
import { openingsOf } from './openings.server.ts';
import { startPublishing, undoPublishing } from './publish.server.ts';
import { namedClients, reviewOf } from './review.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** A batch: its files with their clients and problems; the answer to its forms changes, publishes or undoes it. */
export async function batchPage(page: Page, batchId: string) {
  const { pathTo, session } = page.locals;
  const { actor } = session;
  const here = pathTo(`staff/publish/${batchId}`);
  const batch = await batchById(actor, batchId);
  const form = await useForm(page, listForm, {
    submit: async ({ list: [file] }) => {
      const unknown = await matchByList(actor, batchId, await linesOf(actor, file));
      const lines = unknown.slice(0, 20).join(', ');
      return unknown.length === 0
        ? to(here, 'listUsed')
        : to(here, 'listUnknown', { count: unknown.length, lines }, 'info');
    },
  });
  if (form instanceof Response) return form;
  const acted = await useActions(
    page,
    {
      'act=match': async () => {
        await startMatching(actor, batchId);
        return { to: here };
      },
      'act=stop': async () => {
        await stopMatching(actor, batchId);
        return { to: here };
      },
      'act=publish': async () => {
        await startPublishing(actor, batchId);
        return to(here, 'started');
      },
      'act=undo': async () => {
        const isUnseen = (await batchById(actor, batchId)).notified === null;
        const count = await undoPublishing(actor, batchId);
        return to(here, isUnseen ? 'takenBack' : 'undone', { count });
      },
      'act=rest': async () => ({
        to: pathTo(`staff/publish/${await continueWithRest(actor, batchId)}`),
      }),
      'act=delete': async () => {
        await deleteBatch(actor, batchId);
        return to(pathTo('staff/publish'), 'deletedBatch');
      },
      remove: async (fileId) => {
        await removeFile(actor, batchId, fileId);
        return to(here, 'removed');
      },
      use: async (chosen) => {
        const [fileId = '', clientId = ''] = chosen.split(':');
        await assignFile(actor, batchId, { fileId, clientId });
        return { to: page.url.pathname + page.url.search };
      },
      assign: async (clientId, posted) => {
        await assignFile(actor, batchId, { fileId: String(posted.get('file')), clientId });
        return to(here, 'assigned', { name: String(posted.get('name')) });
      },
    },
    ({ code }) =>
      code === 'EDIT_CONFLICT' || code === 'GONE' || code === 'EMPTY'
        ? to(here, 'changed', {}, 'danger')
        : undefined,
  );
  if (acted) return acted;
  const { query, pager } = useList(page, fileList);
  const files = await listFiles(actor, batchId, query.from);
  const fileId = page.url.searchParams.get('file');
  const choosing = fileId === null ? undefined : files.find(({ id }) => id === fileId);
  if (fileId !== null && !choosing) throw notFound();
  const search = page.url.searchParams.get('q')?.slice(0, 200) ?? '';
  const isDelivered = batch.published > 0;
  return {
    batch,
    named: await namedClients(actor, files),
    review: await reviewOf(actor, batchId),
    openings: isDelivered ? await openingsOf(actor, batchId) : [],
    isAskingToUndo: batch.isUndoable && page.url.searchParams.has('undo'),
    minutesLeft: Math.max(0, Math.ceil((Date.parse(batch.notifyDate ?? '') - now()) / MINUTE) || 0),
    form,
    files,
    pager: pager(batch.files, PAGE),
    isOpen: batch.state === 'open',
    choosing,
    search,
    found: search === '' ? undefined : await findClients(actor, search),
  };
}

const to = (
  address: string,
  key: KeysOf<'publishing'>,
  vars: Record<string, string | number> = {},
  type: 'success' | 'info' | 'danger' = 'success',
): Destination => ({ to: address, flash: { type, namespace: 'publishing', key, vars } });

/** The lines of a list: file names in the first column, client numbers in the second, perhaps folders in the third. */
async function linesOf(
  { contactId, companyId }: Actor,
  file: File | undefined,
): Promise<{ line: number; file: string; number: string; folder: string }[]> {
  const bytes = new Uint8Array((await file?.arrayBuffer()) ?? new ArrayBuffer(0));
  const table = await readTabular(bytes, { person: contactId, firm: companyId });
  if ('refused' in table || table.columns.length < 2) throw new PortalError('INVALID');
  return table.rows.map(({ line, cells: [name = '', number = '', folder = ''] }) => ({
    line,
    file: name,
    number,
    folder,
  }));
}

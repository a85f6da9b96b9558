import { useActions } from '#platform/actions.server.ts';
import type { Page as FormPage } from '#platform/forms.server.ts';
import { useList } from '#platform/lists.server.ts';
import { listInbox, markDone, setMine, undoDone } from './inbox.server.ts';
import { inboxList } from './lists.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

const pickedIn = (posted: FormData): string[] => posted.getAll('id').map(String);

/**
 * The inbox: its rows, whose they are, and how many; the answer when rows are marked. `undo` is the moment by which
 * the last ones can be returned.
 */
export async function inboxPage(page: Page) {
  const { actor } = page.locals.session;
  const list = useList(page, inboxList);
  const back = (query: Record<string, string> = {}): string => {
    const url = new URL(list.urlFor({ pageNum: list.query.pageNum }), page.url);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url.pathname + url.search;
  };
  const finish = async (ids: readonly string[]) => {
    const { at, count } = await markDone(actor, ids);
    return { to: back(count > 0 ? { undo: String(at), count: String(count) } : {}) };
  };
  const dismiss = async (ids: readonly string[]) => {
    await setMine(actor, ids, false);
    return { to: back() };
  };
  const response = await useActions(page, {
    undo: async (at) => {
      await undoDone(actor, Number(at));
      return { to: back() };
    },
    done: (id) => finish([id]),
    'not-mine': (id) => dismiss([id]),
    mine: async (id) => {
      await setMine(actor, [id], true);
      return { to: back() };
    },
    'all-done': (_, posted) => finish(pickedIn(posted)),
    'all-not-mine': (_, posted) => dismiss(pickedIn(posted)),
  });
  if (response) return response;
  const inbox = await listInbox(actor, list.query);
  const [undo, count] = [page.url.searchParams.get('undo'), Number(page.url.searchParams.get('count'))];
  return {
    ...inbox,
    urlFor: list.urlFor,
    pager: list.pager(inbox.total, inbox.pageSize),
    undo: undo !== null && /^\d{1,15}$/.test(undo) && count > 0 ? { at: undo, count } : undefined,
  };
}

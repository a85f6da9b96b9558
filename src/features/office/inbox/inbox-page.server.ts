import { useActions } from '#platform/forms/actions.server.ts';
import type { Page as FormPage } from '#platform/forms/forms.server.ts';
import { useList } from '#platform/forms/lists.server.ts';
import { listInbox, markDone, markNotMine, setRead, undoDone, undoNotMine } from './inbox.server.ts';
import { MAX_COUNTED } from './inbox.ts';
import { inboxList } from './lists.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

const pickedIn = (posted: FormData): string[] => posted.getAll('id').map(String);

/** What can be undone right after it was done, by the parameter of the address that names its moment. */
const MARKS = {
  done: { mark: markDone, undo: undoDone },
  'not-mine': { mark: markNotMine, undo: undoNotMine },
} as const;
export type UndoableMark = keyof typeof MARKS;

/**
 * The inbox: its rows, whose they are, and how many; the answer when rows are marked. `undo` is what
 * was marked last, and the moment by which that can be undone.
 */
export async function inboxPage(page: Page) {
  const { actor } = page.locals.session;
  const list = useList(page, inboxList);
  const back = (query: Record<string, string> = {}): string => {
    const url = new URL(list.urlFor({ after: list.query.after }), page.url);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url.pathname + url.search;
  };
  const mark = async (what: UndoableMark, ids: readonly string[]) => {
    const { at, count } = await MARKS[what].mark(actor, ids);
    return { to: back(count > 0 ? { [what]: String(at), count: String(count) } : {}) };
  };
  const undoMark = async (what: UndoableMark, at: string) => {
    await MARKS[what].undo(actor, Number(at));
    return { to: back() };
  };
  const read = async (posted: FormData, isRead: boolean) => {
    await setRead(actor, pickedIn(posted), isRead);
    return { to: back() };
  };
  const response = await useActions(page, {
    'undo-done': (at) => undoMark('done', at),
    'undo-not-mine': (at) => undoMark('not-mine', at),
    done: (id) => mark('done', [id]),
    'not-mine': (id) => mark('not-mine', [id]),
    'all-done': (_, posted) => mark('done', pickedIn(posted)),
    'all-not-mine': (_, posted) => mark('not-mine', pickedIn(posted)),
    'all-read': (_, posted) => read(posted, true),
    'all-unread': (_, posted) => read(posted, false),
  });
  if (response) return response;
  const inbox = await listInbox(actor, list.query);
  return {
    ...inbox,
    kind: list.query.kind,
    isMore: inbox.total >= MAX_COUNTED,
    urlFor: list.urlFor,
    pager: list.placePager({ ...inbox, shown: inbox.items.length, isMore: inbox.total >= MAX_COUNTED }),
    undo: undoIn(page.url.searchParams),
  };
}

/** The last mark, which the address names. */
function undoIn(query: URLSearchParams): { what: UndoableMark; at: string; count: number } | undefined {
  const count = Number(query.get('count'));
  for (const what of ['done', 'not-mine'] as const) {
    const at = query.get(what) ?? '';
    if (/^\d{1,15}$/.test(at) && Number.isSafeInteger(count) && count > 0) return { what, at, count };
  }
  return undefined;
}

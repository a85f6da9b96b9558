import { useActions } from '#platform/forms/actions.server.ts';
import type { Page as FormPage } from '#platform/forms/forms.server.ts';
import { useList } from '#platform/forms/lists.server.ts';
import { notificationList } from './lists.server.ts';
import {
  countUnread,
  listNotifications,
  markAllRead,
  markRead,
  putAway,
  takeOut,
  undo,
  type Marked,
} from './notifications.server.ts';
import type { ListedState } from './notifications.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'session'>;
}

/** What can be undone right after it was done, by the parameter of the address that names its moment. */
const UNDOABLE = ['read', 'put-away'] as const;
export type Undoable = (typeof UNDOABLE)[number];

/** The page of what the actor was told; the answer when rows are marked. `undoing` is what was marked last. */
export async function notificationsPage(page: Page) {
  const { actor } = page.locals.session;
  const list = useList(page, notificationList);
  const back = (query: Record<string, string> = {}): { to: string } => {
    const url = new URL(list.urlFor({ before: list.query.before }), page.url);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return { to: url.pathname + url.search };
  };
  const done = (what: Undoable, { at, count }: Marked) =>
    back(count > 0 ? { [what]: String(at), count: String(count) } : {});
  const chosen = (posted: FormData): string[] => posted.getAll('id').map(String);
  const response = await useActions(page, {
    undo: async (at) => {
      await undo(actor, Number(at));
      return back();
    },
    read: async (id) => done('read', await markRead(actor, [id])),
    'put-away': async (id) => done('put-away', await putAway(actor, [id])),
    'take-out': async (id) => {
      await takeOut(actor, [id]);
      return back();
    },
    'all-read': async (upTo) => done('read', await markAllRead(actor, Number(upTo))),
    'these-read': async (_, posted) => done('read', await markRead(actor, chosen(posted))),
    'these-put-away': async (_, posted) => done('put-away', await putAway(actor, chosen(posted))),
  });
  if (response) return response;
  const unread = await countUnread(actor);
  const state: ListedState = list.query.state || (unread > 0 ? 'unread' : 'all');
  const { items, next } = await listNotifications(actor, { state, before: list.query.before });
  return {
    items,
    state,
    unread,
    newest: Math.max(0, ...items.map(({ changedAt }) => changedAt)),
    urlFor: list.urlFor,
    olderUrl: next && list.urlFor({ before: next }),
    isFirst: list.query.before === '',
    undoing: undoingIn(page.url.searchParams),
  };
}

/** The last mark, which the address names. */
function undoingIn(query: URLSearchParams): { what: Undoable; at: string; count: number } | undefined {
  const count = Number(query.get('count'));
  for (const what of UNDOABLE) {
    const at = query.get(what) ?? '';
    if (/^\d{1,15}$/.test(at) && Number.isSafeInteger(count) && count > 0) return { what, at, count };
  }
  return undefined;
}

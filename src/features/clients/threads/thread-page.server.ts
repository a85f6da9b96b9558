import type { NoticeRecipients } from '#features/clients/notice-recipients/recipients.server.ts';
import { withRecipients } from '#features/clients/notice-recipients/sentences.server.ts';
import { isReadOnly } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { unlessStorageIsFull } from '#platform/runtime/errors.server.ts';
import {
  useForm,
  type Destination,
  type DraftStore,
  type Page as FormPage,
} from '#platform/forms/forms.server.ts';
import { clientMessageForm, firmMessageForm } from './forms.server.ts';
import { MESSAGES_A_PAGE, type Message } from './threads.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'session'>;
}

/** The messages about one thing, for an actor. */
export interface Thread {
  /** Whether anything can still be written, and is marked as read. */
  isOpen: boolean;
  add: (text: string, isInternal: boolean) => Promise<unknown>;
  /** NOT_FOUND unless the actor wrote it, FORBIDDEN after 15 minutes. */
  withdraw: (messageId: string) => Promise<void>;
  count: () => Promise<number>;
  /** The messages from a number on, the oldest first. */
  list: (from: number, total: number) => Promise<readonly Message[]>;
  /** The ids of those that the actor has not read. */
  unread: () => Promise<ReadonlySet<string>>;
  markRead: () => Promise<void>;
  /** Who of the client is notified of a message; undefined where the client writes. */
  recipients: () => Promise<NoticeRecipients | undefined>;
}

/** Where messages are shown. */
interface Context {
  /** The two sides by name. */
  names: { firm: string; client: string };
  draft: DraftStore | undefined;
}

/**
 * One page of a thread, with the form for another message. The answer to what is posted adds or withdraws one. Opening the
 * page marks the messages as read.
 */
export async function threadPage(page: Page, thread: Thread, { names, draft }: Context) {
  const { actor } = page.locals.session;
  const urlFor = (query: Record<string, string> = {}): string => {
    const url = new URL(page.url);
    for (const name of ['messages', 'delete']) url.searchParams.delete(name);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return `${url.pathname}${url.search}#messages`;
  };
  const backWith = (
    type: 'success' | 'info',
    key: 'sent' | 'noteAdded' | 'deleted' | 'tooLate',
  ): Required<Pick<Destination, 'to' | 'flash'>> => ({
    to: urlFor(),
    flash: { type, namespace: 'threads', key, vars: names },
  });
  const send = async (text: string, isInternal: boolean): Promise<Destination> => {
    await thread.add(text, isInternal);
    const { to, flash } = backWith('success', isInternal ? 'noteAdded' : 'sent');
    if (isInternal) return { to, flash };
    return { to, flash: withRecipients(page.locals.lang, flash, await thread.recipients()) };
  };
  const form = actor.staff
    ? await useForm(page, firmMessageForm, {
        values: { audience: 'both' },
        vars: names,
        draft,
        submit: ({ text, audience }) => send(text, audience === 'firm'),
      })
    : await useForm(page, clientMessageForm, { vars: names, draft, submit: ({ text }) => send(text, false) });
  if (form instanceof Response) return form;
  const done = await useActions(
    page,
    {
      delete: async (messageId) => {
        await thread.withdraw(messageId);
        return backWith('success', 'deleted');
      },
    },
    ({ code }) => (code === 'FORBIDDEN' ? backWith('info', 'tooLate') : undefined),
  );
  if (done) return done;
  const total = await thread.count();
  const newest = Math.floor(Math.max(0, total - 1) / MESSAGES_A_PAGE);
  const wanted = Number(page.url.searchParams.get('messages') ?? newest);
  const shown = Math.min(Math.max(0, Math.trunc(wanted) || 0), newest);
  const from = shown * MESSAGES_A_PAGE;
  const unread = await thread.unread();
  const items = await thread.list(from, total);
  // Staff also clear the inbox, where a row may have been put back.
  const isRead = unread.size === 0 && !actor.staff;
  if (page.request.method === 'GET' && thread.isOpen && !isRead)
    await unlessStorageIsFull(() => thread.markRead());
  const deleteId = page.url.searchParams.get('delete');
  return {
    /** Undefined where nothing can be written: on what was deleted, and for those who only read. */
    form: thread.isOpen && !isReadOnly(actor) ? form : undefined,
    recipients: await thread.recipients(),
    urlFor,
    items,
    total,
    from,
    previousUrl: shown > 0 ? urlFor({ messages: String(shown - 1) }) : undefined,
    nextUrl: shown < newest ? urlFor({ messages: String(shown + 1) }) : undefined,
    /** What the reader had not read before. */
    unread,
    /** The message that the page asks whether to delete. */
    toDelete: items.find(({ id, permissions }) => permissions.delete && id === deleteId),
  };
}

/** What a page shows of a thread. */
export type ThreadView = Exclude<Awaited<ReturnType<typeof threadPage>>, Response>;

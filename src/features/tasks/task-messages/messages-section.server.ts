import { recipientsOf } from '#features/clients/notice-recipients/recipients.server.ts';
import { withRecipients } from '#features/clients/notice-recipients/sentences.server.ts';
import { isReadOnly } from '#features/base/people/people.ts';
import { taskRow, visibleTypes } from '#features/tasks/tasks/scope.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { unlessStorageIsFull } from '#platform/runtime/errors.server.ts';
import {
  useForm,
  type Destination,
  type DraftStore,
  type Page as FormPage,
} from '#platform/forms/forms.server.ts';
import { clientMessageForm, firmMessageForm } from './forms.server.ts';
import {
  addTaskMessage,
  countTaskMessages,
  listTaskMessages,
  withdrawTaskMessage,
} from './messages.server.ts';
import { markMessagesRead, unreadOn } from './reading.server.ts';
import { MESSAGES_A_PAGE } from './task-messages.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'session'>;
}

/** Where messages are shown. */
interface Context {
  /** The two sides by name. */
  names: { firm: string; client: string };
  draft: DraftStore | undefined;
}

/**
 * One page of the messages on a task, with the form for another one. The answer to what is posted adds or withdraws one.
 * Opening the page marks them as read. NOT_FOUND.
 */
export async function messagesSection(page: Page, taskId: string, { names, draft }: Context) {
  const { actor } = page.locals.session;
  const {
    deleted_at: deletedAt,
    client_id: clientId,
    type,
  } = await taskRow(actor, taskId, { withDeleted: true });
  /** Who of the client is notified of a message; undefined where the client writes. */
  const recipients = async () =>
    actor.staff
      ? await recipientsOf(actor, clientId, {
          kind: 'comment',
          maySee: (reader) => visibleTypes(reader).includes(type),
        })
      : undefined;
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
    flash: { type, namespace: 'task-messages', key, vars: names },
  });
  const send = async (text: string, isInternal: boolean): Promise<Destination> => {
    await addTaskMessage(actor, taskId, { text, isInternal });
    const { to, flash } = backWith('success', isInternal ? 'noteAdded' : 'sent');
    if (isInternal) return { to, flash };
    return { to, flash: withRecipients(page.locals.lang, flash, await recipients()) };
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
        await withdrawTaskMessage(actor, taskId, messageId);
        return backWith('success', 'deleted');
      },
    },
    ({ code }) => (code === 'FORBIDDEN' ? backWith('info', 'tooLate') : undefined),
  );
  if (done) return done;
  const total = await countTaskMessages(actor, taskId);
  const newest = Math.floor(Math.max(0, total - 1) / MESSAGES_A_PAGE);
  const wanted = Number(page.url.searchParams.get('messages') ?? newest);
  const shown = Math.min(Math.max(0, Math.trunc(wanted) || 0), newest);
  const from = shown * MESSAGES_A_PAGE;
  const unread = await unreadOn(actor, taskId);
  const { items } = await listTaskMessages(actor, taskId, { from, withDeleted: true, total });
  // Staff also clear the inbox, where a row may have been put back.
  const isRead = unread.size === 0 && !actor.staff;
  if (page.request.method === 'GET' && deletedAt === null && !isRead)
    await unlessStorageIsFull(() => markMessagesRead(actor, taskId));
  const deleteId = page.url.searchParams.get('delete');
  return {
    /** Undefined where nothing can be written: on a deleted task, and for those who only read. */
    form: deletedAt === null && !isReadOnly(actor) ? form : undefined,
    recipients: await recipients(),
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

/** What a page shows of the messages on a task. */
export type MessagesOnTask = Exclude<Awaited<ReturnType<typeof messagesSection>>, Response>;

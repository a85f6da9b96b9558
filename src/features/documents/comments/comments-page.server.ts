import { clientOfDocument, documentById } from '#features/documents/documents/documents.server.ts';
import { recipientsOf } from '#features/clients/notice-recipients/recipients.server.ts';
import { withRecipients } from '#features/clients/notice-recipients/sentences.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { Flash } from '#platform/http/flash.server.ts';
import { useForm, type DraftStore, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { commentForm } from './forms.server.ts';
import { addComment, listComments, removeComment } from './comments.server.ts';
import { commentsReadByContact, commentsReadByStaff } from './events.server.ts';
import { COMMENTS_A_PAGE } from './comments.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** Where comments are shown: to which client the page belongs, and the two sides by name. */
interface Context {
  clientId: string | undefined;
  names: { firm: string; client: string };
  draft: DraftStore | undefined;
  /** Where one is after adding a comment; their own page by default. */
  returnTo?: string;
}

/**
 * The comments on a document, one page of them, with the form for another one; the answer to what is posted adds or
 * deletes one. Leads to the page of the document's client where the tab is about another one.
 */
export async function commentsPage(
  page: Page,
  documentId: string,
  { clientId, names, draft, returnTo }: Context,
) {
  const { pathTo, session } = page.locals;
  const { actor } = session;
  const urlFor = (query: Record<string, string> = {}): string =>
    pathTo(`documents/${documentId}/comments`, query);
  const client = await clientOfDocument(actor, documentId);
  // A link in an email may be about another client than the active one; this tab then shows that one.
  if (clientId !== client && page.request.method !== 'POST') return redirectTo(urlFor({ client }));
  const backWith = (type: Flash['type'], key: 'added' | 'deleted' | 'tooLate') => ({
    to: urlFor(),
    flash: { type, namespace: 'notes' as const, key },
  });
  /** Who of the client is notified of a comment; undefined where the client writes. */
  const recipients = async () =>
    actor.staff ? await recipientsOf(actor, client, { kind: 'comment' }) : undefined;
  const form = await useForm(page, commentForm, {
    vars: { ...names },
    draft,
    submit: async ({ text }) => {
      await addComment(actor, { documentId, text });
      const { to, flash } = backWith('success', 'added');
      return { to: returnTo ?? to, flash: withRecipients(page.locals.lang, flash, await recipients()) };
    },
  });
  if (form instanceof Response) return form;
  const response = await useActions(
    page,
    {
      delete: async (commentId) => {
        await removeComment(actor, commentId);
        return backWith('success', 'deleted');
      },
    },
    ({ code }) => (code === 'FORBIDDEN' ? backWith('info', 'tooLate') : undefined),
  );
  if (response) return response;
  if (actor.staff) await commentsReadByStaff.announce({ companyId: actor.companyId, documentId });
  else if (actor.viewedBy === undefined)
    await commentsReadByContact.announce({ contactId: actor.contactId, documentId });
  const document = await documentById(actor, documentId);
  const newest = Math.floor(Math.max(0, document.commentsCount - 1) / COMMENTS_A_PAGE) * COMMENTS_A_PAGE;
  const position = Math.trunc(Number(page.url.searchParams.get('from') ?? newest)) || 0;
  const from = Math.min(Math.max(0, position), newest);
  const { items, total } = await listComments(actor, { documentId, from });
  const deleteId = page.url.searchParams.get('delete');
  return {
    document,
    form,
    recipients: await recipients(),
    urlFor,
    items,
    total,
    from,
    previousUrl: from > 0 ? urlFor({ from: String(from - COMMENTS_A_PAGE) }) : undefined,
    nextUrl: from < newest ? urlFor({ from: String(from + COMMENTS_A_PAGE) }) : undefined,
    /** The comment that the page asks whether to delete. */
    toDelete: items.find(({ id, permissions }) => permissions.delete && id === deleteId),
  };
}

import { clientOfDocument, documentById } from '#features/documents/documents/documents.server.ts';
import { documentsNamed as documentsSeen } from '#features/documents/documents/scope.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { mayWithdraw } from '#features/base/people/withdrawing.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { recordDone } from '#platform/mail/mail-log.server.ts';
import { encryptFor, decryptFrom } from '#platform/security/encryption.server.ts';
import { answerTo, tellOfComment } from './mails.server.ts';
import { commentAdded, commentRemoved } from './events.server.ts';
import {
  COMMENTS_A_PAGE,
  newComment,
  type Comment,
  type CommentPage,
  type CommentQuery,
  type NewComment,
} from './comments.ts';

/*
 * Comments between the people of a client and the firm about a document. They are part of the records: after
 * 15 minutes a comment stays as long as its document, and only those who can read the document see it
 * (docs/decisions/0029).
 */

const MAX_AN_HOUR = 60;

/**
 * Adds a comment to a document, and notifies the other side. NOT_FOUND for a document that the actor may not
 * see, TOO_MANY beyond 60 an hour.
 */
export async function addComment(actor: Actor, input: NewComment): Promise<Comment> {
  const { documentId, text } = newComment.parse(input);
  const { name, isNotSubmitted } = await documentById(actor, documentId);
  const clientId = await clientOfDocument(actor, documentId);
  await consume(`comments:${actor.contactId}`, MAX_AN_HOUR, HOUR);
  return inTransaction(async () => {
    const commentId = newId('comment');
    const row = {
      comment_id: commentId,
      company_id: actor.companyId,
      client_id: clientId,
      document_id: documentId,
      body: encryptFor('comments.body', commentId, text),
      created_by: actor.contactId,
      by_staff: actor.staff ? 1 : 0,
      created_at: now(),
    } as const;
    await db().insertInto('comments').values(row).execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'comment.added',
      target: documentId,
      clientId,
    });
    await recordDone([answerTo(documentId)], actor.contactId);
    // of what is not submitted the firm learns nothing
    if (!isNotSubmitted) {
      await commentAdded.announce({
        commentId,
        companyId: actor.companyId,
        clientId,
        documentId,
        name,
        byStaff: actor.staff,
      });
      await tellOfComment(row);
    }
    return present(actor, { ...row, full_name: actor.fullName });
  });
}

/**
 * Lists the comments on a document, the oldest first, 100 a page; NOT_FOUND for one that the actor may not
 * see.
 */
export async function listComments(actor: Actor, { documentId, from }: CommentQuery): Promise<CommentPage> {
  const { commentsCount: total } = await documentById(actor, documentId);
  const rows = await withAuthors()
    .where('comments.document_id', '=', documentId)
    .orderBy('comments.created_at')
    .orderBy('comments.comment_id')
    .limit(COMMENTS_A_PAGE)
    .offset(from)
    .execute();
  return {
    items: rows.map((row) => present(actor, row)),
    pageIndex: Math.floor(from / COMMENTS_A_PAGE),
    totalPages: Math.max(1, Math.ceil(total / COMMENTS_A_PAGE)),
    total,
  };
}

/**
 * Counts the comments on each of these documents, in their order; 0 for documents that the actor may not see.
 */
export async function countComments(
  actor: Actor,
  ids: readonly string[],
): Promise<{ id: string; count: number }[]> {
  const counts = new Map(
    (await documentsSeen(actor, ids)).map(({ document_id: id, comments_count: count }) => [id, count]),
  );
  return ids.map((id) => ({ id, count: counts.get(id) ?? 0 }));
}

/**
 * Withdraws a comment. NOT_FOUND unless the actor wrote it, FORBIDDEN after 15 minutes: then it is part of
 * the records.
 */
export async function removeComment(actor: Actor, commentId: string): Promise<void> {
  await inTransaction(async () => {
    const row = await db()
      .selectFrom('comments')
      .select(['document_id', 'client_id', 'created_by', 'created_at'])
      .where('comment_id', '=', commentId)
      .where('created_by', '=', actor.contactId)
      .executeTakeFirst();
    if (!row) throw notFound();
    await clientOfDocument(actor, row.document_id);
    if (!mayWithdraw(actor, row)) throw new PortalError('FORBIDDEN');
    await db().deleteFrom('comments').where('comment_id', '=', commentId).execute();
    await commentRemoved.announce({ commentId });
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'comment.removed',
      target: row.document_id,
      clientId: row.client_id,
    });
  });
}

/** Removes the comments on documents that are removed permanently. */
export async function removeCommentsOn(documentIds: readonly string[]): Promise<void> {
  await db().deleteFrom('comments').where('document_id', 'in', documentIds).execute();
}

const withAuthors = () =>
  db()
    .selectFrom('comments')
    .innerJoin('contacts', 'contacts.contact_id', 'comments.created_by')
    .selectAll('comments')
    .select('contacts.full_name');
type CommentRow = Awaited<ReturnType<ReturnType<typeof withAuthors>['execute']>>[number];

const present = (actor: Actor, row: CommentRow): Comment => ({
  id: row.comment_id,
  documentId: row.document_id,
  text: decryptFrom('comments.body', row.comment_id, row.body),
  createdBy: row.full_name,
  role: row.by_staff ? 'Firm' : 'Client',
  createdDate: new Date(row.created_at).toISOString(),
  permissions: { delete: mayWithdraw(actor, row) },
});

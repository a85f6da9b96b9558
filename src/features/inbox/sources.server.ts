import { reviewFinished, reviewWaits } from '#features/access-review/events.server.ts';
import { commentAdded, commentRemoved, commentsReadByStaff } from '#features/comments/events.server.ts';
import {
  documentAdded,
  documentDamaged,
  documentRepaired,
  documentRestored,
  documentsDeleted,
  documentsHandled,
  type UploadedDocument,
} from '#features/documents/events.server.ts';
import { invitationSettled } from '#features/invitations/events.server.ts';
import { expiredInvitations } from '#features/invitations/expired.server.ts';
import { mailResent } from '#features/mails/events.server.ts';
import { linkRequested, linkSentAgain } from '#features/sharing/events.server.ts';
import { taskUnanswered } from '#features/task-reminders/events.server.ts';
import {
  taskMessageAdded,
  taskMessagesHandled,
  taskMessageWithdrawn,
} from '#features/task-messages/events.server.ts';
import { paymentReported, paymentUnclear } from '#features/payments/events.server.ts';
import { sealWaits, signingNeedsFirm, signingSettled } from '#features/signing/events.server.ts';
import { taskNotApplicable, taskSettled, taskSubmitted } from '#features/tasks/events.server.ts';
import { db } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { on } from '#platform/events.server.ts';
import { mailChanged } from '#platform/mail-log.server.ts';
import { addToInbox, resolveGroup, resolveInInbox } from './items.server.ts';

/*
 * What fills the inbox and empties it: features below announce what came in and that it was handled, in the
 * transaction in which it happens. A feature that joins announces events of its own, and is added here.
 */

/** What a client uploaded waits until staff open it. */
async function addDocument({
  documentId,
  companyId,
  clientId,
  containerId,
  name,
  byStaff,
}: UploadedDocument): Promise<void> {
  if (byStaff) return;
  await addToInbox({ companyId, clientId, kind: 'documents', key: containerId, target: documentId, name });
}

export const subscriptions = [
  on(documentAdded, (document) => addDocument(document)),
  on(documentRestored, (document) => addDocument(document)),
  on(documentsHandled, ({ documentIds }) => resolveInInbox(documentIds)),
  on(documentDamaged, ({ documentId, companyId, clientId, containerId, name }) =>
    addToInbox({
      companyId,
      clientId,
      kind: 'damaged',
      key: containerId,
      target: damaged(documentId),
      name,
    }),
  ),
  on(documentRepaired, ({ documentId }) => resolveInInbox([damaged(documentId)])),
  on(documentsDeleted, ({ documentIds }) => resolveInInbox([...documentIds, ...documentIds.map(damaged)])),
  on(commentAdded, async ({ commentId, companyId, clientId, documentId, name, byStaff }) => {
    if (byStaff) await resolveGroup(companyId, 'comments', documentId);
    else
      await addToInbox({ companyId, clientId, kind: 'comments', key: documentId, target: commentId, name });
  }),
  on(commentsReadByStaff, ({ companyId, documentId }) => resolveGroup(companyId, 'comments', documentId)),
  on(commentRemoved, ({ commentId }) => resolveInInbox([commentId])),
  on(linkRequested, ({ companyId, clientId, recipientId, email, senderId }) =>
    addToInbox({
      companyId,
      clientId,
      kind: 'link-request',
      key: recipientId,
      target: recipientId,
      name: email,
      contactId: senderId,
    }),
  ),
  on(linkSentAgain, ({ recipientId }) => resolveInInbox([recipientId])),
  on(invitationSettled, ({ invitationId }) => resolveInInbox([invitationId])),
  on(mailChanged, async ({ mailId, companyId, clientId, state }) => {
    if (state !== 'bounced') return resolveInInbox([mailId]);
    if (companyId !== null) await addMail(mailId, companyId, clientId);
  }),
  on(taskSubmitted, async ({ taskId, companyId, clientId, label }) => {
    await resolveInInbox([unanswered(taskId)]);
    await addToInbox({ companyId, clientId, kind: 'task', key: taskId, target: taskId, name: label });
  }),
  on(taskNotApplicable, async ({ taskId, companyId, clientId, label }) => {
    await resolveInInbox([unanswered(taskId)]);
    await addToInbox({ companyId, clientId, kind: 'task', key: taskId, target: taskId, name: label });
  }),
  on(taskSettled, ({ taskId }) => resolveInInbox([taskId, unanswered(taskId)])),
  on(taskUnanswered, ({ taskId, companyId, clientId, label }) =>
    addToInbox({
      companyId,
      clientId,
      kind: 'task-unanswered',
      key: taskId,
      target: unanswered(taskId),
      name: label,
    }),
  ),
  on(taskMessageAdded, async ({ messageId, companyId, clientId, taskId, title, byStaff }) => {
    if (byStaff) await resolveGroup(companyId, 'task-message', taskId);
    else
      await addToInbox({
        companyId,
        clientId,
        kind: 'task-message',
        key: taskId,
        target: messageId,
        name: title,
      });
  }),
  on(taskMessagesHandled, ({ companyId, taskId }) => resolveGroup(companyId, 'task-message', taskId)),
  on(taskMessageWithdrawn, ({ messageId }) => resolveInInbox([messageId])),
  on(paymentReported, ({ taskId, companyId, clientId, name }) =>
    addToInbox({ companyId, clientId, kind: 'payment', key: taskId, target: taskId, name }),
  ),
  on(paymentUnclear, ({ taskId, companyId, clientId, name, eventId }) =>
    addToInbox({ companyId, clientId, kind: 'payment-unclear', key: taskId, target: eventId, name }),
  ),
  on(signingNeedsFirm, ({ signingId, taskId, companyId, clientId, title, senderId }) =>
    addToInbox({
      companyId,
      clientId,
      kind: 'signing',
      key: taskId,
      target: signingId,
      name: title,
      contactId: senderId,
    }),
  ),
  on(sealWaits, ({ signingId, companyId, title, senderId }) =>
    addToInbox({
      companyId,
      clientId: null,
      kind: 'seal-waits',
      key: companyId,
      target: sealWait(signingId),
      name: title,
      contactId: senderId,
    }),
  ),
  on(signingSettled, ({ signingId }) => resolveInInbox([signingId, sealWait(signingId)])),
  on(mailResent, ({ mailId }) => resolveInInbox([mailId])),
  on(reviewWaits, async ({ reviewId, companyId, notice }) => {
    const target = noticeOf(reviewId, notice);
    if (!(await wasInInbox(target)))
      await addToInbox({ companyId, clientId: null, kind: 'access-review', key: reviewId, target, name: '' });
  }),
  on(reviewFinished, ({ reviewId }) =>
    resolveInInbox([noticeOf(reviewId, 'started'), noticeOf(reviewId, 'ends')]),
  ),
];

const damaged = (documentId: string): string => `damaged-${documentId}`;

const unanswered = (taskId: string): string => `unanswered-${taskId}`;

const sealWait = (signingId: string): string => `seal-${signingId}`;

const noticeOf = (reviewId: string, notice: 'started' | 'ends'): string => `${reviewId}-${notice}`;

/** True also for what was marked as done, which must not come back. */
const wasInInbox = async (target: string): Promise<boolean> =>
  (await db()
    .selectFrom('inbox_items')
    .innerJoin('inbox_targets', 'inbox_targets.item_id', 'inbox_items.item_id')
    .select('inbox_items.item_id')
    .where('inbox_targets.target', '=', target)
    .executeTakeFirst()) !== undefined;

async function addMail(mailId: string, companyId: string, clientId: string | null): Promise<void> {
  const { recipient } = await db()
    .selectFrom('mails')
    .select('recipient')
    .where('mail_id', '=', mailId)
    .executeTakeFirstOrThrow();
  const name = decryptFrom('mails.recipient', mailId, recipient);
  await addToInbox({ companyId, clientId, kind: 'mail', key: mailId, target: mailId, name });
}

/** Puts invitations that expired since the last hours into the inbox. */
export async function addExpiredInvitations(): Promise<void> {
  for (const { invitationId, companyId, invitedBy, email } of await expiredInvitations()) {
    if (!(await wasInInbox(invitationId)))
      await addToInbox({
        companyId,
        clientId: null,
        kind: 'invitation',
        key: invitationId,
        target: invitationId,
        name: email,
        contactId: invitedBy,
      });
  }
}

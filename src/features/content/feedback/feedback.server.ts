import { articlesIn } from '#features/content/help/articles.server.ts';
import { isFor } from '#features/content/help/audience.ts';
import type { Actor } from '#features/base/people/people.ts';
import { DAY, HOUR, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG } from '#platform/text/languages.ts';
import { consume } from '#platform/security/limits.server.ts';
import { feedbackGiven, feedbackSettled } from './events.server.ts';
import type { Feedback, FeedbackPlace, Rating } from './feedback.ts';

const MAX_AN_HOUR = 5;
const KEPT_DAYS = 365;
const SWEPT = 500;

export const FEEDBACK_A_PAGE = 25;

/** Tells whether somebody may give feedback that is about no help article: where their firm asks for it. */
export const mayGiveGeneralFeedback = ({ access }: Pick<Actor, 'access'>): boolean =>
  access.flags.feedbackRequest;

/** Tells whether somebody may read the feedback that people gave to the firm. */
export const mayReadFeedback = ({ staff, access }: Pick<Actor, 'staff' | 'access'>): boolean =>
  staff && access.permissions.has('ManageFirm');

/**
 * Checks what feedback would be about: NOT_FOUND for an article that the actor does not see, FORBIDDEN for feedback about
 * no article where the firm does not ask for it.
 */
export function checkPlace(actor: Actor, { article }: FeedbackPlace): void {
  if (article === undefined) {
    if (!mayGiveGeneralFeedback(actor)) throw new PortalError('FORBIDDEN');
    return;
  }
  const found = articlesIn(DEFAULT_LANG).get(article);
  if (!found || !isFor(found, { actor })) throw notFound();
}

/** Stores feedback; that of contacts also waits in the firm's inbox. TOO_MANY after five in an hour. */
export async function giveFeedback(
  actor: Actor,
  { rating, message, place }: { rating: Rating; message: string; place: FeedbackPlace },
): Promise<void> {
  checkPlace(actor, place);
  await consume(`feedback:${actor.contactId}`, MAX_AN_HOUR, HOUR);
  const feedbackId = newId('feedback');
  await inTransaction(async () => {
    await db()
      .insertInto('feedback')
      .values({
        feedback_id: feedbackId,
        company_id: actor.companyId,
        contact_id: actor.contactId,
        article: place.article ?? null,
        page: place.page,
        rating,
        message: encryptFor('feedback.message', feedbackId, message),
        created_at: now(),
        seen_at: null,
      })
      .execute();
    if (!actor.staff)
      await feedbackGiven.announce({ feedbackId, companyId: actor.companyId, author: actor.fullName });
  });
}

/** Lists the feedback that the firm got, the newest first, by pages counted from 1. */
export async function listFeedback(
  actor: Actor,
  pageNum: number,
): Promise<{ feedback: Feedback[]; total: number }> {
  if (!mayReadFeedback(actor)) throw new PortalError('FORBIDDEN');
  const rows = await db()
    .selectFrom('feedback')
    .innerJoin('contacts', 'contacts.contact_id', 'feedback.contact_id')
    .where('feedback.company_id', '=', actor.companyId)
    .selectAll('feedback')
    .select('contacts.full_name')
    .orderBy('feedback.created_at', 'desc')
    .orderBy('feedback.feedback_id')
    .limit(FEEDBACK_A_PAGE)
    .offset((pageNum - 1) * FEEDBACK_A_PAGE)
    .execute();
  const { total } = await db()
    .selectFrom('feedback')
    .where('company_id', '=', actor.companyId)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const feedback = rows.map((row) => ({
    feedbackId: row.feedback_id,
    author: row.full_name,
    rating: row.rating,
    message: decryptFrom('feedback.message', row.feedback_id, row.message),
    articleId: row.article,
    page: row.page,
    createdAt: row.created_at,
    isSeen: row.seen_at !== null,
  }));
  return { feedback, total: Number(total) };
}

/** Marks feedback as read by the firm. NOT_FOUND unless it is the firm's. */
export async function markFeedbackSeen(actor: Actor, feedbackId: string): Promise<void> {
  if (!mayReadFeedback(actor)) throw new PortalError('FORBIDDEN');
  await inTransaction(async () => {
    const { numUpdatedRows } = await db()
      .updateTable('feedback')
      .set({ seen_at: now() })
      .where('feedback_id', '=', feedbackId)
      .where('company_id', '=', actor.companyId)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw notFound();
    await feedbackSettled.announce({ feedbackIds: [feedbackId] });
  });
}

/** Deletes feedback a year after it was given. */
export async function sweepFeedback(): Promise<void> {
  await inTransaction(async () => {
    const rows = await db()
      .selectFrom('feedback')
      .select('feedback_id')
      .where('created_at', '<', now() - KEPT_DAYS * DAY)
      .limit(SWEPT)
      .execute();
    if (rows.length === 0) return;
    const feedbackIds = rows.map((row) => row.feedback_id);
    await db().deleteFrom('feedback').where('feedback_id', 'in', feedbackIds).execute();
    await feedbackSettled.announce({ feedbackIds });
  });
}

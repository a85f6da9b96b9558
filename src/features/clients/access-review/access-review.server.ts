import { suspend, unlinkContact } from '#features/clients/directory/management.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { lastSeenOf } from '#features/base/people/last-seen.server.ts';
import { actorNow, actorOf, staffWith } from '#features/base/people/people.server.ts';
import { staffOf } from '#features/base/people/staff.server.ts';
import { STAFF_ROLES, type Actor, type Session } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import {
  REVIEW_DAYS,
  type AccessReview,
  type ItemQuery,
  type ReviewItem,
  type ReviewPlan,
} from './access-review.ts';
import { reviewFinished, reviewWaits } from './events.server.ts';
import { reviewMail } from './mails.server.ts';

/*
 * Reviews of who has access. A review begins with a list of every access as it is then; each is confirmed or removed,
 * which is recorded with who decided and when. The firm chooses how often; the portal begins each one and reminds.
 */

const PAGE = 100;
const REMINDS_BEFORE = 7 * DAY;
const MAX_LISTED = 50;

/** Tells whether the actor may review access: they see everyone, and may change their access. */
export const mayReview = ({ staff, viewedBy, hasAllClients, access }: Actor): boolean =>
  staff &&
  viewedBy === undefined &&
  hasAllClients &&
  access.permissions.has('ManageFirm') &&
  access.permissions.has('ManageContacts');

function assertMayReview(actor: Actor): void {
  if (!mayReview(actor)) throw new PortalError('FORBIDDEN');
}

/** How often the firm reviews, and when the next review begins; FORBIDDEN. */
export async function planOf(actor: Actor): Promise<ReviewPlan & { startsAt: number }> {
  assertMayReview(actor);
  const row = await db()
    .selectFrom('access_review_plans')
    .selectAll()
    .where('company_id', '=', actor.companyId)
    .executeTakeFirst();
  const interval = String(row?.interval_months ?? 0) as ReviewPlan['interval'];
  return { interval, startsAt: row?.starts_at ?? 0 };
}

/** Changes how often the firm reviews: the next review begins with the next quarter, half-year or year. FORBIDDEN. */
export async function setPlan(actor: Actor, { interval }: ReviewPlan): Promise<void> {
  await inTransaction(async () => {
    const { companyId, contactId } = await reviewerNow(actor);
    const months = Number(interval);
    const values = { interval_months: months, starts_at: months === 0 ? 0 : nextPeriod(now(), months) };
    await db()
      .insertInto('access_review_plans')
      .values({ company_id: companyId, ...values })
      .onConflict((conflict) => conflict.column('company_id').doUpdateSet(values))
      .execute();
    const details = { months };
    await audit({ companyId, actor: contactId, action: 'access-review.plan', target: companyId, details });
  });
}

/** The beginning of the next period of some months, counted from January, in UTC. */
function nextPeriod(instant: number, months: number): number {
  const date = new Date(instant);
  return Date.UTC(date.getUTCFullYear(), (Math.floor(date.getUTCMonth() / months) + 1) * months, 1);
}

async function reviewerNow(actor: Actor): Promise<Actor> {
  const current = await actorNow(actor);
  assertMayReview(current);
  return current;
}

/** Begins a review and returns its id, that of the open one if there is one; FORBIDDEN. */
export async function startReview(actor: Actor): Promise<string> {
  return inTransaction(async () => {
    const { companyId, contactId } = await reviewerNow(actor);
    return begin(companyId, contactId);
  });
}

async function begin(companyId: string, by: string): Promise<string> {
  const reviewId = newId('review');
  const dueAt = now() + REVIEW_DAYS * DAY;
  const started = await db()
    .insertInto('access_reviews')
    .values({
      review_id: reviewId,
      company_id: companyId,
      started_at: now(),
      due_at: dueAt,
      finished_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('review_id')
    .executeTakeFirst();
  if (!started) {
    const open = await db()
      .selectFrom('access_reviews')
      .select('review_id')
      .where('company_id', '=', companyId)
      .where('finished_at', 'is', null)
      .executeTakeFirstOrThrow();
    return open.review_id;
  }
  const items = await accessesOf(companyId);
  for (const some of inBatches(
    items.map((item, index) => ({ ...item, review_id: reviewId, number: index + 1 })),
  ))
    await db().insertInto('access_review_items').values(some).execute();
  await audit({
    companyId,
    actor: by,
    action: 'access-review.start',
    target: reviewId,
    details: { items: items.length },
  });
  const firm = await firmOf(companyId);
  for (const reader of (await staffWith(companyId, 'ManageFirm')).filter(mayReview))
    await queueMail(reviewMail(firm, reader, 'started', dueAt), `${reviewId}-${reader.contactId}`);
  await reviewWaits.announce({ reviewId, companyId, notice: 'started' });
  return reviewId;
}

/** Every access to the firm: staff, then contacts by client. */
async function accessesOf(companyId: string) {
  const staff = await staffOf(companyId)
    .select(['contact_id', 'role', 'all_clients'])
    .where('suspended_at', 'is', null)
    .where('removed_at', 'is', null)
    .orderBy('name_key')
    .orderBy('contact_id')
    .execute();
  const links = await db()
    .selectFrom('client_contacts')
    .innerJoin('clients', 'clients.client_id', 'client_contacts.client_id')
    .innerJoin('contacts', 'contacts.contact_id', 'client_contacts.contact_id')
    .select(['client_contacts.contact_id', 'client_contacts.client_id'])
    .where('clients.company_id', '=', companyId)
    .where('clients.archived_at', 'is', null)
    .where('contacts.suspended_at', 'is', null)
    .where('contacts.removed_at', 'is', null)
    .orderBy('clients.name_key')
    .orderBy('clients.client_id')
    .orderBy('contacts.full_name')
    .orderBy('contacts.contact_id')
    .execute();
  const ids = [...new Set([...staff, ...links].map(({ contact_id: id }) => id))];
  const seen = new Map<string, number>();
  for (const some of inBatches(ids))
    for (const [id, at] of await lastSeenOf({ companyId }, some)) seen.set(id, at);
  const undecided = { decision: '', decided_by: null, decided_at: null } as const;
  return [
    ...staff.map(({ contact_id: id, role, all_clients: all }) => ({
      contact_id: id,
      client_id: null,
      role: `${role} ${all === 1 ? 'all' : 'assigned'}`,
      seen_at: seen.get(id) ?? null,
      ...undecided,
    })),
    ...links.map((link) => ({ ...link, role: '', seen_at: seen.get(link.contact_id) ?? null, ...undecided })),
  ];
}

/** Lists the reviews of the firm, the newest first; FORBIDDEN. */
export async function listReviews(actor: Actor): Promise<AccessReview[]> {
  assertMayReview(actor);
  const rows = await reviewsOf(actor).orderBy('started_at', 'desc').limit(MAX_LISTED).execute();
  return rows.map(present);
}

/** Finds a review of the firm; FORBIDDEN, NOT_FOUND. */
export async function reviewOf(actor: Actor, reviewId: string): Promise<AccessReview> {
  assertMayReview(actor);
  const row = await reviewsOf(actor).where('access_reviews.review_id', '=', reviewId).executeTakeFirst();
  if (!row) throw notFound();
  return present(row);
}

const reviewsOf = ({ companyId }: Actor) =>
  db()
    .selectFrom('access_reviews')
    .selectAll('access_reviews')
    .select((e) => {
      const items = e
        .selectFrom('access_review_items')
        .whereRef('access_review_items.review_id', '=', 'access_reviews.review_id');
      const count = e.fn.countAll<number>().as('count');
      return [
        items.select(count).as('total'),
        items.where('decision', '<>', '').select(count).as('decided'),
        items.where('decision', '=', 'removed').select(count).as('removed'),
      ];
    })
    .where('access_reviews.company_id', '=', companyId);

const present = (
  row: Awaited<ReturnType<ReturnType<typeof reviewsOf>['execute']>>[number],
): AccessReview => ({
  id: row.review_id,
  startedAt: row.started_at,
  dueAt: row.due_at,
  finishedAt: row.finished_at ?? undefined,
  total: Number(row.total),
  decided: Number(row.decided),
  removed: Number(row.removed),
});

/** Lists the accesses of a review, 100 a page, or all of them without a query; FORBIDDEN, NOT_FOUND. */
export async function listItems(
  actor: Actor,
  reviewId: string,
  query?: ItemQuery,
): Promise<{ items: ReviewItem[]; total: number; pageSize: number }> {
  await reviewOf(actor, reviewId);
  const matching = db()
    .selectFrom('access_review_items')
    .where('review_id', '=', reviewId)
    .$if(query?.show === 'open', (all) => all.where('decision', '=', ''));
  const { total } = await matching
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await matching
    .innerJoin('contacts', 'contacts.contact_id', 'access_review_items.contact_id')
    .leftJoin('clients', 'clients.client_id', 'access_review_items.client_id')
    .leftJoin('contacts as deciders', 'deciders.contact_id', 'access_review_items.decided_by')
    .selectAll('access_review_items')
    .select(['contacts.full_name as person', 'clients.name as client', 'deciders.full_name as decider'])
    .orderBy('access_review_items.number')
    .$if(query !== undefined, (all) => all.limit(PAGE).offset(((query?.pageNum ?? 1) - 1) * PAGE))
    .execute();
  const items = rows.map((row): ReviewItem => {
    const [role, clients] = row.role.split(' ');
    return {
      number: row.number,
      contactId: row.contact_id,
      person: row.person,
      client: row.client ?? undefined,
      role: STAFF_ROLES.find((known) => known === role),
      hasAllClients: clients === 'all',
      seenAt: row.seen_at ?? undefined,
      decision: row.decision === '' ? undefined : row.decision,
      decidedBy: row.decider ?? '',
      decidedAt: row.decided_at ?? undefined,
    };
  });
  return { items, total: Number(total), pageSize: PAGE };
}

/**
 * Confirms or removes accesses of an open review, and returns how many, and how many could not be: one's own, and that
 * of the last owner. A removed contact no longer acts for the client; removed staff are suspended. FORBIDDEN,
 * NOT_FOUND; STEP_UP to remove unless recently authenticated. The review is finished when everything is decided.
 */
export async function decide(
  session: Session,
  reviewId: string,
  numbers: readonly number[],
  decision: 'confirmed' | 'removed',
): Promise<{ done: number; refused: number }> {
  const result = { done: 0, refused: 0 };
  for (const number of new Set(numbers)) {
    try {
      if (await decideOne(session, reviewId, number, decision)) result.done += 1;
    } catch (error) {
      if (!['LAST_OWNER', 'INVALID'].includes(refusal(error)?.code ?? '')) throw error;
      result.refused += 1;
    }
  }
  return result;
}

/** Returns false for what was decided already. */
async function decideOne(
  session: Session,
  reviewId: string,
  number: number,
  decision: 'confirmed' | 'removed',
): Promise<boolean> {
  return inTransaction(async () => {
    const { companyId, contactId: by, ...actor } = await reviewerNow(session.actor);
    await reviewOf({ companyId, contactId: by, ...actor }, reviewId);
    const item = await db()
      .updateTable('access_review_items')
      .set({ decision, decided_by: by, decided_at: now() })
      .where('review_id', '=', reviewId)
      .where('number', '=', number)
      .where('decision', '=', '')
      .returningAll()
      .executeTakeFirst();
    if (!item) return false;
    const { contact_id: contactId, client_id: clientId } = item;
    if (decision === 'removed') {
      if (contactId === by) throw new PortalError('INVALID');
      await remove(session, contactId, clientId);
    }
    await audit({
      companyId,
      actor: by,
      action: decision === 'confirmed' ? 'access-review.confirm' : 'access-review.remove',
      target: contactId,
      details: { review: reviewId },
      ...(clientId !== null && { clientId }),
    });
    await finishIfDecided(companyId, by, reviewId);
    return true;
  });
}

/** Ends an access, unless that was done meanwhile. */
async function remove(session: Session, contactId: string, clientId: string | null): Promise<void> {
  try {
    if (clientId === null) await suspend(session, contactId);
    else if (!(await actorOf(contactId)).staff) await unlinkContact(session.actor, contactId, clientId);
  } catch (error) {
    if (refusal(error)?.code !== 'NOT_FOUND') throw error;
  }
}

async function finishIfDecided(companyId: string, by: string, reviewId: string): Promise<void> {
  const open = await db()
    .selectFrom('access_review_items')
    .select('number')
    .where('review_id', '=', reviewId)
    .where('decision', '=', '')
    .limit(1)
    .executeTakeFirst();
  if (open) return;
  await db()
    .updateTable('access_reviews')
    .set({ finished_at: now() })
    .where('review_id', '=', reviewId)
    .where('finished_at', 'is', null)
    .execute();
  await audit({ companyId, actor: by, action: 'access-review.finish', target: reviewId });
  await reviewFinished.announce({ reviewId });
}

/** Begins the reviews that are due, and reminds of open ones a week before their end. */
export async function sweepReviews(): Promise<void> {
  const plans = await db()
    .selectFrom('access_review_plans')
    .select(['company_id', 'interval_months'])
    .where('interval_months', '>', 0)
    .where('starts_at', '<=', now())
    .execute();
  for (const { company_id: companyId, interval_months: months } of plans) {
    await inTransaction(async () => {
      const { numUpdatedRows } = await db()
        .updateTable('access_review_plans')
        .set({ starts_at: nextPeriod(now(), months) })
        .where('company_id', '=', companyId)
        .where('starts_at', '<=', now())
        .executeTakeFirst();
      if (numUpdatedRows > 0n) await begin(companyId, 'portal');
    });
  }
  const ending = await db()
    .selectFrom('access_reviews')
    .selectAll()
    .where('finished_at', 'is', null)
    .where('due_at', '<=', now() + REMINDS_BEFORE)
    .execute();
  for (const { review_id: reviewId, company_id: companyId, due_at: dueAt } of ending) {
    const firm = await firmOf(companyId);
    // the key makes each reminder one
    for (const reader of (await staffWith(companyId, 'ManageFirm')).filter(mayReview))
      await queueMail(reviewMail(firm, reader, 'ends', dueAt), `${reviewId}-ends-${reader.contactId}`);
    await reviewWaits.announce({ reviewId, companyId, notice: 'ends' });
  }
}

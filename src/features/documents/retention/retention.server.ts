import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorNow, assertRecentlyAuthenticated, staffWith } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { lifetime, markDeleted } from '#features/documents/trash/trash.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { dueDocuments, type DueDocument } from './due.server.ts';
import { changedMail, movedMail } from './mails.server.ts';
import {
  CATEGORIES,
  KEEP_ALL,
  NOTICE_DAYS,
  retentionRules,
  type Category,
  type RetentionRules,
} from './retention.ts';

/*
 * How long a firm keeps documents. Never silently: a change is announced to everyone who manages the firm and applies
 * two weeks later; then a daily sweep moves documents to the trash, where they wait like any other deleted document,
 * and reports it by email.
 */

const MAX_MOVED_A_DAY = 2000;

/** Tells whether the actor may see and change how long documents are kept: it concerns all clients. */
export const mayRetain = (actor: Actor): boolean =>
  actor.staff &&
  actor.viewedBy === undefined &&
  actor.hasAllClients &&
  actor.access.permissions.has('ManageFirm');

function assertMayRetain(actor: Actor): void {
  if (!mayRetain(actor)) throw new PortalError('FORBIDDEN');
}

/** The rules of the firm and when they apply; without rules everything is kept. FORBIDDEN. */
export async function retentionOf(actor: Actor): Promise<{ rules: RetentionRules; startsAt: number }> {
  assertMayRetain(actor);
  const row = await policyOf(actor.companyId);
  return row ? { rules: rulesIn(row.rules), startsAt: row.starts_at } : { rules: KEEP_ALL, startsAt: 0 };
}

const policyOf = (companyId: string) =>
  db().selectFrom('retention_policies').selectAll().where('company_id', '=', companyId).executeTakeFirst();

const rulesIn = (json: string): RetentionRules => retentionRules.parse(JSON.parse(json));
const keepsAll = (rules: RetentionRules): boolean => CATEGORIES.every((category) => rules[category] === '0');

/** How much these rules would move to the trash on the day when they begin to apply, by category; FORBIDDEN. */
export async function previewRetention(
  actor: Actor,
  rules: RetentionRules,
): Promise<{ category: Category; documents: number; bytes: number; clients: number }[]> {
  assertMayRetain(actor);
  const sums = new Map<Category, { documents: number; bytes: number; clients: Set<string> }>();
  for await (const page of dueDocuments(actor.companyId, rules, now() + NOTICE_DAYS * DAY)) {
    for (const { category, size, clientId } of page) {
      const sum = sums.get(category) ?? { documents: 0, bytes: 0, clients: new Set<string>() };
      sum.documents += 1;
      sum.bytes += size;
      sum.clients.add(clientId);
      sums.set(category, sum);
    }
  }
  return CATEGORIES.flatMap((category) => {
    const sum = sums.get(category);
    return sum ? [{ category, ...sum, clients: sum.clients.size }] : [];
  });
}

/**
 * Changes the rules, which apply two weeks later, and tells everyone who manages the firm. FORBIDDEN; STEP_UP unless
 * recently authenticated.
 */
export async function changeRetention(session: Session, rules: RetentionRules): Promise<void> {
  assertMayRetain(session.actor);
  assertRecentlyAuthenticated(session);
  await inTransaction(async () => {
    const actor = await actorNow(session.actor);
    assertMayRetain(actor);
    const startsAt = now() + NOTICE_DAYS * DAY;
    const values = { rules: JSON.stringify(rules), starts_at: startsAt, changed_at: now() };
    const { companyId, contactId } = actor;
    await db()
      .insertInto('retention_policies')
      .values({ company_id: companyId, ...values })
      .onConflict((conflict) => conflict.column('company_id').doUpdateSet(values))
      .execute();
    await audit({
      companyId,
      actor: contactId,
      action: 'retention.change',
      target: companyId,
      details: rules,
    });
    if (keepsAll(rules)) return;
    const firm = await firmOf(companyId);
    for (const reader of await staffWith(companyId, 'ManageFirm'))
      await queueMail(
        changedMail(firm, reader, { by: actor.fullName, startsAt }),
        `retention-${companyId}-${now()}-${reader.contactId}`,
      );
  });
}

/** Moves what is due to the trash, once a day for each firm. */
export async function sweepRetention(): Promise<void> {
  const policies = await db()
    .selectFrom('retention_policies')
    .innerJoin('firms', 'firms.company_id', 'retention_policies.company_id')
    .select(['retention_policies.company_id', 'rules'])
    .where('starts_at', '<=', now())
    .where('swept_at', '<=', now() - DAY)
    .where('firms.locked', '=', 0)
    .execute();
  for (const { company_id: companyId, rules } of policies) {
    const { numUpdatedRows } = await db()
      .updateTable('retention_policies')
      .set({ swept_at: now() })
      .where('company_id', '=', companyId)
      .where('swept_at', '<=', now() - DAY)
      .executeTakeFirst();
    // another node sweeps this firm
    if (numUpdatedRows === 0n) continue;
    await sweepFirm(companyId, rulesIn(rules));
  }
}

async function sweepFirm(companyId: string, rules: RetentionRules): Promise<void> {
  let moved = 0;
  for await (const page of dueDocuments(companyId, rules, now())) {
    moved += await moveToTrash(companyId, page);
    if (moved >= MAX_MOVED_A_DAY) break;
  }
  if (moved > 0) await announce(companyId, moved);
}

/** Moves documents unless the rules were changed or their client came under a legal hold meanwhile. */
async function moveToTrash(companyId: string, documents: readonly DueDocument[]): Promise<number> {
  return inTransaction(async () => {
    const policy = await policyOf(companyId);
    if (!policy || policy.starts_at > now()) return 0;
    const held = await db()
      .selectFrom('legal_holds')
      .select('client_id')
      .where('company_id', '=', companyId)
      .execute();
    const heldIds = new Set(held.map(({ client_id: id }) => id));
    const rows = documents
      .filter(({ clientId }) => !heldIds.has(clientId))
      .map(({ id }) => ({ document_id: id }));
    const gone = await markDeleted({ companyId, contactId: 'portal' }, rows);
    if (gone.size === 0) return 0;
    await db()
      .insertInto('retention_moves')
      .values([...gone].map((id) => ({ document_id: id, company_id: companyId, moved_at: now() })))
      .execute();
    await audit({
      companyId,
      actor: 'portal',
      action: 'retention.move',
      target: companyId,
      details: { documents: gone.size },
    });
    return gone.size;
  });
}

async function announce(companyId: string, count: number): Promise<void> {
  const firm = await firmOf(companyId);
  const until = now() + lifetime();
  for (const reader of await staffWith(companyId, 'ManageFirm'))
    await queueMail(
      movedMail(firm, reader, { count, until }),
      `retention-moved-${companyId}-${now()}-${reader.contactId}`,
    );
}

import { issueReceipts } from '#features/base/receipts/issuing.server.ts';
import { languageOfFirm } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { assertAccepts, assertReviews } from './access.server.ts';
import { intentMarked, intentsSettled } from './events.server.ts';
import { settleInvoice } from './internal/settling.server.ts';
import {
  changeInvoice,
  loadEvents,
  intentRow,
  invoiceName,
  registeredAmong,
  today,
  updateIntent,
  updateInvoice,
  type IntentRow,
  type InvoiceRow,
} from './internal/store.server.ts';
import { MAX_REASON, type Decided } from './invoice-manifest.ts';
import { notifyRefused } from './notices.server.ts';
import { enqueueSending } from './queue.server.ts';
import { asLine, problemWith, problemWithJustification, type ManifestEvent, type Problem } from './rules.ts';
import { EVENT_TEXTS } from './texts.server.ts';

/*
 * What an invoice should be told to be: one person marks it, and another one of the firm accepts it. Nothing is told to the
 * authority before that, so it can be changed and withdrawn.
 */

interface Marking {
  id: string;
  event: ManifestEvent;
  justification: string;
  version?: number | undefined;
}

/**
 * Marks what an invoice should be told to be; a mark of the same side is replaced. CLOSED if it was accepted, NOT_POSSIBLE with
 * a {@link Problem}, INVALID with what is wrong with the justification, FORBIDDEN (also for a mark of the other side), CHANGED,
 * GONE, NOT_FOUND.
 */
export const markInvoice = (actor: Actor, { id, event, justification, version }: Marking): Promise<void> =>
  changeInvoice(actor, { id, version, assertMay: assertReviews }, async (current, row) => {
    const reason = asLine(justification);
    const wrong = problemWithJustification(event, reason);
    if (wrong !== undefined) throw new PortalError('INVALID', { field: 'justification', problem: wrong });
    await assertPossible(event, row);
    await supersede(current, row);
    const intentId = newId('intent');
    const receipt = await receiptFor(current, row, { intentId, event, reason });
    await db()
      .insertInto('manifest_intents')
      .values({
        intent_id: intentId,
        manifest_id: id,
        company_id: row.company_id,
        client_id: row.client_id,
        event,
        justification: encryptFor('manifest_intents.justification', intentId, reason),
        by_staff: current.staff ? 1 : 0,
        marked_by: current.contactId,
        marked_at: now(),
        decided_by: null,
        decided_at: null,
        reason: encryptFor('manifest_intents.reason', intentId, ''),
        state: 'marked',
        receipt: receipt.receipt ?? null,
      })
      .execute();
    await setMarked(row, intentId);
    await note(current, 'manifest.mark', row, { event, ...receipt });
  });

/** An open mark of the same side gives way to the next one, also one that the authority has not registered. */
async function supersede({ staff }: Actor, { intent_id: intentId, intent }: InvoiceRow): Promise<void> {
  if (intentId === null) return;
  if (intent !== 'marked' && intent !== 'failed') throw new PortalError('CLOSED');
  const { by_staff: byStaff } = await intentRow(intentId);
  if ((byStaff === 1) !== staff) throw new PortalError('FORBIDDEN', { because: 'otherSide' });
  await updateIntent(intentId, { state: 'superseded' });
  await intentsSettled.announce({ intentIds: [intentId] });
}

async function assertPossible(event: ManifestEvent, row: InvoiceRow): Promise<void> {
  const registered = registeredAmong((await loadEvents([row.manifest_id])).get(row.manifest_id) ?? []);
  const facts = { isCancelled: row.status === 'cancelled', lastDay: row.last_day, registered };
  const problem = problemWith(event, facts, today());
  if (problem !== undefined) throw new PortalError('NOT_POSSIBLE', { problem });
}

/** A contact gets a confirmation of what they said, and when. */
async function receiptFor(
  { companyId, contactId, staff }: Actor,
  row: InvoiceRow,
  { intentId, event, reason }: { intentId: string; event: ManifestEvent; reason: string },
): Promise<{ receipt?: number; receiptHash?: string }> {
  if (staff) return {};
  const t = translationsFor(await languageOfFirm(companyId), 'invoice-manifest');
  const text = JSON.stringify({ key: row.access_key, event, justification: reason });
  return issueReceipts({
    companyId,
    kind: 'submission',
    actor: contactId,
    documents: [
      {
        documentId: intentId,
        clientId: row.client_id,
        name: t('receiptName', { invoice: invoiceName(row), event: t(EVENT_TEXTS[event]) }),
        size: Buffer.byteLength(text),
        sha256: sha256(text),
      },
    ],
  });
}

async function setMarked(row: InvoiceRow, intentId: string): Promise<void> {
  await updateInvoice(row.manifest_id, { intent: 'marked', intent_id: intentId, next_reminder_on: '' });
  await intentMarked.announce({
    companyId: row.company_id,
    clientId: row.client_id,
    intentId,
    name: `NF-e ${invoiceName(row)}`,
  });
}

/** Withdraws a mark before it is accepted, by the side that made it; CLOSED, FORBIDDEN, CHANGED, GONE, NOT_FOUND. */
export const withdrawMark = (
  actor: Actor,
  { id, version }: { id: string; version?: number | undefined },
): Promise<void> =>
  changeInvoice(actor, { id, version, assertMay: assertReviews }, async (current, row) => {
    const intentId = row.intent_id;
    if (intentId === null) throw notFound();
    if (row.intent !== 'marked') throw new PortalError('CLOSED');
    const intent = await intentRow(intentId);
    if ((intent.by_staff === 1) !== current.staff)
      throw new PortalError('FORBIDDEN', { because: 'otherSide' });
    await updateIntent(intentId, { state: 'withdrawn' });
    await settleInvoice(id);
    await note(current, 'manifest.withdraw', row, { event: intent.event });
  });

/**
 * Accepts what another person has marked, also once more after the authority has not registered it; it is sent if there is an
 * authority to send it to. SAME_PERSON for whoever marked it, also if they did so as a contact and are staff
 * now: a person has one account at a firm. NOT_POSSIBLE with a {@link Problem} if the authority would not register it any
 * more; CHANGED, FORBIDDEN, GONE, NOT_FOUND.
 */
export const acceptIntent = (actor: Actor, intentId: string): Promise<void> =>
  decide(actor, intentId, async (current, { row, intent }) => {
    if (intent.state !== 'marked' && intent.state !== 'rejected') throw new PortalError('CHANGED');
    if (intent.marked_by === current.contactId) throw new PortalError('SAME_PERSON');
    await assertPossible(intent.event, row);
    await updateIntent(intentId, { state: 'accepted', decided_by: current.contactId, decided_at: now() });
    await updateInvoice(row.manifest_id, { intent: 'accepted' });
    await intentsSettled.announce({ intentIds: [intentId] });
    await enqueueSending(row.company_id, intentId);
    await note(current, 'manifest.accept', row, { event: intent.event });
  });

/** Takes the acceptance back while nothing was sent: it waits for one again. CHANGED, FORBIDDEN, GONE, NOT_FOUND. */
export const takeBackAcceptance = (actor: Actor, intentId: string): Promise<void> =>
  decide(actor, intentId, async (current, { row, intent }) => {
    if (intent.state !== 'accepted') throw new PortalError('CHANGED');
    await updateIntent(intentId, { state: 'marked', decided_by: null, decided_at: null });
    await setMarked(row, intentId);
    await note(current, 'manifest.take-back', row, { event: intent.event });
  });

/** Refuses what was marked, with a reason that its maker gets; CHANGED, FORBIDDEN, GONE, NOT_FOUND. */
export const refuseIntent = (actor: Actor, intentId: string, reason: string): Promise<void> =>
  decide(actor, intentId, async (current, { row, intent }) => {
    if (!['marked', 'accepted', 'rejected'].includes(intent.state)) throw new PortalError('CHANGED');
    await updateIntent(intentId, {
      state: 'refused',
      decided_by: current.contactId,
      decided_at: now(),
      reason: encryptFor('manifest_intents.reason', intentId, reason.slice(0, MAX_REASON)),
    });
    await settleInvoice(row.manifest_id);
    await notifyRefused(intent, row);
    await note(current, 'manifest.refuse', row, { event: intent.event });
  });

/** Decides about an open intent of the actor's clients. */
async function decide(
  actor: Actor,
  intentId: string,
  work: (current: Actor, of: { row: InvoiceRow; intent: IntentRow }) => Promise<void>,
): Promise<void> {
  assertAccepts(actor);
  const { manifest_id: id } = await intentRow(intentId);
  await changeInvoice(actor, { id, assertMay: assertAccepts }, async (current, row) => {
    if (row.intent_id !== intentId) throw new PortalError('CHANGED');
    await work(current, { row, intent: await intentRow(intentId) });
  });
}

/** Does something with several intents, and says what became of each. */
export async function withEach(
  ids: readonly string[],
  act: (intentId: string) => Promise<void>,
): Promise<Decided> {
  const decided: Decided = { done: [], refused: [] };
  for (const id of new Set(ids))
    try {
      await act(id);
      decided.done.push(id);
    } catch (error) {
      const refused = refusal(error);
      if (!refused) throw error;
      const problem = refused.details['problem'] as Problem | undefined;
      decided.refused.push({ id, code: refused.code, ...(problem !== undefined && { problem }) });
    }
  return decided;
}

/** The intents of an invoice, the newest first, with who made and decided them. */
export async function listIntents(id: string) {
  const rows = await db()
    .selectFrom('manifest_intents')
    .leftJoin('contacts as marker', 'marker.contact_id', 'manifest_intents.marked_by')
    .leftJoin('contacts as decider', 'decider.contact_id', 'manifest_intents.decided_by')
    .selectAll('manifest_intents')
    .select(['marker.full_name as marker', 'decider.full_name as decider'])
    .where('manifest_id', '=', id)
    .orderBy('marked_at', 'desc')
    .orderBy('intent_id', 'desc')
    .execute();
  return rows.map((row) => ({
    id: row.intent_id,
    event: row.event,
    state: row.state,
    isByStaff: row.by_staff === 1,
    marker: row.marker,
    markedBy: row.marked_by,
    markedAt: Number(row.marked_at),
    decider: row.decider,
    decidedAt: row.decided_at === null ? null : Number(row.decided_at),
    justification: decryptFrom('manifest_intents.justification', row.intent_id, row.justification),
    reason: decryptFrom('manifest_intents.reason', row.intent_id, row.reason),
  }));
}

const note = (
  { companyId, contactId }: Actor,
  action:
    'manifest.mark' | 'manifest.withdraw' | 'manifest.accept' | 'manifest.take-back' | 'manifest.refuse',
  row: InvoiceRow,
  details: Record<string, string | number>,
): Promise<void> =>
  audit({
    companyId,
    actor: contactId,
    action,
    target: row.manifest_id,
    clientId: row.client_id,
    details,
  });

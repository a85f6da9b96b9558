import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { assertAccepts } from './access.server.ts';
import { PROTOCOL } from './invoice-manifest.ts';
import { settleInvoice } from './internal/settling.server.ts';
import { changeInvoice, loadEvents, registeredAmong, today } from './internal/store.server.ts';
import { AUTHORITY_ZONE, nextSequence, problemWith, type ManifestEvent } from './rules.ts';
import type { ManifestEvents } from './schema.server.ts';

/** What the authority has registered. */
interface Registered {
  event: ManifestEvent;
  sequence: number;
  source: ManifestEvents['source'];
  protocol: string;
  registeredAt: number;
  recordedBy: string | null;
}

/** Adds an event to an invoice, in the open transaction; one that is known gets the protocol that it had not. */
export async function addEvent(
  manifestId: string,
  { event, sequence, source, protocol, registeredAt, recordedBy }: Registered,
): Promise<void> {
  const invoice = await db()
    .selectFrom('manifest_documents')
    .select(['company_id', 'client_id', 'intent_id'])
    .where('manifest_id', '=', manifestId)
    .executeTakeFirstOrThrow();
  await db()
    .insertInto('manifest_events')
    .values({
      event_id: newId('mevent'),
      manifest_id: manifestId,
      company_id: invoice.company_id,
      client_id: invoice.client_id,
      event,
      sequence,
      source,
      protocol,
      registered_at: registeredAt,
      intent_id: invoice.intent_id,
      recorded_by: recordedBy,
      recorded_at: now(),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['manifest_id', 'event', 'sequence'])
        .doUpdateSet({ protocol })
        .where('manifest_events.protocol', '=', ''),
    )
    .execute();
}

/**
 * Records what a person has told the authority elsewhere, with its protocol. NOT_POSSIBLE with a {@link Problem} for what the
 * authority would not have registered, INVALID for a wrong protocol or day, FORBIDDEN, NOT_FOUND.
 */
export const recordEvent = (
  actor: Actor,
  {
    id,
    event,
    protocol,
    registeredOn,
  }: { id: string; event: ManifestEvent; protocol: string; registeredOn: string },
): Promise<void> =>
  changeInvoice(actor, { id, assertMay: assertAccepts }, async ({ companyId, contactId }, row) => {
    if (!PROTOCOL.test(protocol)) throw new PortalError('INVALID', { field: 'protocol' });
    if (registeredOn > today() || registeredOn < dayOf(row.authorized_at, AUTHORITY_ZONE))
      throw new PortalError('INVALID', { field: 'registeredOn' });
    const registered = registeredAmong((await loadEvents([id])).get(id) ?? []);
    const problem = problemWith(
      event,
      { isCancelled: row.status === 'cancelled', lastDay: row.last_day, registered },
      registeredOn,
    );
    if (problem !== undefined) throw new PortalError('NOT_POSSIBLE', { problem });
    await addEvent(id, {
      event,
      sequence: nextSequence(event, registered),
      source: 'typed',
      protocol,
      registeredAt: Date.parse(`${registeredOn}T12:00:00-03:00`),
      recordedBy: contactId,
    });
    await settleInvoice(id);
    await audit({
      companyId,
      actor: contactId,
      action: 'manifest.record',
      target: id,
      clientId: row.client_id,
      details: { event, protocol },
    });
  });

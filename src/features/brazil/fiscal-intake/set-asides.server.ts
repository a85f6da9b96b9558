import { buffer } from 'node:stream/consumers';
import { clientIdsOf, assertActsFor, actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { commitFiles, prepareFiles, type Outcome } from '#features/brazil/fiscal-documents/storing.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { readBlob, releaseBlobs } from '#platform/storage/blobs.server.ts';
import { setAsideResolved } from './events.server.ts';

/* What belongs to no client of whoever sent it: the firm assigns or discards it. */

const KEPT_FOR = 30 * DAY;
const MAX_LISTED = 200;

const assertDecides = ({ staff, access }: Actor): void => {
  if (!staff || !access.permissions.has('Publish')) throw new PortalError('FORBIDDEN');
};

/** Lists what waits for the firm, the oldest first; FORBIDDEN for contacts. */
export async function listSetAsides(actor: Actor) {
  assertDecides(actor);
  return setAsidesOf(actor)
    .select([
      'fiscal_set_asides.set_aside_id',
      'fiscal_set_asides.name',
      'fiscal_set_asides.sentence',
      'fiscal_set_asides.created_at',
      'clients.name as client_name',
    ])
    .where('resolved_at', 'is', null)
    .orderBy('fiscal_set_asides.created_at')
    .orderBy('fiscal_set_asides.number')
    .orderBy('set_aside_id')
    .limit(MAX_LISTED)
    .execute();
}

/** Those that were sent for clients of the actor. */
const setAsidesOf = (actor: Actor) =>
  db()
    .selectFrom('fiscal_set_asides')
    .innerJoin('clients', 'clients.client_id', 'fiscal_set_asides.client_id')
    .where('fiscal_set_asides.company_id', '=', actor.companyId)
    .where('fiscal_set_asides.client_id', 'in', clientIdsOf(actor));

/** Finds one that was sent for a client of the actor; NOT_FOUND for any other. */
export async function setAsideFor(actor: Actor, setAsideId: string) {
  assertDecides(actor);
  const row = await setAsidesOf(actor)
    .selectAll('fiscal_set_asides')
    .select('clients.name as client_name')
    .where('set_aside_id', '=', setAsideId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** The bytes of one that waits. GONE when it is decided. */
export async function setAsideBytes(actor: Actor, setAsideId: string): Promise<Buffer> {
  const row = await setAsideFor(actor, setAsideId);
  if (row.resolved_at !== null || row.blob_key === '') throw new PortalError('GONE');
  return buffer(readBlob(row.blob_key));
}

/** Stores one for a client, whatever its content says. GONE when it is decided, NOT_FOUND for a client of others. */
export async function assignSetAside(actor: Actor, setAsideId: string, clientId: string): Promise<Outcome> {
  const bytes = await setAsideBytes(actor, setAsideId);
  await assertActsFor(actor, clientId);
  const { name, intake_id: intakeId } = await setAsideFor(actor, setAsideId);
  const prepared = await prepareFiles(actor, { clientId, intakeId, isCertain: true }, [{ name, bytes }]);
  return inTransaction(async () => {
    const current = await actorNow(actor);
    await assertActsFor(current, clientId);
    await resolve(current, setAsideId, 'assigned');
    const [outcome] = await commitFiles(prepared);
    if (!outcome) throw notFound();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'fiscal.assign',
      target: setAsideId,
      clientId,
    });
    return outcome;
  });
}

/** Discards one; its bytes are kept for 30 days. */
export async function discardSetAside(actor: Actor, setAsideId: string): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    const { client_id: clientId } = await setAsideFor(current, setAsideId);
    await resolve(current, setAsideId, 'discarded');
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'fiscal.discard',
      target: setAsideId,
      clientId,
    });
  });
}

async function resolve(
  actor: Actor,
  setAsideId: string,
  resolution: 'assigned' | 'discarded',
): Promise<void> {
  assertDecides(actor);
  const { numUpdatedRows } = await db()
    .updateTable('fiscal_set_asides')
    .set({ resolved_at: now(), resolved_by: actor.contactId, resolution })
    .where('set_aside_id', '=', setAsideId)
    .where('resolved_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new PortalError('GONE');
  await setAsideResolved.announce({ setAsideId });
}

/** Removes the bytes of what was decided 30 days ago. */
export async function sweepSetAsides(): Promise<void> {
  await inTransaction(async () => {
    const rows = await db()
      .selectFrom('fiscal_set_asides')
      .select(['set_aside_id', 'blob_key'])
      .where('resolved_at', '<', now() - KEPT_FOR)
      .where('blob_key', '<>', '')
      .limit(MAX_LISTED)
      .execute();
    for (const { set_aside_id: id } of rows)
      await db()
        .updateTable('fiscal_set_asides')
        .set({ blob_key: '' })
        .where('set_aside_id', '=', id)
        .execute();
    await releaseBlobs(rows.map(({ blob_key: key }) => key));
  });
}

/** In a merge: what both clients have is there once. */
export async function followMergedSetAsides({ from, into }: { from: string; into: string }): Promise<void> {
  const same = await db()
    .selectFrom('fiscal_set_asides as own')
    .innerJoin('fiscal_set_asides as other', 'other.sha256', 'own.sha256')
    .select(['own.set_aside_id', 'own.blob_key'])
    .where('own.client_id', '=', from)
    .where('other.client_id', '=', into)
    .execute();
  for (const { set_aside_id: id } of same) {
    await db().deleteFrom('fiscal_set_asides').where('set_aside_id', '=', id).execute();
    await setAsideResolved.announce({ setAsideId: id });
  }
  await releaseBlobs(same.flatMap(({ blob_key: key }) => (key === '' ? [] : [key])));
  await db()
    .updateTable('fiscal_set_asides')
    .set({ client_id: into })
    .where('client_id', '=', from)
    .execute();
}

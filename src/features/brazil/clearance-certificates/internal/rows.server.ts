import type { Selectable } from 'kysely';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { documentsOf } from '#features/documents/documents/scope.server.ts';
import { db } from '#platform/database/database.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import type { Attempt } from '../clearance-certificates.ts';
import { nextNoticeOn, renewalOf } from '../lights.ts';
import { lapseSettled } from '../events.server.ts';

export type AgencyRow = Selectable<Tables['cnd_client_agencies']>;
type AttemptRow = Selectable<Tables['cnd_attempts']>;

/** The agencies that are followed for clients of the actor. */
export const followedBy = (actor: Actor) =>
  db()
    .selectFrom('cnd_client_agencies')
    .where('cnd_client_agencies.client_id', 'in', clientIdsOf(actor))
    .where('cnd_client_agencies.ended_at', 'is', null);

/** One of them, of a client; NOT_FOUND. */
export async function followedRow(actor: Actor, clientId: string, agencyId: string): Promise<AgencyRow> {
  const row = await followedBy(actor)
    .selectAll('cnd_client_agencies')
    .where('cnd_client_agencies.client_id', '=', clientId)
    .where('agency_id', '=', agencyId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** The attempts for clients of the actor, without those that were withdrawn. */
export const attemptsOf = (actor: Actor) =>
  db()
    .selectFrom('cnd_attempts')
    .innerJoin('cnd_client_agencies', 'cnd_client_agencies.client_agency_id', 'cnd_attempts.client_agency_id')
    .where('cnd_attempts.client_id', 'in', clientIdsOf(actor))
    .where('cnd_attempts.withdrawn_at', 'is', null);

type FoundAttempt = AttemptRow & { agency_id: string };

/** Attempts as their readers see them; a document that they do not see, such as one in the trash, is not there. */
export async function presentAttempts(
  actor: Actor,
  rows: readonly FoundAttempt[],
): Promise<(Attempt & { documentId: string | null })[]> {
  const ids = rows.flatMap(({ document_id: id }) => (id === null ? [] : [id]));
  const documents =
    ids.length === 0 ? [] : await documentsOf(actor).where('documents.document_id', 'in', ids).execute();
  const visible = new Set(documents.map((row) => row.document_id));
  return rows.map((row) => {
    const documentId = row.document_id !== null && visible.has(row.document_id) ? row.document_id : null;
    const { attempt_id: id } = row;
    return {
      id,
      agencyId: row.agency_id,
      clientId: row.client_id,
      status: row.status,
      source: row.source,
      result: row.result,
      number: decryptFrom('cnd_attempts.number', id, row.number),
      controlCode: decryptFrom('cnd_attempts.control_code', id, row.control_code),
      cnpj: row.cnpj,
      issuedOn: row.issued_on,
      validUntil: row.valid_until,
      note: decryptFrom('cnd_attempts.note', id, row.note),
      createdDate: new Date(row.created_at).toISOString(),
      hasDocument: documentId !== null,
      documentId,
    };
  });
}

/**
 * Stores what the newest certificate of an agency says, in the open transaction: that with the latest day of issue. What
 * waited for a renewal is settled, and told again if it is due again.
 */
export async function refreshCurrent(clientAgencyId: string): Promise<void> {
  const { renew_before_days: renewBeforeDays } = await db()
    .selectFrom('cnd_client_agencies')
    .select('renew_before_days')
    .where('client_agency_id', '=', clientAgencyId)
    .executeTakeFirstOrThrow();
  const newest = await db()
    .selectFrom('cnd_attempts')
    .select(['attempt_id', 'result', 'valid_until'])
    .where('client_agency_id', '=', clientAgencyId)
    .where('withdrawn_at', 'is', null)
    .where('result', '<>', '')
    .orderBy('issued_on', 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('attempt_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const current = { result: newest?.result ?? ('' as const), validUntil: newest?.valid_until ?? '' };
  const renewOn = renewalOf(current, Number(renewBeforeDays));
  await db()
    .updateTable('cnd_client_agencies')
    .set({
      current_attempt_id: newest?.attempt_id ?? null,
      result: current.result,
      valid_until: current.validUntil,
      renew_on: renewOn,
      next_notice_on: nextNoticeOn({ ...current, renewOn }),
    })
    .where('client_agency_id', '=', clientAgencyId)
    .execute();
  await lapseSettled.announce({ clientAgencyIds: [clientAgencyId] });
}

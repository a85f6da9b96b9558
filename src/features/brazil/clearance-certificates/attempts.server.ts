import { assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { asKeeper, todayOf } from './access.server.ts';
import type { Attempt, NOTED } from './clearance-certificates.ts';
import { attemptsOf, followedRow, presentAttempts, refreshCurrent } from './internal/rows.server.ts';

/* The history of an agency for a client: certificates, and what agencies answered instead. */

export type ListedAttempt = Attempt & { documentId: string | null };

/** The attempts at an agency for a client, the newest first; NOT_FOUND for a client of others. */
export async function listAttempts(
  actor: Actor,
  { clientId, agencyId, start, limit }: { clientId: string; agencyId: string; start: number; limit: number },
): Promise<{ items: ListedAttempt[]; totalItems: number }> {
  await assertActsFor(actor, clientId);
  const all = attemptsOf(actor)
    .where('cnd_client_agencies.client_id', '=', clientId)
    .where('cnd_client_agencies.agency_id', '=', agencyId);
  const { total } = await all.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await all
    .selectAll('cnd_attempts')
    .select('cnd_client_agencies.agency_id')
    .orderBy('cnd_attempts.created_at', 'desc')
    .orderBy('cnd_attempts.attempt_id', 'desc')
    .limit(limit)
    .offset(start)
    .execute();
  return { items: await presentAttempts(actor, rows), totalItems: Number(total) };
}

/** Attempts with these ids; those that the actor does not see are left out. */
export async function attemptsByIds(actor: Actor, ids: readonly string[]): Promise<ListedAttempt[]> {
  if (ids.length === 0) return [];
  const rows = await attemptsOf(actor)
    .selectAll('cnd_attempts')
    .select('cnd_client_agencies.agency_id')
    .where('cnd_attempts.attempt_id', 'in', ids)
    .execute();
  return presentAttempts(actor, rows);
}

/** The document of an attempt; NOT_FOUND for one without, and where the document is not visible any more. */
export async function documentOf(actor: Actor, attemptId: string): Promise<string> {
  const [attempt] = await attemptsByIds(actor, [attemptId]);
  if (typeof attempt?.documentId !== 'string') throw notFound();
  return attempt.documentId;
}

/** Notes what an agency answered when staff asked it; FORBIDDEN, NOT_FOUND. */
export const noteAttempt = (
  actor: Actor,
  {
    clientId,
    agencyId,
    status,
    note,
  }: { clientId: string; agencyId: string; status: (typeof NOTED)[number]; note: string },
): Promise<void> =>
  asKeeper(actor, async (current) => {
    const { companyId, contactId } = current;
    const row = await followedRow(current, clientId, agencyId);
    const id = newId('attempt');
    const today = await todayOf(current);
    await db()
      .insertInto('cnd_attempts')
      .values({
        attempt_id: id,
        company_id: companyId,
        client_id: clientId,
        client_agency_id: row.client_agency_id,
        status,
        source: 'note',
        result: '',
        number: encryptFor('cnd_attempts.number', id, ''),
        control_code: encryptFor('cnd_attempts.control_code', id, ''),
        cnpj: '',
        issued_on: today,
        valid_until: '',
        document_id: null,
        sha256: '',
        note: encryptFor('cnd_attempts.note', id, note),
        created_at: now(),
        created_by: contactId,
        withdrawn_at: null,
      })
      .execute();
    await audit({
      companyId,
      actor: contactId,
      action: 'clearance.note',
      target: row.client_agency_id,
      clientId,
    });
  });

/** Withdraws an attempt that was filed by mistake: it does not count any more. Its document stays. NOT_FOUND, FORBIDDEN. */
export const withdrawAttempt = (actor: Actor, attemptId: string): Promise<void> =>
  asKeeper(actor, async (current) => {
    const row = await attemptsOf(current)
      .select(['cnd_attempts.client_agency_id', 'cnd_attempts.client_id'])
      .where('cnd_attempts.attempt_id', '=', attemptId)
      .executeTakeFirst();
    if (!row) throw notFound();
    await db()
      .updateTable('cnd_attempts')
      .set({ withdrawn_at: now() })
      .where('attempt_id', '=', attemptId)
      .where('withdrawn_at', 'is', null)
      .execute();
    await refreshCurrent(row.client_agency_id);
    await audit({
      companyId: current.companyId,
      actor: current.contactId,
      action: 'clearance.withdraw',
      target: row.client_agency_id,
      clientId: row.client_id,
    });
  });

/** Documents that were removed for good are not there any more. */
export async function forgetDocuments({ documentIds }: { documentIds: readonly string[] }): Promise<void> {
  await db()
    .updateTable('cnd_attempts')
    .set({ document_id: null })
    .where('document_id', 'in', documentIds)
    .execute();
}

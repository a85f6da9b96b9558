import { assertActsFor, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { asKeeper, todayOf } from './access.server.ts';
import { isAgency } from './agency-names.server.ts';
import { MAX_AGENCIES } from './clearance-certificates.ts';
import { lapseSettled } from './events.server.ts';
import { followedBy, followedRow, refreshCurrent, type AgencyRow } from './internal/rows.server.ts';
import { DEFAULT_RENEW_DAYS, lightOf, type Light, type Result } from './lights.ts';

/* Which agencies the firm follows for a client, and what is known there. */

export interface Followed {
  id: string;
  agencyId: string;
  clientId: string;
  light: Light;
  result: Result | '';
  validUntil: string;
  currentAttemptId: string | null;
  renewBeforeDays: number;
  notifiesClient: boolean;
}

export const present = (row: AgencyRow, today: string): Followed => ({
  id: row.client_agency_id,
  agencyId: row.agency_id,
  clientId: row.client_id,
  light: lightOf({ result: row.result, validUntil: row.valid_until, renewOn: row.renew_on }, today),
  result: row.result,
  validUntil: row.valid_until,
  currentAttemptId: row.current_attempt_id,
  renewBeforeDays: Number(row.renew_before_days),
  notifiesClient: row.notifies_client === 1,
});

/** What is followed for a client: what needs a renewal first, then the rest by its last day. NOT_FOUND. */
export async function listFollowed(actor: Actor, clientId: string): Promise<Followed[]> {
  await assertActsFor(actor, clientId);
  const rows = await followedBy(actor)
    .selectAll('cnd_client_agencies')
    .where('cnd_client_agencies.client_id', '=', clientId)
    .orderBy('renew_on')
    .orderBy('client_agency_id')
    .limit(MAX_AGENCIES)
    .execute();
  const today = await todayOf(actor);
  return rows.map((row) => present(row, today));
}

/** One of them; NOT_FOUND. */
export const followedOf = async (actor: Actor, clientId: string, agencyId: string): Promise<Followed> =>
  present(await followedRow(actor, clientId, agencyId), await todayOf(actor));

interface Following {
  renewBeforeDays: number;
  notifiesClient: boolean;
}

/**
 * Follows an agency for a client, again if nobody did any more; what is known stays. NAME_CONFLICT if it is followed already,
 * TOO_MANY, GONE for an archived client, INVALID for an agency that does not exist, FORBIDDEN, NOT_FOUND.
 */
export const followAgency = (
  actor: Actor,
  { clientId, agencyId, ...following }: Following & { clientId: string; agencyId: string },
): Promise<void> =>
  asKeeper(actor, async (current) => {
    await assertIsCurrent(current, clientId);
    if (!isAgency(agencyId)) throw new PortalError('INVALID');
    const known = await ofClient(clientId);
    const same = known.find((row) => row.agency_id === agencyId);
    if (same?.ended_at === null) throw new PortalError('NAME_CONFLICT');
    if (known.filter((row) => row.ended_at === null).length >= MAX_AGENCIES)
      throw new PortalError('TOO_MANY', { most: MAX_AGENCIES });
    const id = same?.client_agency_id ?? (await insertFollowed(current, { clientId, agencyId }));
    await store(id, following);
    await note(current, 'clearance.follow', { clientId, target: id });
  });

/** Changes when a certificate should be renewed, and whether the client is told; FORBIDDEN, NOT_FOUND. */
export const changeFollowing = (
  actor: Actor,
  { clientId, agencyId, ...following }: Following & { clientId: string; agencyId: string },
): Promise<void> =>
  asKeeper(actor, async (current) => {
    const { client_agency_id: id } = await followedRow(current, clientId, agencyId);
    await store(id, following);
    await note(current, 'clearance.change', { clientId, target: id });
  });

/** Stops following an agency for a client. Its certificates stay. FORBIDDEN, NOT_FOUND. */
export const unfollowAgency = (actor: Actor, clientId: string, agencyId: string): Promise<void> =>
  asKeeper(actor, async (current) => {
    const { client_agency_id: id } = await followedRow(current, clientId, agencyId);
    await db()
      .updateTable('cnd_client_agencies')
      .set({ ended_at: now(), next_notice_on: '' })
      .where('client_agency_id', '=', id)
      .execute();
    await lapseSettled.announce({ clientAgencyIds: [id] });
    await note(current, 'clearance.unfollow', { clientId, target: id });
  });

/** The row of an agency of a client, which is followed from now on if it was not; in the open transaction. */
export async function ensureFollowed(actor: Actor, clientId: string, agencyId: string): Promise<string> {
  const same = (await ofClient(clientId)).find((row) => row.agency_id === agencyId);
  if (same?.ended_at === null) return same.client_agency_id;
  const id = same?.client_agency_id ?? (await insertFollowed(actor, { clientId, agencyId }));
  await store(id, {
    renewBeforeDays: same ? Number(same.renew_before_days) : DEFAULT_RENEW_DAYS,
    notifiesClient: same?.notifies_client === 1,
  });
  await note(actor, 'clearance.follow', { clientId, target: id });
  return id;
}

/** Throws NOT_FOUND for a client of others, GONE for an archived one. */
export async function assertIsCurrent(actor: Actor, clientId: string): Promise<void> {
  const client = await clientIdsOf(actor)
    .select('clients.archived_at')
    .where('clients.client_id', '=', clientId)
    .executeTakeFirst();
  if (!client) throw notFound();
  if (client.archived_at !== null) throw new PortalError('GONE');
}

const ofClient = (clientId: string) =>
  db().selectFrom('cnd_client_agencies').selectAll().where('client_id', '=', clientId).execute();

async function insertFollowed(
  { companyId, contactId }: Actor,
  { clientId, agencyId }: { clientId: string; agencyId: string },
): Promise<string> {
  const id = newId('clearance');
  await db()
    .insertInto('cnd_client_agencies')
    .values({
      client_agency_id: id,
      company_id: companyId,
      client_id: clientId,
      agency_id: agencyId,
      renew_before_days: DEFAULT_RENEW_DAYS,
      notifies_client: 0,
      current_attempt_id: null,
      result: '',
      valid_until: '',
      renew_on: '',
      next_notice_on: '',
      created_at: now(),
      created_by: contactId,
      ended_at: null,
    })
    .execute();
  return id;
}

async function store(id: string, { renewBeforeDays, notifiesClient }: Following): Promise<void> {
  await db()
    .updateTable('cnd_client_agencies')
    .set({
      renew_before_days: renewBeforeDays,
      notifies_client: notifiesClient ? 1 : 0,
      ended_at: null,
    })
    .where('client_agency_id', '=', id)
    .execute();
  await refreshCurrent(id);
}

const note = (
  { companyId, contactId }: Actor,
  action: 'clearance.follow' | 'clearance.change' | 'clearance.unfollow',
  about: { clientId: string; target: string },
): Promise<void> => audit({ companyId, actor: contactId, action, ...about });

import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorNow, assertActsFor } from '#features/base/people/people.server.ts';
import { hasPart, type Actor } from '#features/base/people/people.ts';
import { keepsCertificates } from '#features/brazil/clearance-certificates/access.server.ts';
import { inOrder } from '#features/brazil/clearance-certificates/agencies.ts';
import { assertIsCurrent, listFollowed } from '#features/brazil/clearance-certificates/following.server.ts';
import { domainsOf } from '#features/sharing/sharing/domains.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { addDays, dayOf, startOfDay } from '#platform/text/time-zones.ts';
import { pageAddress } from '#platform/http/addresses.server.ts';
import { MAX_DAYS, type Passport, type PassportRequest } from './clearance-passport.ts';
import {
  decrypted,
  endPassport,
  insertPassport,
  passportRow,
  passportsOf,
  type StoredPassport,
} from './internal/rows.server.ts';

/*
 * Passports: links by which somebody without an account, such as a bank, sees the certificates of a client as they are on the
 * day on which the link is opened. The contacts of the client make and revoke them, and the staff who keep its certificates.
 */

const MAX_A_DAY = 30;

/** Whether somebody makes and revokes passports: contacts who see certificates, and staff who keep them. */
export const makesPassports = (actor: Actor): boolean =>
  actor.viewedBy === undefined &&
  (actor.staff ? keepsCertificates(actor) : hasPart(actor.access, 'dashboards'));

function assertMakes(actor: Actor): void {
  if (!makesPassports(actor)) throw new PortalError('FORBIDDEN');
}

/** Whether the firm lets links go only to certain domains: nobody knows who opens a passport, so that there is none then. */
export const isRestricted = async ({ companyId }: Actor): Promise<boolean> =>
  (await domainsOf(companyId)).length > 0;

/**
 * Makes a passport, and returns the token of its address, which is stored nowhere. NOT_FOUND for a client of others, GONE for an
 * archived one; INVALID with its `field` for agencies that are not followed and for an end in the past or too late;
 * DOMAIN_NOT_ALLOWED if links may go only to certain domains; TOO_MANY beyond 30 a day; FORBIDDEN.
 */
export async function makePassport(
  actor: Actor,
  { clientId, recipient, agencyIds, endsOn }: PassportRequest,
): Promise<{ passportId: string; token: string }> {
  assertMakes(actor);
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertMakes(current);
    await assertIsCurrent(current, clientId);
    if (await isRestricted(current)) throw new PortalError('DOMAIN_NOT_ALLOWED');
    const followed = (await listFollowed(current, clientId)).map(({ agencyId }) => agencyId);
    if (agencyIds.length === 0 || !agencyIds.every((id) => followed.includes(id)))
      throw new PortalError('INVALID', { field: 'agencyIds' });
    const expiresAt = await endOf(current, endsOn);
    await consume(`passports:${current.contactId}`, MAX_A_DAY, DAY);
    const chosen = inOrder(followed.filter((id) => agencyIds.includes(id)));
    const made = await insertPassport(current, { clientId, recipient, agencyIds: chosen, expiresAt });
    await note(current, 'clearance-passport.make', { id: made.passportId, clientId });
    return made;
  });
}

/** The end of a day in the time zone of the firm; INVALID for one in the past, or more than 90 days from today. */
async function endOf({ companyId }: Actor, day: string): Promise<number> {
  const { timeZone } = await firmOf(companyId);
  const today = dayOf(now(), timeZone);
  if (day < today || day > addDays(today, MAX_DAYS)) throw new PortalError('INVALID', { field: 'endsOn' });
  return startOfDay(day, timeZone, 1);
}

/** The address of the page of a passport. */
export const passportAddress = (lang: Lang, token: string): string =>
  config.origin + pageAddress(lang, `clearance/${token}`);

/** The passports of a client, the newest first; NOT_FOUND for a client of others. */
export async function listPassports(
  actor: Actor,
  { clientId, start, limit }: { clientId: string; start: number; limit: number },
): Promise<{ items: Passport[]; totalItems: number }> {
  await assertActsFor(actor, clientId);
  const all = passportsOf(actor).where('cnd_passports.client_id', '=', clientId);
  const { total } = await all.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await all
    .leftJoin('contacts', 'contacts.contact_id', 'cnd_passports.made_by')
    .selectAll('cnd_passports')
    .select('contacts.full_name')
    .orderBy('made_at', 'desc')
    .orderBy('passport_id', 'desc')
    .limit(limit)
    .offset(start)
    .execute();
  return {
    items: rows.map((row) => present({ ...decrypted(row), madeBy: row.full_name ?? '' })),
    totalItems: Number(total),
  };
}

/** A passport that can be revoked, with its recipient; NOT_FOUND, GONE for one that is over. */
export async function loadOpenPassport(
  actor: Actor,
  clientId: string,
  passportId: string,
): Promise<StoredPassport> {
  const row = await passportRow(actor, passportId);
  if (row.client_id !== clientId) throw new PortalError('NOT_FOUND');
  if (stateOf(row) !== 'open') throw new PortalError('GONE');
  return row;
}

/** Revokes a passport: its address leads nowhere from now on. Nothing for one that is over; NOT_FOUND, FORBIDDEN. */
export async function revokePassport(actor: Actor, passportId: string): Promise<void> {
  assertMakes(actor);
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertMakes(current);
    const { client_id: clientId } = await passportRow(current, passportId);
    if (await endPassport(passportId))
      await note(current, 'clearance-passport.revoke', { id: passportId, clientId });
  });
}

function stateOf({
  revoked_at: revoked,
  expires_at: expires,
}: Pick<StoredPassport, 'revoked_at' | 'expires_at'>): Passport['state'] {
  if (revoked !== null && revoked < expires) return 'revoked';
  return expires <= now() || revoked !== null ? 'expired' : 'open';
}

const present = (row: StoredPassport & { madeBy: string }): Passport => ({
  id: row.passport_id,
  clientId: row.client_id,
  recipient: row.recipient,
  agencyIds: [...row.agencyIds],
  state: stateOf(row),
  createdDate: new Date(row.made_at).toISOString(),
  createdBy: row.madeBy,
  expirationDate: new Date(row.expires_at).toISOString(),
  openings: Number(row.openings),
  lastOpenedDate: row.last_opened_at === null ? null : new Date(row.last_opened_at).toISOString(),
});

const note = (
  { companyId, contactId }: Actor,
  action: 'clearance-passport.make' | 'clearance-passport.revoke',
  { id, clientId }: { id: string; clientId: string },
): Promise<void> => audit({ companyId, actor: contactId, action, target: id, clientId });

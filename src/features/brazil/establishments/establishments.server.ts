import { clientIdsOf, actorNow, assertActsFor } from '#features/base/people/people.server.ts';
import { hasArea, type Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError, notFound } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { isCity } from './cities.server.ts';
import {
  establishmentChange,
  establishmentInput,
  MAX_ESTABLISHMENTS,
  type Establishment,
  type EstablishmentChange,
  type EstablishmentInput,
} from './establishments.ts';
import {
  establishmentsOf,
  ownRow,
  present,
  updateRow,
  type EstablishmentRow,
} from './internal/rows.server.ts';

/* The firm keeps the establishments of its clients; contacts with the service requests see them. */

/** The establishments of a client, the head office first, then by CNPJ; FORBIDDEN, NOT_FOUND. */
export async function listEstablishments(actor: Actor, clientId: string): Promise<Establishment[]> {
  assertSees(actor);
  await assertActsFor(actor, clientId);
  const rows = await establishmentsOf(actor)
    .where('client_id', '=', clientId)
    .orderBy('is_head_office', 'desc')
    .orderBy('cnpj')
    .execute();
  return rows.map(present);
}

/** An establishment of one of the actor's clients; FORBIDDEN, NOT_FOUND. */
export async function establishmentOf(actor: Actor, establishmentId: string): Promise<Establishment> {
  assertSees(actor);
  return present(await ownRow(actor, establishmentId));
}

/** Whether somebody sees establishments: staff, and contacts with the service requests. */
export const seesEstablishments = ({ staff, access }: Actor): boolean =>
  staff || hasArea(access, 'service-request');

export const keepsEstablishments = ({ staff, access }: Actor): boolean =>
  staff && access.permissions.has('Publish');

export function assertSees(actor: Actor): void {
  if (!seesEstablishments(actor)) throw new PortalError('FORBIDDEN');
}

/**
 * Adds a branch to a client and returns it. NAME_CONFLICT if the client has one with this CNPJ, INVALID for a city that does
 * not exist, TOO_MANY, FORBIDDEN, NOT_FOUND.
 */
export const addEstablishment = (
  actor: Actor,
  clientId: string,
  input: EstablishmentInput,
): Promise<Establishment> =>
  asKeeper(actor, async (current) => {
    const client = await clientIdsOf(current).where('clients.client_id', '=', clientId).executeTakeFirst();
    if (!client) throw notFound();
    const fields = establishmentInput.parse(input);
    assertCity(fields.city);
    const own = await cnpjsOf(clientId);
    assertIsFree(own, fields.cnpj);
    if (own.length >= MAX_ESTABLISHMENTS) throw new PortalError('TOO_MANY', { most: MAX_ESTABLISHMENTS });
    const instant = now();
    const row: EstablishmentRow = {
      establishment_id: newId('establishment'),
      company_id: current.companyId,
      client_id: clientId,
      ...columnsOf(fields),
      is_head_office: 0,
      version: 1,
      created_at: instant,
      modified_at: instant,
      removed_at: null,
    };
    await db().insertInto('establishments').values(row).execute();
    await note(current, 'establishment.add', row);
    return present(row);
  });

/**
 * Changes an establishment and returns it. EDIT_CONFLICT if `version` is not the current one, INVALID for a city that does
 * not exist and for another CNPJ of the head office, NAME_CONFLICT, FORBIDDEN, NOT_FOUND.
 */
export const changeEstablishment = (
  actor: Actor,
  establishmentId: string,
  input: EstablishmentChange,
): Promise<Establishment> =>
  asKeeper(actor, async (current) => {
    const before = await ownRow(current, establishmentId);
    const change = establishmentChange.parse(input);
    if (change.version !== before.version) throw new PortalError('EDIT_CONFLICT');
    const stored = present(before);
    const fields = {
      cnpj: change.cnpj ?? stored.cnpj,
      name: change.name ?? stored.name,
      stateRegistration: change.stateRegistration ?? stored.stateRegistration,
      city: change.city ?? stored.city,
      restDays: change.restDays ?? stored.restDays,
    };
    assertCity(fields.city);
    if (fields.cnpj !== before.cnpj) {
      if (before.is_head_office === 1) throw invalid('cnpj');
      assertIsFree(await cnpjsOf(before.client_id), fields.cnpj);
    }
    await updateRow(before, { ...columnsOf(fields), modified_at: now() });
    await note(current, 'establishment.change', before);
    return present(await ownRow(current, establishmentId));
  });

/** Removes a branch: what names it goes on to do so. NOT_POSSIBLE for the head office, FORBIDDEN, NOT_FOUND. */
export const removeEstablishment = (actor: Actor, establishmentId: string): Promise<void> =>
  asKeeper(actor, async (current) => {
    const row = await ownRow(current, establishmentId);
    if (row.is_head_office === 1) throw new PortalError('NOT_POSSIBLE');
    await updateRow(row, { removed_at: now(), modified_at: now() });
    await note(current, 'establishment.remove', row);
  });

async function asKeeper<Result>(actor: Actor, work: (current: Actor) => Promise<Result>): Promise<Result> {
  assertKeeps(actor);
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertKeeps(current);
    return work(current);
  });
}

function assertKeeps(actor: Actor): void {
  if (!keepsEstablishments(actor)) throw new PortalError('FORBIDDEN');
}

const columnsOf = (fields: Omit<Establishment, 'id' | 'clientId' | 'isHeadOffice' | 'version'>) => ({
  cnpj: fields.cnpj,
  name: fields.name,
  state_registration: fields.stateRegistration,
  city: fields.city,
  rest_days: fields.restDays.join(''),
});

const invalid = (field: string): PortalError =>
  new PortalError('INVALID', { problems: [{ field, problem: 'wrong' }] });

function assertCity(city: string): void {
  if (city !== '' && !isCity(city)) throw invalid('city');
}

/** The CNPJs of a client’s head office and branches. */
export async function cnpjsOf(clientId: string): Promise<string[]> {
  const rows = await db()
    .selectFrom('establishments')
    .select('cnpj')
    .where('client_id', '=', clientId)
    .where('removed_at', 'is', null)
    .execute();
  return rows.map(({ cnpj }) => cnpj);
}

function assertIsFree(taken: readonly string[], cnpj: string): void {
  if (taken.includes(cnpj)) throw new PortalError('NAME_CONFLICT', { field: 'cnpj' });
}

const note = (
  { companyId, contactId }: Actor,
  action: 'establishment.add' | 'establishment.change' | 'establishment.remove',
  { establishment_id: target, client_id: clientId }: EstablishmentRow,
): Promise<void> => audit({ companyId, actor: contactId, action, target, clientId });

/** The establishments of a firm with these CNPJs, of all its clients: for what names one by its number. */
export function establishmentsWithCnpj(
  companyId: string,
  cnpjs: readonly string[],
): Promise<{ id: string; clientId: string; cnpj: string }[]> {
  return db()
    .selectFrom('establishments')
    .select(['establishment_id as id', 'client_id as clientId', 'cnpj'])
    .where('company_id', '=', companyId)
    .where('cnpj', 'in', cnpjs)
    .where('removed_at', 'is', null)
    .execute();
}

/** Whether the firm has a client in Brazil with a CNPJ, whose head office is then here. */
export async function hasEstablishments({ companyId }: Pick<Actor, 'companyId'>): Promise<boolean> {
  const one = await db()
    .selectFrom('establishments')
    .select('establishment_id')
    .where('company_id', '=', companyId)
    .limit(1)
    .executeTakeFirst();
  return one !== undefined;
}

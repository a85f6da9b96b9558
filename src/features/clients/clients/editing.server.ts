import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { isInvitationId } from '#features/identity/invitations/invited-staff.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assignClient } from '#features/base/people/rights.server.ts';
import { audit, auditAll } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, fold, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import {
  clientChange,
  clientInput,
  fieldProblems,
  type ClientChange,
  type ClientInput,
  type ClientRecord,
} from './client-records.ts';
import { clientRecord } from './client-records.server.ts';
import { assertAreNoDuplicates } from './duplicates.server.ts';
import { insertClients, updateRows } from './internal/rows.server.ts';

interface DuplicateOptions {
  /** Somebody decided so, having seen the client that it may be. */
  allowDuplicate?: boolean;
}

/**
 * Creates a client of the own firm and returns its id. FORBIDDEN without ManageClients; INVALID with the
 * problems by field; NAME_CONFLICT if the number is taken; POSSIBLE_DUPLICATE if it may be a client that exists, unless
 * that is allowed. Staff with assigned clients get it assigned.
 */
export async function createClient(
  actor: Actor,
  input: ClientInput,
  options: DuplicateOptions = {},
): Promise<string> {
  const [clientId = ''] = await createClients(actor, [input], options);
  return clientId;
}

/** Does the same with many, with few statements. If one is refused, none is created. */
export async function createClients(
  actor: Actor,
  inputs: readonly ClientInput[],
  { allowDuplicate = false }: DuplicateOptions = {},
): Promise<string[]> {
  assertManagesClients(actor);
  const clients = inputs.map((input) => valid(clientInput, input));
  return inTransaction(async () => {
    const current = await managerNow(actor);
    const { companyId, contactId } = current;
    await assertCodesAreFree(
      companyId,
      clients.map(({ code }) => code),
    );
    await assertAreStaff(
      companyId,
      clients.flatMap(({ responsible }) => responsible),
    );
    if (!allowDuplicate) await assertAreNoDuplicates(current, clients);
    const ids = await insertClients(companyId, clients);
    if (!current.hasAllClients)
      for (const [index, clientId] of ids.entries())
        if (clients[index]?.responsible.includes(contactId) === false)
          await assignClient(clientId, contactId, false);
    await auditAll(
      companyId,
      ids.map((target) => ({ actor: contactId, action: 'client.create', target, clientId: target })),
    );
    return ids;
  });
}

type ClientChangeInput = z.input<typeof clientChange> & DuplicateOptions & { version?: number };

/**
 * Changes fields of a client and returns it. EDIT_CONFLICT if `version` is not the current one; GONE if the
 * client was merged into another. See {@link createClient} for the other errors.
 */
export async function updateClient(
  actor: Actor,
  clientId: string,
  { version, allowDuplicate = false, ...input }: ClientChangeInput,
): Promise<ClientRecord> {
  assertManagesClients(actor);
  const change = valid(clientChange, input);
  return inTransaction(async () => {
    const current = await managerNow(actor);
    const before = await clientRecord(current, clientId);
    if (before.mergedInto !== null) throw new PortalError('GONE');
    if (version !== undefined && version !== before.version) throw new PortalError('EDIT_CONFLICT');
    const changed = differences(before, change);
    if (Object.keys(changed).length === 0) return before;
    if (changed.code !== undefined) await assertCodesAreFree(current.companyId, [changed.code], clientId);
    if (!allowDuplicate) await assertAreNoDuplicates(current, [newIdentity(before, changed)], clientId);
    const added = changed.responsible?.filter((id) => !before.responsible.includes(id));
    await assertAreStaff(current.companyId, added ?? []);
    const next = Math.max(now(), before.version + 1);
    await updateRows({ companyId: current.companyId, before, version: next }, changed);
    await note(current, 'client.update', clientId, { fields: Object.keys(changed).join(' ') });
    return clientRecord(current, clientId);
  });
}

/** The number and the tax ids that a change gives a client. */
const newIdentity = (before: ClientRecord, { code = '', taxIds = [] }: ClientChange) => ({
  code,
  taxIds: taxIds.filter(
    ({ kind, number }) => !before.taxIds.some((known) => known.kind === kind && known.number === number),
  ),
});

/** Throws FORBIDDEN unless the actor may create and change clients. */
export function assertManagesClients({ staff, access }: Actor): void {
  if (!staff || !access.permissions.has('ManageClients')) throw new PortalError('FORBIDDEN');
}

/** The actor as of now, inside a transaction; FORBIDDEN if they may no longer manage clients. */
export async function managerNow(actor: Actor): Promise<Actor> {
  const current = await actorNow(actor);
  assertManagesClients(current);
  return current;
}

/** Writes an entry about a client into the audit log. */
export const note = (
  { companyId, contactId }: Actor,
  action: 'client.update' | 'client.archive' | 'client.restore',
  clientId: string,
  details?: Record<string, string | number>,
): Promise<void> =>
  audit({ companyId, actor: contactId, action, target: clientId, clientId, ...(details && { details }) });

function valid<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw new PortalError('INVALID', { problems: fieldProblems(parsed.error) });
  return parsed.data;
}

/** The fields of a change whose values differ. */
function differences(before: ClientRecord, change: ClientChange): ClientChange {
  const unordered = (value: unknown): unknown =>
    Array.isArray(value) ? value.map((item) => JSON.stringify(item)).toSorted() : value;
  const differs = ([name, value]: [string, unknown]): boolean =>
    !isDeepStrictEqual(unordered(value), unordered(before[name as keyof ClientRecord]));
  return Object.fromEntries(Object.entries(change).filter(differs));
}

/**
 * Throws NAME_CONFLICT if another client of the firm has one of these numbers, or two are the same. Transactions
 * are serializable, so that no other one takes it meanwhile. The number of a merged client is free.
 */
async function assertCodesAreFree(companyId: string, codes: readonly string[], ownId = ''): Promise<void> {
  const keys = codes.filter((code) => code !== '').map(fold);
  let isTaken = new Set(keys).size < keys.length;
  for (const some of inBatches(keys))
    isTaken ||=
      (await db()
        .selectFrom('clients')
        .select('client_id')
        .where('company_id', '=', companyId)
        .where('code_key', 'in', some)
        .where('client_id', '!=', ownId)
        .where('merged_into', 'is', null)
        .limit(1)
        .executeTakeFirst()) !== undefined;
  if (isTaken) throw new PortalError('NAME_CONFLICT', { field: 'code' });
}

/** Throws INVALID unless all of these contacts are staff of the firm; invitations are checked where they are stored. */
async function assertAreStaff(companyId: string, contactIds: readonly string[]): Promise<void> {
  const wanted = [...new Set(contactIds)].filter((id) => !isInvitationId(id));
  if (wanted.length === 0) return;
  const staff = await db()
    .selectFrom('contacts')
    .select('contact_id')
    .where('contact_id', 'in', wanted)
    .where('company_id', '=', companyId)
    .where('staff', '=', 1)
    .where('suspended_at', 'is', null)
    .execute();
  if (staff.length < wanted.length)
    throw new PortalError('INVALID', { problems: [{ field: 'responsible', problem: 'wrong' }] });
}

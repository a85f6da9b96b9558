import { assertActsFor } from '#features/base/people/people.server.ts';
import { hasArea, hasPart, type Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { ExpiringMap } from '#platform/runtime/expiring-map.server.ts';

/*
 * Whether fiscal documents are stored: by the flag BoxE of somebody, the switch of the firm, and that of the client
 * (spec 2 sections 4, 6 and 7).
 */

/** The switch of a session's firm, as it was last looked up. A new session begins without it. */
const remembered = new ExpiringMap<boolean>(10_000);
/** Other nodes learn of a switch by then. */
const REMEMBERED_FOR = MINUTE;
/** Raised by each switch of this node: what was remembered before is not used any more. */
let version = 0;

/** Whether the firm has ordered the storage, and somebody may use it. */
export async function isStorageOpen(actor: Actor): Promise<boolean> {
  if (!hasPart(actor.access, 'actions') || !hasArea(actor.access, 'box-e')) return false;
  if (actor.sessionId === undefined) return isOrdered(actor.companyId);
  const key = `${version} ${actor.sessionId} ${actor.companyId}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const current = await isOrdered(actor.companyId);
  remembered.set(key, current, REMEMBERED_FOR);
  return current;
}

async function isOrdered(companyId: string): Promise<boolean> {
  const row = await db()
    .selectFrom('fiscal_settings')
    .select('is_ordered')
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  return row?.is_ordered === 1;
}

/** Throws FORBIDDEN unless the storage is open to the actor. */
export async function assertStorageOpen(actor: Actor): Promise<void> {
  if (!(await isStorageOpen(actor))) throw new PortalError('FORBIDDEN');
}

/** The switch of the actor's client: on until it is switched off. NOT_FOUND for a client of others. */
export async function clientSwitch(
  actor: Actor,
  clientId: string,
): Promise<{ isEnabled: boolean; toggledAt: number | null }> {
  await assertActsFor(actor, clientId);
  const row = await db()
    .selectFrom('fiscal_clients')
    .select(['is_enabled', 'toggled_at'])
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return { isEnabled: row?.is_enabled !== 0, toggledAt: row?.toggled_at ?? null };
}

/** Throws FORBIDDEN unless documents may be added for the client: it is not archived, and its switch is on. */
export async function assertTakesDocuments(actor: Actor, clientId: string): Promise<void> {
  await assertStorageOpen(actor);
  const { isEnabled } = await clientSwitch(actor, clientId);
  if (!isEnabled) throw new PortalError('FORBIDDEN', { because: 'off' });
  const row = await db()
    .selectFrom('clients')
    .select('archived_at')
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow();
  if (row.archived_at !== null) throw new PortalError('GONE');
}

const assertManagesFirm = ({ staff, access }: Actor): void => {
  if (!staff || !access.permissions.has('ManageFirm')) throw new PortalError('FORBIDDEN');
};

/** Switches the storage of the firm on or off. What is stored stays. */
export async function orderStorage(actor: Actor, isOn: boolean): Promise<void> {
  assertManagesFirm(actor);
  const { companyId, contactId } = actor;
  const switched = { is_ordered: isOn ? 1 : 0, changed_at: now() } as const;
  await inTransaction(async () => {
    await db()
      .insertInto('fiscal_settings')
      .values({ company_id: companyId, ...switched })
      .onConflict((conflict) => conflict.column('company_id').doUpdateSet(switched))
      .execute();
    await audit({
      companyId,
      actor: contactId,
      action: isOn ? 'fiscal.order' : 'fiscal.end',
      target: companyId,
    });
  });
  version += 1;
}

/** Switches the storage for a client on or off. What is stored stays. */
export async function switchForClient(actor: Actor, clientId: string, isOn: boolean): Promise<void> {
  assertManagesFirm(actor);
  const { companyId, contactId } = actor;
  const switched = { is_enabled: isOn ? 1 : 0, toggled_at: now() } as const;
  await inTransaction(async () => {
    await assertActsFor(actor, clientId);
    await db()
      .insertInto('fiscal_clients')
      .values({ client_id: clientId, company_id: companyId, ...switched })
      .onConflict((conflict) => conflict.column('client_id').doUpdateSet(switched))
      .execute();
    await audit({
      companyId,
      actor: contactId,
      action: isOn ? 'fiscal.client-on' : 'fiscal.client-off',
      target: clientId,
      clientId,
    });
  });
}

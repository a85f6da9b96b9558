import type { Selectable } from 'kysely';
import { db, fold, inTransaction } from '#platform/database/database.server.ts';
import type { Bit, Tables } from '#platform/database/schema.server.ts';
import { ENDED_SESSION, noteSessionEnd } from './people.server.ts';
import { assignmentMac, contactMac, linkMac } from './rights-macs.server.ts';
import type { StaffRole } from './people.ts';

/*
 * What somebody may do in a firm, as rows with their MACs: role, clients, suspension. Callers check who may change
 * it, and call these in their transaction.
 */

/** Lets a contact act for a client of the same firm. */
export async function insertLink(clientId: string, contactId: string): Promise<void> {
  const mac = await linkMac(clientId, contactId);
  await db()
    .insertInto('client_contacts')
    .values({ client_id: clientId, contact_id: contactId, mac })
    .onConflict((conflict) => conflict.columns(['contact_id', 'client_id']).doNothing())
    .execute();
}

/** Assigns a client to a member of staff, who is responsible for it or not; undefined leaves that as it is. */
export async function assignClient(
  clientId: string,
  contactId: string,
  isResponsible?: boolean,
): Promise<void> {
  const mac = await assignmentMac(clientId, contactId);
  const is_responsible: Bit = isResponsible === true ? 1 : 0;
  await db()
    .insertInto('staff_clients')
    .values({ client_id: clientId, contact_id: contactId, mac, is_responsible })
    .onConflict((conflict) =>
      conflict
        .columns(['contact_id', 'client_id'])
        .doUpdateSet({ mac, ...(isResponsible !== undefined && { is_responsible }) }),
    )
    .execute();
}

type Rights = Partial<
  Pick<
    Selectable<Tables['contacts']>,
    'staff' | 'role' | 'all_clients' | 'suspended_at' | 'removed_at' | 'full_name'
  >
>;

/** Changes the rights of a contact, and their MAC with them. */
export async function changeRights(contactId: string, change: Rights): Promise<void> {
  const before = await db()
    .selectFrom('contacts')
    .selectAll()
    .where('contact_id', '=', contactId)
    .executeTakeFirstOrThrow();
  await db()
    .updateTable('contacts')
    .set({
      ...change,
      ...(change.full_name !== undefined && { name_key: fold(change.full_name) }),
      mac: await contactMac({ ...before, ...change }),
    })
    .where('contact_id', '=', contactId)
    .execute();
}

/** Makes somebody who was removed part of the firm again. */
export const restoreContact = (
  contactId: string,
  { fullName, role, hasAllClients }: { fullName: string; role?: StaffRole; hasAllClients: boolean },
): Promise<void> =>
  changeRights(contactId, {
    full_name: fullName,
    staff: role === undefined ? 0 : 1,
    role: role ?? '',
    all_clients: hasAllClients ? 1 : 0,
    suspended_at: null,
    removed_at: null,
  });

/**
 * Ends the sessions and tokens of one account, those in which they view as somebody included; returns the
 * number of sessions. The person's sessions at other firms go on.
 */
export function endSessionsOfContact(contactId: string): Promise<number> {
  return inTransaction(async () => {
    const ended = await db()
      .deleteFrom('sessions')
      .where((e) =>
        e.or([
          e.and([e('contact_id', '=', contactId), e('viewer_contact_id', 'is', null)]),
          e('viewer_contact_id', '=', contactId),
          e('practiced_by', '=', contactId),
        ]),
      )
      .returning(ENDED_SESSION)
      .execute();
    await db().deleteFrom('long_tokens').where('contact_id', '=', contactId).execute();
    for (const one of ended) await noteSessionEnd(one);
    return ended.length;
  });
}

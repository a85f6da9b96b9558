import { z } from 'zod';
import { now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { sharedRead } from '#platform/database/shared-reads.server.ts';
import { invitationMac } from './mac.server.ts';

/*
 * People who were invited to the team and have not accepted yet can be responsible for clients: from the day on which
 * somebody is invited they are chosen like everyone else. The invitation carries it, and with its acceptance the clients
 * are theirs; once it is revoked nobody is responsible by it.
 */

/** Somebody who was invited to the team of a firm. */
export interface InvitedStaff {
  invitationId: string;
  fullName: string;
  emailAddress: string;
  /** Whether the link has expired: a new one has to be sent before they can accept. */
  isExpired: boolean;
  /** The clients that they will be responsible for. */
  responsibleIds: readonly string[];
}

export const isInvitationId = (id: string): boolean => id.startsWith('invitation_');

const ids = z.array(z.string());

/** The ids of the clients that an invitation names. */
export const clientsIn = (row: { client_ids: string }): string[] => ids.parse(JSON.parse(row.client_ids));

/** The ids of the clients that an invitation makes its reader responsible for. */
export const responsibleIdsIn = (row: { responsible_ids: string }): string[] =>
  ids.parse(JSON.parse(row.responsible_ids));

const waiting = (companyId: string) =>
  db()
    .selectFrom('invitations')
    .where('company_id', '=', companyId)
    .where('role', '!=', '')
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null);

/** The clients of a firm for which a contact is invited who has not accepted yet. */
export async function invitedClients(companyId: string): Promise<Set<string>> {
  const rows = await db()
    .selectFrom('invitations')
    .select('client_ids')
    .where('company_id', '=', companyId)
    .where('role', '=', '')
    .where('sent_at', '>', 0)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();
  return new Set(rows.flatMap(clientsIn));
}

/** Lists those of a firm who have not accepted yet, by name. */
export const invitedStaff = sharedRead(readInvitedStaff, (companyId) => companyId);

async function readInvitedStaff(companyId: string): Promise<InvitedStaff[]> {
  const rows = await waiting(companyId).selectAll().orderBy('name_key').orderBy('invitation_id').execute();
  return rows.map((row) => ({
    invitationId: row.invitation_id,
    fullName: `${row.first_name} ${row.last_name}`.trim(),
    emailAddress: decryptFrom('invitations.email', row.invitation_id, row.email),
    isExpired: row.sent_at > 0 && row.expires_at <= now(),
    responsibleIds: responsibleIdsIn(row),
  }));
}

/** The invited people who will be responsible for clients of a firm, by client. */
export async function invitedResponsible(companyId: string): Promise<Map<string, InvitedStaff[]>> {
  const found = new Map<string, InvitedStaff[]>();
  for (const person of await invitedStaff(companyId))
    for (const id of person.responsibleIds) found.set(id, [...(found.get(id) ?? []), person]);
  return found;
}

/**
 * Makes these invited people responsible for a number of clients, and no others, within the transaction of the caller,
 * who has checked that the actor may change them. INVALID with `responsible` for an invitation of another firm, or one
 * that was accepted or revoked.
 */
export async function setInvitedResponsible(
  companyId: string,
  clients: readonly { clientId: string; responsible: readonly string[] }[],
): Promise<void> {
  const rows = await waiting(companyId).selectAll().execute();
  const wanted = new Set(clients.flatMap(({ responsible }) => responsible.filter(isInvitationId)));
  for (const row of rows) wanted.delete(row.invitation_id);
  if (wanted.size > 0)
    throw new PortalError('INVALID', { problems: [{ field: 'responsible', problem: 'wrong' }] });
  const changed = new Set(clients.map(({ clientId }) => clientId));
  for (const row of rows) {
    const added = clients.flatMap(({ clientId, responsible }) =>
      responsible.includes(row.invitation_id) ? [clientId] : [],
    );
    const others = responsibleIdsIn(row).filter((id) => !changed.has(id));
    const responsible_ids = JSON.stringify([...others, ...added]);
    if (responsible_ids === row.responsible_ids) continue;
    // what somebody else has changed is not confirmed with it
    if (row.mac !== (await invitationMac(row))) continue;
    await db()
      .updateTable('invitations')
      .set({ responsible_ids, mac: await invitationMac({ ...row, responsible_ids }) })
      .where('invitation_id', '=', row.invitation_id)
      .execute();
  }
}

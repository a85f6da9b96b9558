import type { Selectable } from 'kysely';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { NamesOf } from '#platform/runtime/names.server.ts';
import { newId, newToken, sha256 } from '#platform/security/crypto.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';

type Row = Selectable<Tables['cnd_passports']>;

/** A passport as it is stored, with its recipient and agencies to be read. */
export type StoredPassport = Omit<Row, 'recipient' | 'agency_ids'> & {
  recipient: string;
  agencyIds: readonly string[];
};

export const decrypted = <Found extends Row>(row: Found) => {
  const { agency_ids: agencies, recipient, ...rest } = row;
  return {
    ...rest,
    recipient: decryptFrom('cnd_passports.recipient', row.passport_id, recipient),
    agencyIds: agencies.split(' '),
  };
};

/** Stores a passport, and returns its token, of which only the hash is stored. */
export async function insertPassport(
  { companyId, contactId }: Actor,
  made: { clientId: string; recipient: string; agencyIds: readonly string[]; expiresAt: number },
): Promise<{ passportId: string; token: string }> {
  const [passportId, token] = [newId('passport'), newToken()];
  await db()
    .insertInto('cnd_passports')
    .values({
      passport_id: passportId,
      company_id: companyId,
      client_id: made.clientId,
      token_hash: sha256(token),
      recipient: encryptFor('cnd_passports.recipient', passportId, made.recipient),
      agency_ids: made.agencyIds.join(' '),
      made_by: contactId,
      made_at: now(),
      expires_at: made.expiresAt,
      openings: 0,
      last_opened_at: null,
      revoked_at: null,
    })
    .execute();
  return { passportId, token };
}

/** The passports of clients of the actor. */
export const passportsOf = (actor: Actor) =>
  db().selectFrom('cnd_passports').where('cnd_passports.client_id', 'in', clientIdsOf(actor));

/** One of them; NOT_FOUND. */
export async function passportRow(actor: Actor, passportId: string): Promise<StoredPassport> {
  const row = await passportsOf(actor)
    .selectAll('cnd_passports')
    .where('passport_id', '=', passportId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return decrypted(row);
}

/** The passport of a token, with its client. */
export async function passportByToken(token: string) {
  const row = await db()
    .selectFrom('cnd_passports')
    .innerJoin('clients', 'clients.client_id', 'cnd_passports.client_id')
    .selectAll('cnd_passports')
    .select(['clients.name as client_name', 'clients.archived_at'])
    .where('token_hash', '=', sha256(token))
    .executeTakeFirst();
  return row && decrypted(row);
}

export const isOver = (
  { revoked_at: revoked, expires_at: expires }: Pick<Row, 'revoked_at' | 'expires_at'>,
  at = now(),
): boolean => revoked !== null || expires <= at;

/** Revokes a passport; false if it is over. */
export async function endPassport(passportId: string): Promise<boolean> {
  const { numUpdatedRows } = await db()
    .updateTable('cnd_passports')
    .set({ revoked_at: now() })
    .where('passport_id', '=', passportId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now())
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function addOpening(passportId: string): Promise<void> {
  await db()
    .updateTable('cnd_passports')
    .set((e) => ({ openings: e('openings', '+', 1), last_opened_at: now() }))
    .where('passport_id', '=', passportId)
    .execute();
}

/** The recipients of passports, for the audit log. */
export const recipientNames: NamesOf = async (ids) => {
  const rows = await db()
    .selectFrom('cnd_passports')
    .select(['passport_id', 'recipient'])
    .where('passport_id', 'in', ids)
    .execute();
  return rows.map(({ passport_id: id, recipient }) => ({
    id,
    name: decryptFrom('cnd_passports.recipient', id, recipient),
  }));
};

import { firmOf } from '#features/base/firms/firms.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { inSealThread, type SealSecret } from '../worker.server.ts';

/** Clocks differ, and documents may be sealed shortly after the last signature. */
const BACKDATED = 2 * DAY;
const YEARS = 10;

/** A new key: its certificate, and what a thread needs to use it. */
interface NewKey {
  companyId: string;
  origin: Tables['seal_keys']['origin'];
  certificate: Uint8Array;
  validTo: number;
  secret: SealSecret;
  /** The contact who changed it, or the portal. */
  actor: string;
}

/** The key with which a firm seals; made when there is none, or when the certificate of the last one has lapsed. */
export async function sealKeyOf(companyId: string): Promise<{ keyId: string; secret: SealSecret }> {
  const inUse = await keyInUse(companyId);
  if (inUse && inUse.valid_to > now()) return { keyId: inUse.key_id, secret: secretOf(inUse) };
  await changeKey(await makeKey(companyId, 'portal'), inUse?.key_id ?? null);
  const made = await keyInUse(companyId);
  if (!made) throw new Error('a firm has no seal key after one was made');
  return { keyId: made.key_id, secret: secretOf(made) };
}

const keyInUse = (companyId: string) =>
  db()
    .selectFrom('seal_keys')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('replaced_at', 'is', null)
    .executeTakeFirst();

export const secretOf = (row: Pick<Tables['seal_keys'], 'key_id'> & { secret: string }): SealSecret =>
  // written by us only
  JSON.parse(decryptFrom('seal_keys.secret', row.key_id, row.secret)) as SealSecret;

/** Makes a key with a certificate of ten years, in the name of the firm. */
export async function makeKey(companyId: string, actor: string): Promise<NewKey> {
  const { name } = await firmOf(companyId);
  const validFrom = now() - BACKDATED;
  const end = new Date(now());
  end.setUTCFullYear(end.getUTCFullYear() + YEARS);
  const validTo = end.getTime();
  const made = await inSealThread(
    { person: companyId, firm: companyId },
    { kind: 'make-key', name, validFrom, validUntil: validTo },
  );
  return { companyId, origin: 'portal', validTo, actor, ...made };
}

/**
 * Puts a key into use. With `instead`, only if that key (null: none) is the one in use, because two processes may
 * make the first key at the same moment.
 */
export function changeKey(key: NewKey, instead?: string | null): Promise<void> {
  return inTransaction(async () => {
    const { companyId, origin, certificate, validTo, secret, actor } = key;
    if (instead !== null)
      await db()
        .updateTable('seal_keys')
        .set({ replaced_at: now() })
        .where('company_id', '=', companyId)
        .where('replaced_at', 'is', null)
        .$if(instead !== undefined, (keys) => keys.where('key_id', '=', instead ?? ''))
        .execute();
    const keyId = newId('seal');
    const fingerprint = sha256(Buffer.from(certificate));
    const { numInsertedOrUpdatedRows: count } = await db()
      .insertInto('seal_keys')
      .values({
        key_id: keyId,
        company_id: companyId,
        origin,
        certificate: Buffer.from(certificate).toString('base64'),
        fingerprint,
        valid_to: validTo,
        secret: encryptFor('seal_keys.secret', keyId, JSON.stringify(secret)),
        created_at: now(),
        replaced_at: null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (!count) return; // another process has made one meanwhile
    await audit({
      companyId,
      actor,
      action: origin === 'portal' ? 'seal-key.make' : 'seal-key.load',
      target: keyId,
      details: { fingerprint },
    });
  });
}

export { BACKDATED as CLOCK_TOLERANCE };

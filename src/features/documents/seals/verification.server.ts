import { X509Certificate } from 'node:crypto';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { secretOf } from './internal/key-store.server.ts';

/**
 * Checks that every seal key can be used, that its certificate is the recorded one, and that every sealed file names a
 * key of its firm: for `npm run verify`. The bytes of sealed files are checked with the documents.
 */
export async function sealFaults(): Promise<string[]> {
  const faults: string[] = [];
  const keys = await db().selectFrom('seal_keys').selectAll().execute();
  for (const key of keys) {
    const certificate = Buffer.from(key.certificate, 'base64');
    if (sha256(certificate) !== key.fingerprint || !isCertificate(certificate))
      faults.push(`the certificate of the seal key ${key.key_id} is not as it was stored`);
    try {
      secretOf(key);
    } catch {
      faults.push(`the seal key ${key.key_id} cannot be decrypted`);
    }
  }
  const { count } = await db()
    .selectFrom('sealed_files')
    .leftJoin('seal_keys', (join) =>
      join
        .onRef('seal_keys.key_id', '=', 'sealed_files.key_id')
        .onRef('seal_keys.company_id', '=', 'sealed_files.company_id'),
    )
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('seal_keys.key_id', 'is', null)
    .executeTakeFirstOrThrow();
  if (Number(count) > 0) faults.push(`${count} sealed files name no seal key of their firm`);
  return faults;
}

function isCertificate(bytes: Buffer): boolean {
  try {
    new X509Certificate(bytes);
    return true;
  } catch {
    return false; // it is reported
  }
}

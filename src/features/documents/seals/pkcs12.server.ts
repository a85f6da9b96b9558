import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { QueueUser } from '#platform/jobs/fair-queue.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { inSealThread, SealThreadError } from './worker.server.ts';

/** A private key with its certificate and those that vouch for it, the key and `pem` of all as PEM. */
export interface OpenedKey {
  key: string;
  certificate: X509Certificate;
  pem: string;
}

/**
 * Opens a PKCS#12 file (.p12, .pfx), also one with the old ciphers that Node refuses. CODE_WRONG for a wrong password;
 * TYPE_NOT_ALLOWED for another file; NOT_POSSIBLE without a certificate of the key; TOO_MANY.
 */
export async function openPkcs12(
  user: QueueUser,
  { file, password }: { file: Uint8Array; password: string },
): Promise<OpenedKey> {
  const { key, certificates } = await refusing(() =>
    inSealThread(user, { kind: 'read-key', file, password }),
  );
  const [certificate, ...others] = certificates.map((der) => new X509Certificate(der));
  if (!certificate) throw new PortalError('NOT_POSSIBLE');
  const privateKey = createPrivateKey({ key: Buffer.from(key), format: 'der', type: 'pkcs8' });
  if (!certificate.checkPrivateKey(privateKey)) throw new PortalError('NOT_POSSIBLE');
  return {
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    certificate,
    pem: [certificate, ...others].map(String).join(''),
  };
}

/** Does something with a file of a key in the thread, whose refusals are those of a form. */
export async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SealThreadError)) throw error;
    if (error.why === 'wrong-password') throw new PortalError('CODE_WRONG');
    throw new PortalError(error.why === 'unsuitable-key' ? 'NOT_POSSIBLE' : 'TYPE_NOT_ALLOWED');
  }
}

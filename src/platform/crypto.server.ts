import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { config } from './config.server.ts';
import { ConfigurationError } from './startup.server.ts';

/** A secret of 256 bits for a link, cookie or ticket; 43 characters of base64url. Only its hash is stored. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** A public id: a prefix that tells what it is, and 128 random bits. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString('hex')}`;

export const sha256 = (value: string | Buffer): string => createHash('sha256').update(value).digest('hex');

let master: Buffer | undefined;

/** The master key of this installation, 32 bytes, made at the first start and kept outside the data folder. */
function masterKey(): Buffer {
  if (master) return master;
  if (!fs.existsSync(config.keyFile)) fs.writeFileSync(config.keyFile, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  const text = fs.readFileSync(config.keyFile, 'utf8').trim();
  const key = Buffer.from(text, 'hex');
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new ConfigurationError(`KEY_FILE=${config.keyFile} does not hold a key: it must hold 64 hexadecimal digits.`);
  return (master = key);
}

/** A key for one purpose, derived from the master key (HKDF-SHA-256), `bytes` long. */
export const keyFor = (purpose: string, bytes = 32): Buffer => Buffer.from(hkdfSync('sha256', masterKey(), '', purpose, bytes));

/** Encrypts text at rest: AES-256-GCM, bound to `place` so that a value cannot be moved elsewhere. */
export function seal(text: string, place: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyFor('at-rest'), iv).setAAD(Buffer.from(place));
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** The text that {@link seal} encrypted for the same `place`; throws when it was changed, moved or sealed with another key. */
export function unseal(sealed: string, place: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', keyFor('at-rest'), bytes.subarray(0, 12)).setAAD(Buffer.from(place));
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
}

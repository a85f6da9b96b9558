import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { config } from './config.server.ts';
import { log } from './log.server.ts';
import { ConfigurationError } from './startup.server.ts';

/** A secret of 256 bits for a link, cookie or ticket; 43 characters of base64url. Only its hash is stored. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** A public id: a prefix that tells what it is, and 128 random bits. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString('hex')}`;

export const sha256 = (value: string | Buffer): string => createHash('sha256').update(value).digest('hex');

/** One of the installation's master keys. What it sealed names it by `id`, eight hexadecimal digits of its digest. */
interface MasterKey {
  id: string;
  bytes: Buffer;
  derived: Map<string, Buffer>;
}

let ring: MasterKey[] | undefined;
/** Undefined while the file cannot be read. */
let ringStamp: number | undefined;
let ringCheckedAt = 0;
const LOOK_AGAIN = 2000;

/**
 * The keys of KEY_FILE, one of 64 hexadecimal digits per line, the newest first: what is sealed from now on takes the first, the others
 * only open. The file is made at the first start, outside the data folder; a change of it is noticed within two seconds, so that keys
 * are changed while the portal runs. A portal that runs goes on with the keys that it has while the file is gone or holds none.
 */
function keys(): readonly [MasterKey, ...MasterKey[]] {
  const instant = performance.now();
  if (!ring || instant - ringCheckedAt > LOOK_AGAIN) {
    ringCheckedAt = instant;
    if (!ring && !fs.existsSync(config.keyFile)) makeKeyFile();
    try {
      const stamp = fs.statSync(config.keyFile).mtimeMs;
      if (!ring || stamp !== ringStamp) ring = readKeys(fs.readFileSync(config.keyFile, 'utf8'));
      ringStamp = stamp;
    } catch (error) {
      if (!ring) throw error;
      if (ringStamp !== undefined) log.error({ err: error, event: 'key.unreadable' });
      ringStamp = undefined;
    }
  }
  return ring as [MasterKey, ...MasterKey[]];
}

/** Makes the first key. Of two nodes that start at the same moment both take the one that came first, whole. */
function makeKeyFile(): void {
  const beside = `${config.keyFile}.${randomBytes(8).toString('hex')}`;
  writeDurably(beside, [randomBytes(32).toString('hex')]);
  try {
    fs.linkSync(beside, config.keyFile);
  } catch {
    if (!fs.existsSync(config.keyFile)) fs.copyFileSync(beside, config.keyFile, fs.constants.COPYFILE_EXCL); // a file system without hard links
  } finally {
    fs.rmSync(beside);
  }
}

function writeDurably(place: string, lines: readonly string[]): void {
  const file = fs.openSync(place, 'wx', 0o600);
  fs.writeSync(file, `${lines.join('\n')}\n`);
  fs.fsyncSync(file);
  fs.closeSync(file);
}

function readKeys(text: string): MasterKey[] {
  const lines = text.split('\n').map((line) => line.trim()).filter(Boolean);
  if (lines.length === 0 || !lines.every((line) => /^[0-9a-f]{64}$/i.test(line))) throw new ConfigurationError(`KEY_FILE=${config.keyFile} does not hold a key: each of its lines must hold 64 hexadecimal digits.`);
  return lines.map((line) => {
    const bytes = Buffer.from(line, 'hex');
    return { id: sha256(bytes).slice(0, 8), bytes, derived: new Map<string, Buffer>() };
  });
}

/** The ids of the master keys, the newest first. */
export const keyIds = (): string[] => keys().map(({ id }) => id);

/** The id of the master key that sealed a value. */
export const sealedBy = (sealed: string): string => sealed.split('.', 1)[0] ?? '';

/** Puts a new master key in front of the others (`keep`: the ids of those that stay), safely: a crash leaves the old file or the new one. */
export function changeKeys(keep: readonly string[], addOne: boolean): void {
  const staying = keys().filter(({ id }) => keep.includes(id)).map(({ bytes }) => bytes.toString('hex'));
  const lines = [...(addOne ? [randomBytes(32).toString('hex')] : []), ...staying];
  if (lines.length === 0) throw new Error('an installation cannot be without a key');
  const beside = `${config.keyFile}.new`;
  fs.rmSync(beside, { force: true });
  writeDurably(beside, lines);
  fs.renameSync(beside, config.keyFile);
  ring = undefined;
}

/** A key for one purpose, derived from a master key (HKDF-SHA-256), 32 bytes; asked of every master key, the newest first, by {@link keysFor}. */
export const keyFor = (purpose: string): Buffer => derive(keys()[0], purpose);
export const keysFor = (purpose: string): Buffer[] => keys().map((key) => derive(key, purpose));

function derive(key: MasterKey, purpose: string): Buffer {
  const known = key.derived.get(purpose);
  if (known) return known;
  const made = Buffer.from(hkdfSync('sha256', key.bytes, '', purpose, 32));
  key.derived.set(purpose, made);
  return made;
}

const CIPHER = 'aes-256-gcm';
const IV = 12;
const TAG = 16;

/**
 * Encrypts text at rest: AES-256-GCM, bound to `place` (`table.column:row`) so that a value cannot be moved elsewhere. The answer is the
 * key's id, a dot, and base64url.
 */
export function seal(text: string, place: string): string {
  const [key] = keys();
  const iv = randomBytes(IV);
  const cipher = createCipheriv(CIPHER, derive(key, 'at-rest'), iv).setAAD(Buffer.from(place));
  return `${key.id}.${Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')}`;
}

/** The text that {@link seal} encrypted for the same `place`; throws when it was changed, moved, or sealed with a key that is not here. */
export function unseal(sealed: string, place: string): string {
  const [id = '', data = ''] = sealed.split('.');
  const key = keys().find((each) => each.id === id);
  if (!key) throw new Error(`sealed with the key ${id.slice(0, 8)}, which KEY_FILE does not hold`);
  const bytes = Buffer.from(data, 'base64url');
  const decipher = createDecipheriv(CIPHER, derive(key, 'at-rest'), bytes.subarray(0, IV)).setAAD(Buffer.from(place));
  decipher.setAuthTag(bytes.subarray(-TAG));
  return Buffer.concat([decipher.update(bytes.subarray(IV, -TAG)), decipher.final()]).toString('utf8');
}

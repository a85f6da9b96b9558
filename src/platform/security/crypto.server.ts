import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { config } from '../runtime/config.server.ts';
import { log } from '../monitoring/log.server.ts';
import { ConfigurationError } from '../runtime/startup.server.ts';

/** A 256-bit secret for a link, cookie or ticket: 43 characters of base64url. Store only its hash. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** A public id: a prefix for the type, and 128 random bits. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString('hex')}`;

export const sha256 = (value: string | Buffer): string => hash('sha256', value);

/**
 * A master key of the installation. Encrypted values start with its `id`: eight hexadecimal digits of its
 * digest.
 */
interface MasterKey {
  id: string;
  bytes: Buffer;
  derived: Map<string, Buffer>;
}

let keyRing: MasterKey[] | undefined;
/** Undefined while the file cannot be read. */
let keyFileModified: number | undefined;
let keyFileCheckedAt = 0;
const CHECK_INTERVAL = 2000;

/**
 * The keys of KEY_FILE: 64 hexadecimal digits per line, newest first. The first one encrypts, all of them
 * decrypt. The file is created at the first start, outside the data folder. Changes take effect within two
 * seconds, so that keys can be rotated while the portal runs; if the file goes missing or invalid, a running
 * portal keeps the keys it has.
 */
function keys(): readonly [MasterKey, ...MasterKey[]] {
  const instant = performance.now();
  if (!keyRing || instant - keyFileCheckedAt > CHECK_INTERVAL) {
    keyFileCheckedAt = instant;
    if (!keyRing && !fs.existsSync(config.keyFile)) createKeyFile();
    try {
      const stamp = fs.statSync(config.keyFile).mtimeMs;
      if (!keyRing || stamp !== keyFileModified) keyRing = readKeys(fs.readFileSync(config.keyFile, 'utf8'));
      keyFileModified = stamp;
    } catch (error) {
      if (!keyRing) throw error;
      if (keyFileModified !== undefined) log.error({ err: error, event: 'key.unreadable' });
      keyFileModified = undefined;
    }
  }
  return keyRing as [MasterKey, ...MasterKey[]];
}

/**
 * Creates the first key atomically: if two nodes start at the same moment, both use the one created first.
 */
function createKeyFile(): void {
  const temporary = `${config.keyFile}.${randomBytes(8).toString('hex')}`;
  writeDurably(temporary, [randomBytes(32).toString('hex')]);
  try {
    fs.linkSync(temporary, config.keyFile);
  } catch {
    // a file system without hard links
    if (!fs.existsSync(config.keyFile)) copyDurably(temporary, config.keyFile);
  } finally {
    fs.rmSync(temporary);
  }
  sync(path.dirname(config.keyFile));
}

function copyDurably(from: string, to: string): void {
  fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL);
  sync(to);
}

/** Flushes a file or a directory to disk: a power cut must not lose the key that encrypted everything. */
function sync(target: string): void {
  const handle = fs.openSync(target, 'r');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

function writeDurably(target: string, lines: readonly string[]): void {
  const file = fs.openSync(target, 'wx', 0o600);
  fs.writeSync(file, `${lines.join('\n')}\n`);
  fs.fsyncSync(file);
  fs.closeSync(file);
}

function readKeys(text: string): MasterKey[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  if (lines.length === 0 || !lines.every((line) => /^[0-9a-f]{64}$/i.test(line)))
    throw new ConfigurationError(
      `KEY_FILE=${config.keyFile} does not contain a valid key: each line must have 64 hexadecimal digits.`,
    );
  return lines.map((line) => {
    const bytes = Buffer.from(line, 'hex');
    return { id: sha256(bytes).slice(0, 8), bytes, derived: new Map<string, Buffer>() };
  });
}

/** The ids of the master keys, newest first. */
export const keyIds = (): string[] => keys().map(({ id }) => id);

/** The id of the master key that encrypted a value. */
export const encryptionKeyIdOf = (encrypted: string): string => encrypted.split('.', 1)[0] ?? '';

/** The archive file of a retired key, which old backups still need. */
export const oldKeyFile = (id: string): string => `${config.keyFile}.${id}.old`;

/** Archives keys before they are removed from the key file. */
function archiveKeys(keys: readonly MasterKey[]): void {
  for (const { id, bytes } of keys)
    if (!fs.existsSync(oldKeyFile(id))) writeDurably(oldKeyFile(id), [bytes.toString('hex')]);
}

/**
 * Replaces the key file atomically and durably: keeps the keys with the ids in `keep`, and puts a new one
 * first if `addOne`. Removed keys are archived in {@link oldKeyFile}.
 */
export function changeKeys(keep: readonly string[], addOne: boolean): void {
  const remaining = keys()
    .filter(({ id }) => keep.includes(id))
    .map(({ bytes }) => bytes.toString('hex'));
  const lines = [...(addOne ? [randomBytes(32).toString('hex')] : []), ...remaining];
  if (lines.length === 0) throw new Error('an installation needs at least one key');
  archiveKeys(keys().filter(({ id }) => !keep.includes(id)));
  const temporary = `${config.keyFile}.new`;
  fs.rmSync(temporary, { force: true });
  writeDurably(temporary, lines);
  fs.renameSync(temporary, config.keyFile);
  keyRing = undefined;
  sync(path.dirname(config.keyFile));
}

/**
 * A 32-byte key for one purpose, derived from the newest master key (HKDF-SHA-256). {@link keysFor} derives
 * it from each master key, newest first.
 */
export const keyFor = (purpose: string): Buffer => derive(keys()[0], purpose);
export const keysFor = (purpose: string): Buffer[] => keys().map((key) => derive(key, purpose));

function derive(key: MasterKey, purpose: string): Buffer {
  const known = key.derived.get(purpose);
  if (known) return known;
  const derived = Buffer.from(hkdfSync('sha256', key.bytes, '', purpose, 32));
  key.derived.set(purpose, derived);
  return derived;
}

const CIPHER = 'aes-256-gcm';
const IV = 12;
const TAG = 16;

/**
 * Encrypts text at rest with AES-256-GCM, bound to `place` (`table.column:row`) so that a value cannot be
 * moved elsewhere. Returns the key's id, a dot, and base64url.
 */
export function encrypt(text: string, place: string): string {
  const [key] = keys();
  const iv = randomBytes(IV);
  const cipher = createCipheriv(CIPHER, derive(key, 'at-rest'), iv).setAAD(Buffer.from(place));
  return `${key.id}.${Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')}`;
}

/**
 * Decrypts a result of {@link encrypt} for the same `place`; throws when it was changed, moved, or its key is
 * missing.
 */
export function decrypt(encrypted: string, place: string): string {
  const [id = '', data = ''] = encrypted.split('.');
  const key = keys().find((each) => each.id === id);
  if (!key) throw new Error(`encrypted with key ${id.slice(0, 8)}, which is not in KEY_FILE`);
  const bytes = Buffer.from(data, 'base64url');
  const decipher = createDecipheriv(CIPHER, derive(key, 'at-rest'), bytes.subarray(0, IV)).setAAD(
    Buffer.from(place),
  );
  decipher.setAuthTag(bytes.subarray(-TAG));
  return Buffer.concat([decipher.update(bytes.subarray(IV, -TAG)), decipher.final()]).toString('utf8');
}

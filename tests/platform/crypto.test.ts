import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import { config } from '#platform/runtime/config.server.ts';
import {
  changeKeys,
  keyFor,
  keyIds,
  keysFor,
  newId,
  newToken,
  encrypt,
  encryptionKeyIdOf,
  sha256,
  decrypt,
} from '#platform/security/crypto.server.ts';
import { watchLog } from '#platform/monitoring/log.server.ts';

const payload = (encrypted: string): string => encrypted.split('.')[1] ?? '';

/** The module as a portal loads it at the start. */
async function restarted(): Promise<{
  encrypt: typeof encrypt;
  decrypt: typeof decrypt;
  keyFor: typeof keyFor;
}> {
  vi.resetModules();
  return import('#platform/security/crypto.server.ts');
}

beforeEach(() => {
  keyFor('any'); // the first use creates the key
});

test('encrypted text can be decrypted and does not reveal its content', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, place) => {
      const encrypted = encrypt(text, place);
      expect(decrypt(encrypted, place)).toBe(text);
      expect(encrypted).toMatch(/^[0-9a-f]{8}\.[\w-]+$/);
    }),
  );
  expect(Buffer.from(payload(encrypt('123-45-6789', 'a')), 'base64url').toString('latin1')).not.toContain(
    '123-45',
  );
});

test('encrypting the same text twice gives different results', () => {
  expect(encrypt('123-45-6789', 'a')).not.toBe(encrypt('123-45-6789', 'a'));
});

test('text encrypted for one row cannot be decrypted for another', () => {
  const encrypted = encrypt('123-45-6789', 'users/1/ssn');
  for (const place of ['users/2/ssn', 'users/1/ssn ', ''])
    expect(() => decrypt(encrypted, place), place).toThrow();
});

test('encrypted text with a flipped bit cannot be decrypted', () => {
  const encrypted = encrypt('123-45-6789', 'a');
  const bytes = Buffer.from(payload(encrypted), 'base64url');
  const again = (changed: Buffer): string =>
    `${encryptionKeyIdOf(encrypted)}.${changed.toString('base64url')}`;
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(() => decrypt(again(changed), 'a'), `bit ${bit}`).toThrow();
  }
});

test('truncated or extended encrypted text cannot be decrypted', () => {
  const encrypted = encrypt('123-45-6789', 'a');
  const bytes = Buffer.from(payload(encrypted), 'base64url');
  const again = (changed: Buffer): string =>
    `${encryptionKeyIdOf(encrypted)}.${changed.toString('base64url')}`;
  for (let length = 0; length < bytes.length; length += 1)
    expect(() => decrypt(again(bytes.subarray(0, length)), 'a'), `${length} bytes`).toThrow();
  expect(() => decrypt(again(Buffer.concat([bytes, Buffer.alloc(1)])), 'a')).toThrow();
});

test('the key survives a restart', async () => {
  const encrypted = encrypt('123-45-6789', 'a');
  const later = await restarted();
  expect(later.decrypt(encrypted, 'a')).toBe('123-45-6789');
  expect(later.keyFor('x')).toEqual(keyFor('x'));
});

test("the key file is readable by the portal's user only and outside the data folder", () => {
  const { mode } = fs.statSync(config.keyFile);
  expect(mode & 0o777).toBe(0o600);
  expect(fs.readFileSync(config.keyFile, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  expect(config.keyFile.startsWith(`${config.dataDir}/`)).toBe(false);
});

test('nothing can be decrypted with another key', async () => {
  const original = fs.readFileSync(config.keyFile);
  const encrypted = encrypt('123-45-6789', 'a');
  try {
    fs.writeFileSync(config.keyFile, `${'ab'.repeat(32)}\n`);
    const other = await restarted();
    expect(() => other.decrypt(encrypted, 'a')).toThrow();
    expect(() => other.decrypt(other.encrypt('x', 'a'), 'a')).not.toThrow();
  } finally {
    fs.writeFileSync(config.keyFile, original);
  }
});

test.each([
  '',
  '\n',
  'not a key',
  'ab'.repeat(31),
  'ab'.repeat(33),
  'zz'.repeat(32),
  `${'ab'.repeat(31)}zz`,
  `${'ab'.repeat(32)}zz`,
  `${'ab'.repeat(32)} and more`,
])('a key file that contains %j is refused with an error and left unchanged', async (content) => {
  const original = fs.readFileSync(config.keyFile);
  try {
    fs.writeFileSync(config.keyFile, content);
    const portal = await restarted();
    expect(() => portal.keyFor('x')).toThrow(
      `KEY_FILE=${config.keyFile} does not contain a valid key: each line must have 64 hexadecimal digits.`,
    );
    expect(fs.readFileSync(config.keyFile, 'utf8')).toBe(content);
  } finally {
    fs.writeFileSync(config.keyFile, original);
  }
});

test('each purpose has its own stable derived key', () => {
  expect(keyFor('a')).toEqual(keyFor('a'));
  expect(keyFor('a')).not.toEqual(keyFor('b'));
  expect(keyFor('a')).toHaveLength(32);
});

test('after a key rotation old values can be decrypted until the old key is removed', () => {
  const [old = ''] = keyIds();
  const before = encrypt('123-45-6789', 'a');
  const derived = keyFor('x');
  changeKeys([old], true);
  const after = encrypt('123-45-6789', 'a');
  expect(keyIds()).toEqual([encryptionKeyIdOf(after), old]);
  expect([decrypt(before, 'a'), decrypt(after, 'a')]).toEqual(['123-45-6789', '123-45-6789']);
  expect(keysFor('x')).toEqual([keyFor('x'), derived]);
  expect(keyFor('x')).not.toEqual(derived);
  changeKeys([encryptionKeyIdOf(after)], false);
  expect(decrypt(after, 'a')).toBe('123-45-6789');
  expect(() => decrypt(before, 'a')).toThrow(`encrypted with key ${old}, which is not in KEY_FILE`);
  expect(fs.statSync(config.keyFile).mode & 0o777).toBe(0o600);
});

test('the last key cannot be removed', () => {
  expect(() => changeKeys([], false)).toThrow('needs at least one key');
  expect(keyIds()).toHaveLength(1);
});

test('a running portal notices changed keys within seconds', () => {
  const before = keyIds();
  fs.writeFileSync(config.keyFile, `${'cd'.repeat(32)}\n${fs.readFileSync(config.keyFile, 'utf8')}`);
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2001);
  expect(keyIds().slice(1)).toEqual(before);
});

let later = performance.now() + 60_000;
test.each([
  ['is gone', () => fs.rmSync(config.keyFile)],
  ['is emptied', () => fs.writeFileSync(config.keyFile, '')],
])(
  'while the key file %s a running portal keeps its key, logs this once, and creates no other key',
  (_, harm) => {
    const original = fs.readFileSync(config.keyFile);
    const before = keyIds();
    const encrypted = encrypt('123-45-6789', 'a');
    const logged: string[] = [];
    watchLog((level, { event }) => logged.push(`${level} ${event}`));
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (later += 2001));
    try {
      harm();
      expect([decrypt(encrypted, 'a'), keyIds(), keyIds()]).toEqual(['123-45-6789', before, before]);
      expect(fs.existsSync(config.keyFile) ? fs.readFileSync(config.keyFile, 'utf8') : '').toBe('');
    } finally {
      fs.writeFileSync(config.keyFile, original);
    }
    expect(keyIds()).toEqual(before);
    clock.mockRestore();
    expect(logged).toEqual(['error key.unreadable']);
  },
);

test('two nodes that start for the first time simultaneously use the same key', async () => {
  const original = fs.readFileSync(config.keyFile, 'utf8');
  const portal = await restarted();
  vi.spyOn(fs, 'existsSync').mockReturnValueOnce(false); // the first one creates it now
  expect(portal.keyFor('x')).toEqual(keyFor('x'));
  expect(fs.readFileSync(config.keyFile, 'utf8')).toBe(original);
  expect(
    fs
      .readdirSync(path.dirname(config.keyFile))
      .filter((name) => !name.endsWith('.old') && name.startsWith(`${path.basename(config.keyFile)}.`)),
  ).toEqual([]);
});

test('ids and secrets are unique and URL-safe', () => {
  const made = Array.from({ length: 2000 }, () => [newToken(), newId('doc')]).flat();
  expect(new Set(made).size).toBe(made.length);
  for (const one of made) expect(encodeURIComponent(one)).toBe(one);
  expect(newToken()).toMatch(/^[\w-]{43}$/);
  expect(newId('doc')).toMatch(/^doc_[0-9a-f]{32}$/);
});

test('SHA-256 digests match the standard test vectors', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(sha256(Buffer.from('abc'))).toBe(sha256('abc'));
});

/** The file operations on the key file, in order. */
function watchDisk(): string[] {
  const done: string[] = [];
  const names = new Map<number, string>();
  const nameOf = (place: unknown): string =>
    place === path.dirname(config.keyFile) ? 'folder' : String(place).replace(config.keyFile, 'key');
  const { openSync, fsyncSync, renameSync, linkSync } = fs;
  vi.spyOn(fs, 'openSync').mockImplementation((place, ...how) => {
    const handle = openSync(place, ...how);
    names.set(handle, nameOf(place));
    return handle;
  });
  vi.spyOn(fs, 'fsyncSync').mockImplementation((handle) => {
    fsyncSync(handle);
    done.push(`sync ${names.get(handle)?.replace(/[0-9a-f]{8,}/, 'id')}`);
  });
  vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    renameSync(from, to);
    done.push(`rename ${nameOf(from)} ${nameOf(to)}`);
  });
  vi.spyOn(fs, 'linkSync').mockImplementation((from, to) => {
    linkSync(from, to);
    done.push(`link ${nameOf(to)}`);
  });
  return done;
}

test('a new key is durable before it is used, and a removed key is archived first', () => {
  changeKeys(keyIds().slice(0, 1), false);
  const [first = ''] = keyIds();
  const done = watchDisk();
  changeKeys(keyIds(), true);
  expect(done).toEqual(['sync key.new', 'rename key.new key', 'sync folder']);
  done.length = 0;
  changeKeys(keyIds().slice(0, 1), false);
  expect(done).toEqual(['sync key.id.old', 'sync key.new', 'rename key.new key', 'sync folder']);
  expect(fs.existsSync(`${config.keyFile}.${first}.old`)).toBe(true);
});

test('the first key of an installation is durable before it is used', async () => {
  fs.rmSync(config.keyFile);
  const done = watchDisk();
  (await restarted()).keyFor('any');
  expect(done).toEqual(['sync key.id', 'link key', 'sync folder']);
});

import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import { config } from '#platform/config.server.ts';
import { changeKeys, keyFor, keyIds, keysFor, newId, newToken, seal, sealedBy, sha256, unseal } from '#platform/crypto.server.ts';
import { watchLog } from '#platform/log.server.ts';

const payload = (sealed: string): string => sealed.split('.')[1] ?? '';

/** The module as a portal has it that starts now. */
async function restarted(): Promise<{ seal: typeof seal; unseal: typeof unseal; keyFor: typeof keyFor }> {
  vi.resetModules();
  return import('#platform/crypto.server.ts');
}

beforeEach(() => {
  keyFor('any'); // the first use makes the key
});

test('what is sealed can be opened again, whatever it says, and does not show it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, place) => {
      const sealed = seal(text, place);
      expect(unseal(sealed, place)).toBe(text);
      expect(sealed).toMatch(/^[0-9a-f]{8}\.[\w-]+$/);
    }),
  );
  expect(Buffer.from(payload(seal('123-45-6789', 'a')), 'base64url').toString('latin1')).not.toContain('123-45');
});

test('the same text sealed twice looks different', () => {
  expect(seal('123-45-6789', 'a')).not.toBe(seal('123-45-6789', 'a'));
});

test('what is sealed for one place does not open at another', () => {
  const sealed = seal('123-45-6789', 'users/1/ssn');
  for (const place of ['users/2/ssn', 'users/1/ssn ', '']) expect(() => unseal(sealed, place), place).toThrow();
});

test('what was changed by a single bit does not open', () => {
  const sealed = seal('123-45-6789', 'a');
  const bytes = Buffer.from(payload(sealed), 'base64url');
  const again = (changed: Buffer): string => `${sealedBy(sealed)}.${changed.toString('base64url')}`;
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(() => unseal(again(changed), 'a'), `bit ${bit}`).toThrow();
  }
});

test('what was cut short or made longer does not open', () => {
  const sealed = seal('123-45-6789', 'a');
  const bytes = Buffer.from(payload(sealed), 'base64url');
  const again = (changed: Buffer): string => `${sealedBy(sealed)}.${changed.toString('base64url')}`;
  for (let length = 0; length < bytes.length; length += 1) expect(() => unseal(again(bytes.subarray(0, length)), 'a'), `${length} bytes`).toThrow();
  expect(() => unseal(again(Buffer.concat([bytes, Buffer.alloc(1)])), 'a')).toThrow();
});

test('a restart finds the same key', async () => {
  const sealed = seal('123-45-6789', 'a');
  const later = await restarted();
  expect(later.unseal(sealed, 'a')).toBe('123-45-6789');
  expect(later.keyFor('x')).toEqual(keyFor('x'));
});

test('the key can be read by the portal alone, and stands outside the data', () => {
  const { mode } = fs.statSync(config.keyFile);
  expect(mode & 0o777).toBe(0o600);
  expect(fs.readFileSync(config.keyFile, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  expect(config.keyFile.startsWith(`${config.dataDir}/`)).toBe(false);
});

test('with another key nothing opens', async () => {
  const kept = fs.readFileSync(config.keyFile);
  const sealed = seal('123-45-6789', 'a');
  try {
    fs.writeFileSync(config.keyFile, `${'ab'.repeat(32)}\n`);
    const other = await restarted();
    expect(() => other.unseal(sealed, 'a')).toThrow();
    expect(() => other.unseal(other.seal('x', 'a'), 'a')).not.toThrow();
  } finally {
    fs.writeFileSync(config.keyFile, kept);
  }
});

test.each(['', '\n', 'not a key', 'ab'.repeat(31), 'ab'.repeat(33), 'zz'.repeat(32), `${'ab'.repeat(31)}zz`, `${'ab'.repeat(32)}zz`, `${'ab'.repeat(32)} and more`])(
  'a key file that holds %j is refused in a sentence, and stays as it is',
  async (content) => {
    const kept = fs.readFileSync(config.keyFile);
    try {
      fs.writeFileSync(config.keyFile, content);
      const portal = await restarted();
      expect(() => portal.keyFor('x')).toThrow(`KEY_FILE=${config.keyFile} does not hold a key: each of its lines must hold 64 hexadecimal digits.`);
      expect(fs.readFileSync(config.keyFile, 'utf8')).toBe(content);
    } finally {
      fs.writeFileSync(config.keyFile, kept);
    }
  },
);

test('every purpose has a key of its own, always the same', () => {
  expect(keyFor('a')).toEqual(keyFor('a'));
  expect(keyFor('a')).not.toEqual(keyFor('b'));
  expect(keyFor('a')).toHaveLength(32);
});

test('after a change of keys what was sealed before still opens, until the old key is given up', () => {
  const [old = ''] = keyIds();
  const before = seal('123-45-6789', 'a');
  const derived = keyFor('x');
  changeKeys([old], true);
  const after = seal('123-45-6789', 'a');
  expect(keyIds()).toEqual([sealedBy(after), old]);
  expect([unseal(before, 'a'), unseal(after, 'a')]).toEqual(['123-45-6789', '123-45-6789']);
  expect(keysFor('x')).toEqual([keyFor('x'), derived]);
  expect(keyFor('x')).not.toEqual(derived);
  changeKeys([sealedBy(after)], false);
  expect(unseal(after, 'a')).toBe('123-45-6789');
  expect(() => unseal(before, 'a')).toThrow(`sealed with the key ${old}, which KEY_FILE does not hold`);
  expect(fs.statSync(config.keyFile).mode & 0o777).toBe(0o600);
});

test('an installation is never left without a key', () => {
  expect(() => changeKeys([], false)).toThrow('cannot be without a key');
  expect(keyIds()).toHaveLength(1);
});

test('a running portal notices within seconds that the keys were changed by another process', () => {
  const before = keyIds();
  fs.writeFileSync(config.keyFile, `${'cd'.repeat(32)}\n${fs.readFileSync(config.keyFile, 'utf8')}`);
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2001);
  expect(keyIds().slice(1)).toEqual(before);
});

let later = performance.now() + 60_000;
test.each([
  ['is gone', () => fs.rmSync(config.keyFile)],
  ['is emptied', () => fs.writeFileSync(config.keyFile, '')],
])('while the key file %s a running portal goes on with the key that it has, says so once, and makes no other', (_, harm) => {
  const kept = fs.readFileSync(config.keyFile);
  const before = keyIds();
  const sealed = seal('123-45-6789', 'a');
  const logged: string[] = [];
  watchLog((level, { event }) => logged.push(`${level} ${event}`));
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (later += 2001));
  try {
    harm();
    expect([unseal(sealed, 'a'), keyIds(), keyIds()]).toEqual(['123-45-6789', before, before]);
    expect(fs.existsSync(config.keyFile) ? fs.readFileSync(config.keyFile, 'utf8') : '').toBe('');
  } finally {
    fs.writeFileSync(config.keyFile, kept);
  }
  expect(keyIds()).toEqual(before);
  clock.mockRestore();
  expect(logged).toEqual(['error key.unreadable']);
});

test('of two nodes that start for the first time at the same moment the second takes the key of the first', async () => {
  const kept = fs.readFileSync(config.keyFile, 'utf8');
  const portal = await restarted();
  vi.spyOn(fs, 'existsSync').mockReturnValueOnce(false); // the first one makes it just now
  expect(portal.keyFor('x')).toEqual(keyFor('x'));
  expect(fs.readFileSync(config.keyFile, 'utf8')).toBe(kept);
  expect(fs.readdirSync(path.dirname(config.keyFile)).filter((name) => name.startsWith(`${path.basename(config.keyFile)}.`))).toEqual([]);
});

test('no two ids and no two secrets are alike, and both fit into an address as they are', () => {
  const made = Array.from({ length: 2000 }, () => [newToken(), newId('doc')]).flat();
  expect(new Set(made).size).toBe(made.length);
  for (const one of made) expect(encodeURIComponent(one)).toBe(one);
  expect(newToken()).toMatch(/^[\w-]{43}$/);
  expect(newId('doc')).toMatch(/^doc_[0-9a-f]{32}$/);
});

test('a digest is the one that everybody else computes', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(sha256(Buffer.from('abc'))).toBe(sha256('abc'));
});

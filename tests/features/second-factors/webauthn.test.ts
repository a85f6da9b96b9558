import { createHash, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  attestedKeyIn,
  isSignedBy,
  readRegistration,
  verifyAssertion,
} from '#features/identity/second-factors/webauthn.server.ts';
import { authenticator, created, signed, type Overrides } from '../../support/passkeys.ts';
import vectors from './webauthn-vectors.json' with { type: 'json' };

/*
 * The test vectors of Web Authentication level 3, section 16, by the names of their sections. In some of them the
 * authenticator has not verified the person: such passkeys are well formed, and refused.
 */

const EXAMPLE = { origin: 'https://example.org', domain: 'example.org' };
const PORTAL = { origin: 'https://portal.firm.example', domain: 'portal.firm.example' };
const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');
const isVerified = (data: string): boolean => (bytes(data)[32] ?? 0) % 8 > 3;

/** What a check returns, or why it refuses. */
function attempt<T>(check: () => T): T | string {
  try {
    return check();
  } catch (error) {
    return error instanceof Error ? error.message : 'not an error';
  }
}

test.each(vectors)(
  'the key of $section is read from its authenticator data',
  ({ id, algorithm, ...vector }) => {
    const key = attestedKeyIn(bytes(vector.registration.authenticatorData));
    expect(key).toMatchObject({ id, algorithm, counter: 0 });
    const { clientDataJSON, authenticatorData, signature } = vector.assertion;
    const [clientData, data] = [bytes(clientDataJSON), bytes(authenticatorData)];
    expect(isSignedBy(key, { clientData, data, signature: bytes(signature) })).toBe(true);
    for (const changed of [clientData, data]) {
      changed[0] = (changed[0] ?? 0) ^ 1;
      expect(isSignedBy(key, { clientData, data, signature: bytes(signature) })).toBe(false);
      changed[0] ^= 1;
    }
  },
);

test.each(vectors)(
  'what $section answers is accepted only from a verified person, in no other page',
  (vector) => {
    const { id, section, registration, assertion } = vector;
    const embedded = section.endsWith('crossOrigin') ? 'in a page of another origin' : undefined;
    const refusal = (data: string): string | undefined =>
      embedded ?? (isVerified(data) ? undefined : 'person not verified');
    const key = attestedKeyIn(bytes(registration.authenticatorData));
    const purpose = (challenge: string) => ({ ...EXAMPLE, challenge });
    expect([
      attempt(() => readRegistration(id, registration, purpose(registration.challenge))),
      attempt(() => verifyAssertion(assertion, key, purpose(assertion.challenge))),
    ]).toEqual([refusal(registration.authenticatorData) ?? key, refusal(assertion.authenticatorData) ?? 0]);
  },
);

const CHALLENGE = Buffer.alloc(32, 7).toString('base64url');
const OTHER = Buffer.alloc(32, 8).toString('base64url');

interface Parsed {
  id: string;
  response: { clientDataJSON: string; authenticatorData: string; signature: string };
}
const parsed = (json: string): Parsed => JSON.parse(json) as Parsed;

test.each(['ES256', 'RS256', 'EdDSA'] as const)(
  'a passkey of %s is refused for every reason there is, each by its name',
  (algorithm) => {
    const own = authenticator(algorithm);
    const register = (overrides: Overrides = {}, challenge = CHALLENGE) => {
      const { id, response } = parsed(created(own, challenge, overrides));
      return attempt(() => readRegistration(id, response, { ...PORTAL, challenge: CHALLENGE }));
    };
    const key = readRegistration(own.id, parsed(created(own, CHALLENGE)).response, {
      ...PORTAL,
      challenge: CHALLENGE,
    });
    expect(key).toEqual({
      id: own.id,
      algorithm,
      counter: 0,
      publicKey: own.publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
    });
    expect([
      register({ origin: 'https://evil.example' }),
      register({ origin: 'http://portal.firm.example' }),
      register({ domain: 'firm.example' }),
      register({ type: 'webauthn.get' }),
      register({ flags: 0x41 }),
      register({ flags: 0x44 }),
      register({ flags: 0x55 }),
      register({ flags: 0x05 }),
      register({}, OTHER),
      register({ id: bytes('AAAA') }),
      register({ crossOrigin: true }),
    ]).toEqual([
      'origin',
      'origin',
      'domain',
      'type',
      'person not verified',
      'nobody was present',
      'flags of copies',
      'no key',
      'challenge',
      'another id',
      'in a page of another origin',
    ]);
    const prove = (overrides: Overrides = {}, stored = { ...key }, challenge = CHALLENGE) => {
      const { response } = parsed(signed(own, challenge, overrides));
      return attempt(() => verifyAssertion(response, stored, { ...PORTAL, challenge: CHALLENGE }));
    };
    expect([prove(), prove({ counter: 3 }), prove({ counter: 9 }, { ...key, counter: 8 })]).toEqual([
      0, 3, 9,
    ]);
    expect([
      prove({ origin: 'https://portal.firm.example.evil.example' }),
      prove({ domain: 'evil.example' }),
      prove({ type: 'webauthn.create' }),
      prove({ flags: 0x01 }),
      prove({ flags: 0x04 }),
      prove({}, key, OTHER),
      prove({ counter: 8 }, { ...key, counter: 8 }),
      prove({ counter: 7 }, { ...key, counter: 8 }),
      prove({ counter: 0 }, { ...key, counter: 8 }),
      prove({ key: authenticator(algorithm).privateKey }),
    ]).toEqual([
      'origin',
      'domain',
      'type',
      'person not verified',
      'nobody was present',
      'challenge',
      'counter',
      'counter',
      'counter',
      'signature',
    ]);
    for (const other of ['ES256', 'RS256', 'EdDSA'] as const)
      if (other !== algorithm) expect(prove({}, { ...key, algorithm: other })).toBe('signature');
  },
);

test('signatures with numbers of any length are verified as they come', () => {
  const own = authenticator('ES256');
  const key = attestedKeyIn(bytes(parsed(created(own, CHALLENGE)).response.authenticatorData));
  const lengths = new Set<number>();
  for (let count = 0; count < 2_000; count += 1) {
    const { response } = parsed(signed(own, CHALLENGE, { counter: count + 1 }));
    lengths.add(bytes(response.signature).length);
    expect(verifyAssertion(response, key, { ...PORTAL, challenge: CHALLENGE })).toBe(count + 1);
  }
  expect(lengths.size).toBeGreaterThan(2);
});

test('authenticator data that is cut off, changed or of a weak key is refused without another error', () => {
  for (const { registration } of vectors) {
    const data = bytes(registration.authenticatorData);
    for (let length = 0; length < data.length; length += 1) {
      const read = attempt(() => attestedKeyIn(data.subarray(0, length)));
      expect([length, typeof read]).toEqual([length, 'string']);
    }
    // every byte of the end of the key changed, one at a time: another key, or a refusal
    for (let at = data.length - 40; at < data.length; at += 1) {
      const changed = Buffer.from(data);
      changed[at] = (changed[at] ?? 0) ^ 0x55;
      const before = attestedKeyIn(data).publicKey;
      const read = attempt(() => attestedKeyIn(changed).publicKey);
      expect(read).not.toBe(before);
    }
  }
  const weak = { ...authenticator('RS256'), ...generateKeyPairSync('rsa', { modulusLength: 1024 }) };
  const { response } = parsed(created(weak, CHALLENGE));
  expect(attempt(() => attestedKeyIn(bytes(response.authenticatorData)))).toBe('size');
  expect(createHash('sha256').update(EXAMPLE.domain).digest('hex')).toBe(
    bytes(vectors[0]?.assertion.authenticatorData ?? '').toString('hex', 0, 32),
  );
});

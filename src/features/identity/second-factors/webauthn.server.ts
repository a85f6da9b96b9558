import { createPublicKey, timingSafeEqual, verify, type KeyObject, type webcrypto } from 'node:crypto';
import { z } from 'zod';
import { sha256 } from '#platform/security/crypto.server.ts';

/*
 * What a browser answers for a passkey, verified as Web Authentication level 3 says (sections 7.1 and 7.2), without
 * attestation. Everything is read from the bytes that the authenticator made or signed; docs/decisions/0094.
 */

const ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const;
export type PasskeyAlgorithm = (typeof ALGORITHMS)[number];

/** What a response must have been made for. */
export interface Purpose {
  /** Of the portal, such as `https://portal.firm.example`. */
  origin: string;
  domain: string;
  /** base64url. */
  challenge: string;
}

/** A passkey as it is stored. */
export interface PasskeyKey {
  /** SubjectPublicKeyInfo, base64url. */
  publicKey: string;
  algorithm: PasskeyAlgorithm;
  counter: number;
}

/** Why a response was refused; it never quotes what was sent. */
export class PasskeyError extends Error {}

/** Narrows a stored algorithm; throws PasskeyError for one that is not known. */
export function algorithmNamed(name: string): PasskeyAlgorithm {
  const found = ALGORITHMS.find((each) => each === name);
  return found ?? refuse('unknown algorithm');
}

/**
 * Reads the passkey that an authenticator has made, from its authenticator data. Throws PasskeyError unless it was made
 * for this purpose by somebody whom the authenticator has verified, and has this id.
 */
export function readRegistration(
  id: string,
  response: { clientDataJSON: string; authenticatorData: string },
  purpose: Purpose,
): PasskeyKey {
  assertClientData(bytes(response.clientDataJSON), 'webauthn.create', purpose);
  const data = bytes(response.authenticatorData);
  assertAuthenticatorData(data, purpose);
  const attested = attestedKeyIn(data);
  if (attested.id !== id) refuse('another id');
  return attested;
}

/**
 * Verifies that a passkey has signed for this purpose, and returns its new counter. Throws PasskeyError if it has not, if
 * the authenticator has not verified the person, or if the counter does not advance, which reveals a copy.
 */
export function verifyAssertion(
  response: { clientDataJSON: string; authenticatorData: string; signature: string },
  key: PasskeyKey,
  purpose: Purpose,
): number {
  const clientData = bytes(response.clientDataJSON);
  assertClientData(clientData, 'webauthn.get', purpose);
  const data = bytes(response.authenticatorData);
  const { counter } = assertAuthenticatorData(data, purpose);
  if (!isSignedBy(key, { clientData, data, signature: bytes(response.signature) })) refuse('signature');
  // authenticators that do not count always say 0
  if ((counter > 0 || key.counter > 0) && counter <= key.counter) refuse('counter');
  return counter;
}

/** Whether a key has signed these bytes. */
export function isSignedBy(
  { publicKey, algorithm }: Pick<PasskeyKey, 'publicKey' | 'algorithm'>,
  { clientData, data, signature }: { clientData: Buffer; data: Buffer; signature: Buffer },
): boolean {
  const key = createPublicKey({ key: bytes(publicKey), format: 'der', type: 'spki' });
  if (KEY_TYPES[algorithm] !== key.asymmetricKeyType) return false;
  const signed = Buffer.concat([data, Buffer.from(sha256(clientData), 'hex')]);
  return verify(algorithm === 'EdDSA' ? null : 'sha256', signed, key, signature);
}

const KEY_TYPES: Record<PasskeyAlgorithm, KeyObject['asymmetricKeyType']> = {
  ES256: 'ec',
  RS256: 'rsa',
  EdDSA: 'ed25519',
};

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

function refuse(reason: string): never {
  throw new PasskeyError(reason);
}

const clientDataSchema = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  /** Whether a page of another origin contains the page that asked. */
  crossOrigin: z.boolean().optional(),
});

function assertClientData(json: Buffer, type: string, { origin, challenge }: Purpose): void {
  const said = clientDataSchema.parse(JSON.parse(json.toString('utf8')));
  if (said.type !== type) refuse('type');
  if (said.challenge !== challenge) refuse('challenge');
  if (said.origin !== origin) refuse('origin');
  if (said.crossOrigin) refuse('in a page of another origin');
}

/** The bits of the flags, and where the parts of authenticator data begin (section 6.1). */
const [PRESENT, VERIFIED, MAY_BE_COPIED, IS_COPIED, HAS_KEY] = [0x01, 0x04, 0x08, 0x10, 0x40];
const [FLAGS, COUNTER, AAGUID] = [32, 33, 37];
const ID_LENGTH = AAGUID + 16;
const ID = ID_LENGTH + 2;

function assertAuthenticatorData(data: Buffer, { domain }: Purpose): { counter: number } {
  if (data.length < AAGUID) refuse('length');
  if (!timingSafeEqual(data.subarray(0, FLAGS), Buffer.from(sha256(domain), 'hex'))) refuse('domain');
  const flags = data.readUInt8(FLAGS);
  if (!(flags & PRESENT)) refuse('nobody was present');
  if (!(flags & VERIFIED)) refuse('person not verified');
  if (flags & IS_COPIED && !(flags & MAY_BE_COPIED)) refuse('flags of copies');
  return { counter: data.readUInt32BE(COUNTER) };
}

/** The id and the key in authenticator data; throws PasskeyError if there is none, or of a kind that is not known. */
export function attestedKeyIn(data: Buffer): PasskeyKey & { id: string } {
  if (data.length < ID || !(data.readUInt8(FLAGS) & HAS_KEY)) refuse('no key');
  const end = ID + data.readUInt16BE(ID_LENGTH);
  if (end > data.length) refuse('length');
  const { algorithm, jwk } = jwkOf(coseKey(data.subarray(end)));
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  if (algorithm === 'RS256' && (key.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS) refuse('size');
  return {
    id: data.subarray(ID, end).toString('base64url'),
    publicKey: key.export({ format: 'der', type: 'spki' }).toString('base64url'),
    algorithm,
    counter: data.readUInt32BE(COUNTER),
  };
}

const MIN_RSA_BITS = 2048;

/** The labels of COSE keys (RFC 9052, 9053, 8230), and the algorithms by their numbers. */
const [TYPE, ALGORITHM, CURVE, X, Y, MODULUS, EXPONENT] = [1, 3, -1, -2, -3, -1, -2];

function jwkOf(key: ReadonlyMap<number, number | Buffer>): {
  algorithm: PasskeyAlgorithm;
  jwk: webcrypto.JsonWebKey;
} {
  const kind = [TYPE, ALGORITHM].map((label) => String(key.get(label))).join(' ');
  const text = (label: number): string => {
    const value = key.get(label);
    return Buffer.isBuffer(value) ? value.toString('base64url') : refuse('key');
  };
  if (kind === '2 -7' && key.get(CURVE) === 1)
    return { algorithm: 'ES256', jwk: { kty: 'EC', crv: 'P-256', x: text(X), y: text(Y) } };
  if (kind === '3 -257')
    return { algorithm: 'RS256', jwk: { kty: 'RSA', n: text(MODULUS), e: text(EXPONENT) } };
  if (kind === '1 -8' && key.get(CURVE) === 6)
    return { algorithm: 'EdDSA', jwk: { kty: 'OKP', crv: 'Ed25519', x: text(X) } };
  return refuse('kind of key');
}

/** Reads a map of numbers and byte strings in CBOR, which is all that such a key contains; what follows is ignored. */
function coseKey(data: Buffer): Map<number, number | Buffer> {
  let at = 0;
  const head = (): { kind: number; value: number } => {
    const first = data.readUInt8(at);
    const [kind, short] = [first >> 5, first & 0x1f];
    at += 1;
    if (short < 24) return { kind, value: short };
    const size = { 24: 1, 25: 2 }[short] ?? refuse('CBOR');
    const value = data.readUIntBE(at, size);
    at += size;
    return { kind, value };
  };
  const item = (): number | Buffer => {
    const { kind, value } = head();
    if (kind === 0) return value;
    if (kind === 1) return -1 - value;
    if (kind !== 2 || at + value > data.length) return refuse('CBOR');
    at += value;
    return data.subarray(at - value, at);
  };
  const map = head();
  if (map.kind !== 5) refuse('CBOR');
  const found = new Map<number, number | Buffer>();
  for (let pairs = map.value; pairs > 0; pairs -= 1) {
    const label = item();
    if (typeof label !== 'number') refuse('CBOR');
    found.set(label, item());
  }
  return found;
}

import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { sha256 } from '#platform/security/crypto.server.ts';

/** A fake authenticator: a key pair, and responses as the portal's script sends them. */
export interface Authenticator {
  id: string;
  algorithm: Algorithm;
  privateKey: KeyObject;
  publicKey: KeyObject;
  counter: number;
}

type Algorithm = 'ES256' | 'RS256' | 'EdDSA';

const MAKE: Record<Algorithm, () => { privateKey: KeyObject; publicKey: KeyObject }> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync('ed25519'),
};

export const authenticator = (algorithm: Algorithm = 'ES256'): Authenticator => ({
  ...MAKE[algorithm](),
  algorithm,
  id: Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url'),
  counter: 0,
});

export interface Overrides {
  origin?: string;
  crossOrigin?: boolean;
  domain?: string;
  flags?: number;
  type?: string;
  counter?: number;
  key?: KeyObject;
  /** In the authenticator data. */
  id?: Buffer;
}

const ORIGIN = 'https://portal.firm.example';
const DOMAIN = 'portal.firm.example';

const authData = (domain: string, flags: number, counter: number): Buffer => {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat([Buffer.from(sha256(domain), 'hex'), Buffer.from([flags]), count]);
};

/** A number or a byte string in CBOR. */
function cbor(value: number | Buffer): Buffer {
  const [kind, size] = Buffer.isBuffer(value) ? [2, value.length] : value < 0 ? [1, -1 - value] : [0, value];
  const head =
    size < 24
      ? [(kind << 5) | size]
      : size < 256
        ? [(kind << 5) | 24, size]
        : [(kind << 5) | 25, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from(head), Buffer.isBuffer(value) ? value : Buffer.alloc(0)]);
}

/** The public key as authenticators write it. */
function cose({ algorithm, publicKey }: Authenticator): Buffer {
  const jwk = publicKey.export({ format: 'jwk' });
  const part = (name: 'x' | 'y' | 'n' | 'e'): Buffer => Buffer.from(String(jwk[name]), 'base64url');
  const fields: Record<Algorithm, () => (number | Buffer)[]> = {
    ES256: () => [1, 2, 3, -7, -1, 1, -2, part('x'), -3, part('y')],
    RS256: () => [1, 3, 3, -257, -1, part('n'), -2, part('e')],
    EdDSA: () => [1, 1, 3, -8, -1, 6, -2, part('x')],
  };
  const items = fields[algorithm]();
  return Buffer.concat([Buffer.from([0xa0 | (items.length / 2)]), ...items.map(cbor)]);
}

const client = (type: string, challenge: string, { origin = ORIGIN, crossOrigin = false }: Overrides) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));

/** The response to the making of a passkey. */
export function created(own: Authenticator, challenge: string, overrides: Overrides = {}): string {
  const { domain = DOMAIN, flags = 0x45, type = 'webauthn.create' } = overrides;
  const { id = Buffer.from(own.id, 'base64url') } = overrides;
  const length = Buffer.alloc(2);
  length.writeUInt16BE(id.length);
  const data = Buffer.concat([authData(domain, flags, own.counter), Buffer.alloc(16), length, id, cose(own)]);
  return JSON.stringify({
    id: own.id,
    type: 'public-key',
    response: {
      clientDataJSON: client(type, challenge, overrides).toString('base64url'),
      authenticatorData: data.toString('base64url'),
    },
  });
}

/** The response to a request to sign a challenge. */
export function signed(own: Authenticator, challenge: string, overrides: Overrides = {}): string {
  const { domain = DOMAIN, flags = 0x05, type = 'webauthn.get' } = overrides;
  const { counter = own.counter, key = own.privateKey } = overrides;
  const data = authData(domain, flags, counter);
  const clientData = client(type, challenge, overrides);
  const bytes = Buffer.concat([data, Buffer.from(sha256(clientData), 'hex')]);
  return JSON.stringify({
    id: own.id,
    type: 'public-key',
    response: {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign(own.algorithm === 'EdDSA' ? null : 'sha256', bytes, key).toString('base64url'),
    },
  });
}

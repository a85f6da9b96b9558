import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  hkdfSync,
  randomBytes,
  sign,
  type ECDH,
} from 'node:crypto';

/*
 * What a push service takes: a message that only the browser can read (RFC 8291, in the encoding of RFC 8188), and a token that
 * says who sends it (VAPID, RFC 8292).
 */

/** The keys of a browser, base64url: its public key on P-256, and the secret that it shares with the portal. */
export interface BrowserKeys {
  p256dh: string;
  auth: string;
}

const RECORD_SIZE = 4096;
/** A delimiter ends the only record, whose tag has 16 bytes. */
const LAST_RECORD = Buffer.from([2]);

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url');
const derive = (key: Buffer, salt: Buffer, info: Buffer | string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length));

/**
 * Encrypts a message for a browser; returns the body of the request. `own` and `salt` are new for each message, and given only
 * to compare with the example of the RFC. Throws if the public key is not a point of the curve.
 */
export function encryptPush(
  text: string,
  { p256dh, auth }: BrowserKeys,
  own: ECDH = newPair(),
  salt: Buffer = randomBytes(16),
): Buffer {
  const browser = bytesOf(p256dh);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser, own.getPublicKey()]);
  const key = derive(own.computeSecret(browser), bytesOf(auth), info, 32);
  const cipher = createCipheriv(
    'aes-128-gcm',
    derive(key, salt, 'Content-Encoding: aes128gcm\0', 16),
    derive(key, salt, 'Content-Encoding: nonce\0', 12),
  );
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_SIZE);
  return Buffer.concat([
    salt,
    size,
    Buffer.from([own.getPublicKey().length]),
    own.getPublicKey(),
    cipher.update(Buffer.concat([Buffer.from(text), LAST_RECORD])),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

function newPair(): ECDH {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return pair;
}

/** The key pair of a portal, base64url. */
export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

export function newVapidKeys(): VapidKeys {
  const pair = newPair();
  return { publicKey: pair.getPublicKey('base64url'), privateKey: pair.getPrivateKey('base64url') };
}

/**
 * The value of `Authorization` for a push service. `audience`: its origin; `contact`: whom its operator may write to, as
 * `mailto:` or `https:`; `expiresAt`: epoch ms, at most a day from now.
 */
export function vapidHeader(
  { publicKey, privateKey }: VapidKeys,
  { audience, contact, expiresAt }: { audience: string; contact: string; expiresAt: number },
): string {
  const point = bytesOf(publicKey);
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: privateKey,
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { aud: audience, exp: Math.floor(expiresAt / 1000), sub: contact };
  const signed = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`;
}

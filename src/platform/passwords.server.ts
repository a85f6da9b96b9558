import { argon2 as argon2Callback, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { PortalError } from './errors.server.ts';

const argon2 = promisify(argon2Callback);
const ARGON = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const MOST_AT_ONCE = 2;
const MOST_WAITING = 64;
let running = 0;
const waiting: (() => void)[] = [];

/** argon2id is heavy on purpose: at most two run at once, 64 wait, more are told to come back (security.md 4.1). */
async function takingTurns<T>(work: () => Promise<T>): Promise<T> {
  if (running < MOST_AT_ONCE) running += 1;
  else if (waiting.length >= MOST_WAITING) throw new PortalError('UNAVAILABLE');
  else await new Promise<void>((resume) => waiting.push(resume));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

const derive = (secret: string, nonce: Buffer): Promise<Buffer> =>
  takingTurns(() => argon2('argon2id', { message: Buffer.from(secret.normalize('NFC')), nonce, ...ARGON }));

/** A PHC string of argon2id (m=19456, t=2, p=1) for a password or an authorization code. */
export async function hashSecret(secret: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive(secret, nonce);
  const b64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${ARGON.memory},t=${ARGON.passes},p=${ARGON.parallelism}$${b64(nonce)}$${b64(tag)}`;
}

const NOBODY = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** True when `secret` has this PHC hash. Without a hash the same work is done and the answer is no, so that nobody can tell who exists. */
export async function secretMatches(secret: string, phc: string | null | undefined): Promise<boolean> {
  const [, , , , nonce, tag] = (phc ?? NOBODY).split('$');
  const expected = Buffer.from(tag ?? '', 'base64');
  const actual = await derive(secret, Buffer.from(nonce ?? '', 'base64'));
  return phc != null && expected.length === actual.length && timingSafeEqual(expected, actual);
}

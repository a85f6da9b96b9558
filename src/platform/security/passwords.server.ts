import { argon2 as argon2Callback, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { PortalError } from '../runtime/errors.server.ts';

const argon2 = promisify(argon2Callback);
/**
 * Cost parameters of argon2id; `memory` in KiB. They are stored with each hash, so the current ones can be
 * raised.
 */
interface Costs {
  memory: number;
  passes: number;
  parallelism: number;
}
const COSTS: Costs = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_LENGTH = 32;
/** One processor is left to everybody else. */
export const MAX_AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1));
const MAX_WAITING = 64;
let running = 0;
const waiting: (() => void)[] = [];

/** Limits concurrency, since argon2id is expensive by design: one or two at a time, 64 waiting, then UNAVAILABLE. */
async function withHashSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running < MAX_AT_ONCE) running += 1;
  else if (waiting.length >= MAX_WAITING) throw new PortalError('UNAVAILABLE');
  else await new Promise<void>((resume) => waiting.push(resume));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

const derive = (secret: string, nonce: Buffer, costs: Costs): Promise<Buffer> =>
  withHashSlot(() => {
    return argon2('argon2id', {
      message: Buffer.from(secret.normalize('NFC')),
      nonce,
      ...costs,
      tagLength: TAG_LENGTH,
    });
  });

const costsIn = ({ memory, passes, parallelism }: Costs): string =>
  `m=${memory},t=${passes},p=${parallelism}`;

/** Hashes a password or authorization code with argon2id, as a PHC string. */
export async function hashSecret(secret: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive(secret, nonce, COSTS);
  const b64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$${costsIn(COSTS)}$${b64(nonce)}$${b64(tag)}`;
}

interface StoredHash {
  costs: Costs;
  nonce: Buffer;
  tag: Buffer;
}

const PHC = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d)\$([\w+/]{22,86})\$([\w+/]{43})$/;
const DUMMY_HASH: StoredHash = { costs: COSTS, nonce: Buffer.alloc(16), tag: Buffer.alloc(TAG_LENGTH) };

function storedHash(phc: string): StoredHash | undefined {
  const [, memory, passes, parallelism, nonce = '', tag = ''] = PHC.exec(phc) ?? [];
  if (memory === undefined) return undefined;
  const costs = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return { costs, nonce: Buffer.from(nonce, 'base64'), tag: Buffer.from(tag, 'base64') };
}

/**
 * Verifies a secret against a PHC hash, with its own costs. Without a valid hash it does the same work and
 * returns false, so that timing does not reveal which users exist.
 */
export async function secretMatches(secret: string, phc: string | null | undefined): Promise<boolean> {
  const stored = storedHash(phc ?? '');
  const { costs, nonce, tag } = stored ?? DUMMY_HASH;
  const matches = timingSafeEqual(tag, await derive(secret, nonce, costs));
  return stored !== undefined && matches;
}

import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { MINUTE, SECOND } from '#platform/clock.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { fairQueue, type QueueUser } from '#platform/fair-queue.server.ts';
import { log } from '#platform/log.server.ts';
import { ROOT } from '#platform/root.server.ts';
import type { SealFacts } from './internal/seal-check.server.ts';
import type { DocumentContent, Paper } from './composing.server.ts';
import type { CertificateContent, Stamp } from './sealing.server.ts';

/** What a thread needs to use a seal key. */
export type SealSecret =
  { kind: 'pkcs8'; key: string; certificate: string } | { kind: 'pkcs12'; file: string; password: string };

interface PrepareJob {
  kind: 'prepare';
  bytes: Uint8Array;
}
interface SealJob {
  kind: 'seal';
  prepared: Uint8Array;
  stamps: readonly Stamp[];
  certificate: CertificateContent;
  signedAt: number;
  secret: SealSecret;
  timestampUrl: string | undefined;
}
interface VerifyJob {
  kind: 'verify';
  bytes: Uint8Array;
}
interface MakeKeyJob {
  kind: 'make-key';
  name: string;
  validFrom: number;
  validUntil: number;
}
interface OpenKeyJob {
  kind: 'open-key';
  file: Uint8Array;
  password: string;
}
interface TimestampJob {
  kind: 'timestamp';
  timestampUrl: string;
}
interface ComposeJob {
  kind: 'compose';
  content: DocumentContent;
  paper: Paper;
}
export type Job = PrepareJob | SealJob | VerifyJob | MakeKeyJob | OpenKeyJob | TimestampJob | ComposeJob;

export interface Prepared {
  bytes: Uint8Array;
  sha256: string;
  pages: { width: number; height: number }[];
}

export interface Results {
  prepare: Prepared;
  seal: { bytes: Uint8Array; sha256: string };
  verify: SealFacts;
  'make-key': { secret: SealSecret; certificate: Uint8Array };
  'open-key': { certificate: Uint8Array };
  timestamp: { bytes: number };
  compose: { bytes: Uint8Array };
}

/** Why a job was refused, without words of the file. */
export type Refusal =
  | 'encrypted'
  | 'damaged'
  | 'signed'
  | 'too-many-pages'
  | 'timestamp'
  | 'own-check'
  | 'wrong-password'
  | 'not-pkcs12'
  | 'unsuitable-key';

export type Answer = { done: Results[keyof Results] } | { refused: Refusal };

/** The job was refused by the thread, or ended it. */
export class SealThreadError extends Error {
  readonly why: Refusal | 'died';
  constructor(why: Refusal | 'died') {
    super(why);
    this.name = 'SealThreadError';
    this.why = why;
  }
}

/** The time limit of one job, with the answer of a timestamp authority. */
const TIME = MINUTE;
/** The time limit for a thread to start, and to load its libraries. */
const START = 20 * SECOND;
/** An idle thread ends, and its memory with it. */
const IDLE = MINUTE;

/** One job at a time: a PDF takes five times its size in memory. */
const inTurn = fairQueue({ width: 1, perPerson: 16, perFirm: 32, total: 128 });

let thread: { worker: Worker; idle?: NodeJS.Timeout } | undefined;

/**
 * Runs a job in the thread in which PDF files and certificates are read. Throws SealThreadError; TOO_MANY if
 * too many wait.
 */
export function inSealThread<J extends Job>(user: QueueUser, job: J): Promise<Results[J['kind']]> {
  return inTurn(user, async () => {
    const { worker } = (thread ??= await start());
    clearTimeout(thread.idle);
    const answer = await ask(worker, job);
    if (thread) thread.idle = setTimeout(() => void end(), IDLE).unref();
    if ('refused' in answer) throw new SealThreadError(answer.refused);
    return answer.done as Results[J['kind']]; // the thread answers the job that it got
  });
}

async function ask(worker: Worker, job: Job): Promise<Answer> {
  worker.ref();
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(TIME)]);
  const died = once(worker, 'exit', { signal }).then(() => Promise.reject(new Error('exit')));
  try {
    worker.postMessage(job);
    const [answer] = (await Promise.race([once(worker, 'message', { signal }), died])) as [Answer];
    return answer;
  } catch {
    log.warn({ event: 'seals.thread-died', kind: job.kind });
    await end();
    throw new SealThreadError('died');
  } finally {
    over.abort(); // removes the remaining listeners
    worker.unref();
  }
}

async function end(): Promise<void> {
  const ending = thread;
  thread = undefined;
  await ending?.worker.terminate();
}

/** Starts a thread without our environment and without output; it reports when it is ready. */
async function start(): Promise<{ worker: Worker }> {
  const worker = new Worker(path.join(ROOT, 'src/features/seals/seal-worker.server.ts'), {
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64, stackSizeMb: 8 },
  });
  worker.on('error', () => undefined); // its message may quote the file; callers are told by its end
  try {
    await once(worker, 'message', { signal: AbortSignal.timeout(START) });
  } catch (error) {
    log.error({ err: error, event: 'seals.thread-did-not-start' });
    await worker.terminate();
    throw new PortalError('TOO_MANY', { retryAfter: 5 });
  }
  worker.unref();
  return { worker };
}

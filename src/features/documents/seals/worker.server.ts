import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { MINUTE, SECOND } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { fairQueue, type QueueUser } from '#platform/jobs/fair-queue.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { ROOT } from '#platform/runtime/root.server.ts';
import type { SealFacts } from './internal/seal-check.server.ts';
import type { DocumentContent, Paper } from './composing.server.ts';
import { MAX_STEP_TIME } from '#features/documents/document-preparation/progress.server.ts';
import type { Prepared } from '#features/documents/document-preparation/prepare.server.ts';
import type { Refusal, RefusalDetails } from '#features/documents/document-preparation/refusals.server.ts';
import type { CertificateContent, Stamp } from './sealing.server.ts';
import type { PageDifference } from '#features/documents/document-preparation/preparation.ts';

/** What a thread needs to use a seal key. */
export type SealSecret =
  { kind: 'pkcs8'; key: string; certificate: string } | { kind: 'pkcs12'; file: string; password: string };

interface PrepareJob {
  kind: 'prepare';
  bytes: Uint8Array;
}
interface RehearseJob {
  kind: 'rehearse';
  prepared: Uint8Array;
  stamps: readonly Stamp[];
}
interface CompareJob {
  kind: 'compare';
  prepared: Uint8Array;
  sealed: Uint8Array;
  stamps: readonly Stamp[];
}
interface CompareVersionsJob {
  kind: 'compare-versions';
  before: Uint8Array;
  after: Uint8Array;
}
interface LettersJob {
  kind: 'letters';
  text: string;
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
interface ReadKeyJob {
  kind: 'read-key';
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
export type Job =
  | PrepareJob
  | RehearseJob
  | CompareJob
  | CompareVersionsJob
  | LettersJob
  | SealJob
  | VerifyJob
  | MakeKeyJob
  | OpenKeyJob
  | ReadKeyJob
  | TimestampJob
  | ComposeJob;

/** What is wrong with the pages of a sealed document, page by page. */
export interface SealedDifferences {
  differences: PageDifference[];
  /** The pages, from 1, on which something that a signer entered cannot be seen. */
  unseen: number[];
}

export interface Results {
  prepare: Prepared;
  rehearse: SealedDifferences;
  compare: SealedDifferences;
  'compare-versions': SealedDifferences;
  letters: { letters: string[] };
  seal: { bytes: Uint8Array; sha256: string };
  verify: SealFacts;
  'make-key': { secret: SealSecret; certificate: Uint8Array };
  'open-key': { certificate: Uint8Array };
  'read-key': { key: Uint8Array; certificates: Uint8Array[] };
  timestamp: { bytes: number };
  compose: { bytes: Uint8Array };
}

/** A thread announces when it will be heard of again, and answers in the end. */
export type Answer = { done: Results[keyof Results] } | { refused: Refusal; details: RefusalDetails };

/** The job was refused by the thread, or ended it. */
export class SealThreadError extends Error {
  readonly why: Refusal | 'died';
  readonly details: RefusalDetails;
  constructor(why: Refusal | 'died', details: RefusalDetails = {}) {
    super(why);
    this.name = 'SealThreadError';
    this.why = why;
    this.details = details;
  }
}

/** The time limit of one job, with the comparison of all pages. */
const TIME = 4 * MINUTE;
/** The time limit for a thread to start, and to load its libraries. */
const START = 20 * SECOND;
/** An idle thread ends, and its memory with it. */
const IDLE = MINUTE;

interface Lane {
  inTurn: ReturnType<typeof fairQueue>;
  thread?: { worker: Worker; idle?: NodeJS.Timeout } | undefined;
}

/** One job at a time: a PDF takes five times its size in memory. */
const lane = (): Lane => ({ inTurn: fairQueue({ width: 1, perPerson: 16, perFirm: 32, total: 128 }) });

/** Files of visitors have a thread of their own, so that no seal of a firm waits for them. */
const LANES = { firms: lane(), visitors: lane() };

/**
 * Runs a job in the thread in which PDF files and certificates are read. Throws SealThreadError; TOO_MANY if
 * too many wait.
 */
export function inSealThread<J extends Job>(
  user: QueueUser,
  job: J,
  whose: keyof typeof LANES = 'firms',
): Promise<Results[J['kind']]> {
  const own = LANES[whose];
  return own.inTurn(user, async () => {
    const { worker } = (own.thread ??= await start());
    clearTimeout(own.thread.idle);
    const answer = await ask(own, worker, job);
    if (own.thread) own.thread.idle = setTimeout(() => void end(own), IDLE).unref();
    if ('refused' in answer) throw new SealThreadError(answer.refused, answer.details);
    return answer.done as Results[J['kind']]; // the thread answers the job that it got
  });
}

async function ask(own: Lane, worker: Worker, job: Job): Promise<Answer> {
  worker.ref();
  try {
    return await answerOf(worker, job);
  } catch {
    log.warn({ event: 'seals.thread-died', kind: job.kind });
    await end(own);
    throw new SealThreadError('died');
  } finally {
    worker.unref();
  }
}

/** Waits for an answer as long as the thread announces that it works. */
function answerOf(worker: Worker, job: Job): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const fail = (): void => reject(new Error('no answer'));
  const total = setTimeout(fail, TIME);
  let silence = setTimeout(fail, MAX_STEP_TIME);
  const take = (message: Answer | { within: number }): void => {
    if (!('within' in message)) return resolve(message);
    clearTimeout(silence);
    silence = setTimeout(fail, message.within);
  };
  worker.on('message', take).once('exit', fail);
  worker.postMessage(job);
  return promise.finally(() => {
    clearTimeout(total);
    clearTimeout(silence);
    worker.off('message', take).off('exit', fail);
  });
}

async function end(own: Lane): Promise<void> {
  const ending = own.thread;
  own.thread = undefined;
  await ending?.worker.terminate();
}

let unpackedFonts: string | undefined;

/** A folder for fonts that threads unpack, which ends with the portal. */
function fontsFolder(): string {
  if (unpackedFonts !== undefined) return unpackedFonts;
  const folder = mkdtempSync(path.join(tmpdir(), 'portal-fonts-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return (unpackedFonts = folder);
}

/** Starts a thread without our environment and without output; it reports when it is ready. */
async function start(): Promise<{ worker: Worker }> {
  const worker = new Worker(path.join(ROOT, 'src/features/documents/seals/seal-worker.server.ts'), {
    env: {},
    execArgv: [],
    workerData: { fonts: fontsFolder() },
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

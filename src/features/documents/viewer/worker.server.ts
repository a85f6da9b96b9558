import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { FiscalFile } from '#features/documents/fiscal-xml/fiscal-xml.ts';
import { MINUTE, SECOND } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { ROOT } from '#platform/runtime/root.server.ts';
import { fairQueue, type QueueUser } from '#platform/jobs/fair-queue.server.ts';
import { noteCrash, noteTime, refusalOf } from './refused-files.server.ts';
import type { Found, ShownPage, Table, ViewRefusal } from './viewer.ts';

interface OfPdf {
  key: string;
  bytes?: Uint8Array;
}
export interface ReadJob extends OfPdf {
  kind: 'read';
  from: number;
  find?: string;
}
export interface DrawJob extends OfPdf {
  kind: 'draw';
  page: number;
  width: number;
}
export interface TextJob extends OfPdf {
  kind: 'text';
}
interface FiscalJob {
  kind: 'fiscal';
  bytes: Uint8Array;
}
interface TableJob {
  kind: 'table';
  bytes: Uint8Array;
}
export type Job = ReadJob | DrawJob | TextJob | FiscalJob | TableJob;

export interface Read {
  count: number;
  pages: ShownPage[];
  found?: Found;
}
export interface Drawing {
  pixels: Uint8Array;
  width: number;
  height: number;
}
export interface PdfText {
  text: string;
}
export interface Refused {
  refused: ViewRefusal;
}
export type Given = Read | Drawing | PdfText | Refused | { file: FiscalFile } | { table: Table };
/** `cpu` is the processor time used, in ms. */
type Answer = Given & { open: string[]; cpu: number };

/** A file: its key (a digest of its bytes), how to read them, and who requests it. */
export interface Source {
  key: string;
  bytes: () => Readable;
  asker: QueueUser;
}

/**
 * The limit of one job in processor time of its thread, so that a busy machine does not refuse good files, and how often
 * it is checked; the limit in time is for a thread that waits for something.
 */
const PROCESSOR_TIME = 5 * SECOND;
const CHECK = SECOND / 4;
const TIME = 30 * SECOND;
/** The time limit for a thread to start. */
const START = 20 * SECOND;
/** An idle thread ends, and its open files with it. */
const IDLE = MINUTE;
/** A firm has at most one thread, so that its requests do not block other firms. */
const MAX_THREADS = 2;
/** A page requests ten images, and a person turns pages; further requests wait in the portal's own queue. */
const inThreadTurn = fairQueue({ width: MAX_THREADS, perPerson: 32, perFirm: 64, total: 256 });

interface Thread {
  worker: Worker;
  open: ReadonlySet<string>;
  isBusy: boolean;
  /** Whether it has finished a job: the first one takes longer, because the code is compiled during it. */
  isWarm: boolean;
  idle?: NodeJS.Timeout;
}

const threads = new Set<Thread>();

/**
 * Returns the number of pages of a PDF, those from `from` on with their text, and the results of a search.
 */
export const readPdf = (
  source: Source,
  wanted: Omit<ReadJob, 'kind' | 'key' | 'bytes'>,
): Promise<Read | Refused> => ofPdf(source, { kind: 'read', ...wanted });

/** Renders a page of a PDF as pixels: red, green, blue and alpha. */
export const drawPage = (
  source: Source,
  wanted: Omit<DrawJob, 'kind' | 'key' | 'bytes'>,
): Promise<Drawing | Refused> => ofPdf(source, { kind: 'draw', ...wanted });

/** Returns the text of a PDF, of its first pages if it is long; an empty one if its pages are images. */
export const textOfPdf = (source: Source): Promise<PdfText | Refused> => ofPdf(source, { kind: 'text' });

/** Reads an XML file as fiscal documents. */
export async function fiscalFile(source: Source): Promise<FiscalFile | Refused> {
  const answer = await inTurn(source, async () => ({ kind: 'fiscal', bytes: await buffer(source.bytes()) }));
  return 'file' in answer ? answer.file : { refused: 'refused' in answer ? answer.refused : 'broken' };
}

/** Parses delimited text as a table. */
export async function readDelimited(source: Source): Promise<Table | Refused> {
  const answer = await inTurn(source, async () => ({ kind: 'table', bytes: await buffer(source.bytes()) }));
  return 'table' in answer ? answer.table : { refused: 'refused' in answer ? answer.refused : 'broken' };
}

async function ofPdf<T extends Read | Drawing | PdfText>(
  source: Source,
  job: Omit<ReadJob, 'key'> | Omit<DrawJob, 'key'> | Omit<TextJob, 'key'>,
): Promise<T | Refused> {
  const { key, bytes } = source;
  const answer = await inTurn(source, async ({ open }) =>
    open.has(key) ? { ...job, key } : { ...job, key, bytes: await buffer(bytes()) },
  );
  return answer as T | Refused; // a thread answers the jobs that it gets
}

/**
 * Runs a job when it is the caller's turn: TOO_MANY if too many wait. A file that has ended a thread is
 * refused for a while, and so is one that took seconds twice.
 */
async function inTurn(
  { key, asker }: Source,
  jobFor: (thread: Thread) => Promise<Job>,
): Promise<Answer | Refused> {
  return inThreadTurn(asker, async () => {
    const why = refusalOf(key);
    if (why) return { refused: why };
    const thread = await takeThread(key);
    try {
      const job = await jobFor(thread);
      const answer = await ask(thread, job);
      if (thread.isWarm && countsTime(job)) noteTime(key, answer.cpu);
      thread.isWarm = true;
      return answer;
    } catch (error) {
      if (!(error instanceof ThreadDied)) throw error;
      log.warn({ event: 'viewer.thread-died', kind: error.message });
      const refused = error.message === 'time' ? 'tooHeavy' : 'broken';
      noteCrash(key, refused);
      return { refused };
    } finally {
      thread.isBusy = false;
      thread.idle = globalThis.setTimeout(() => void end(thread), IDLE).unref();
    }
  });
}

/** Whether the time of a job counts against its file: a search and the whole text have their own time limits. */
const countsTime = (job: Job): boolean =>
  job.kind === 'draw' || (job.kind === 'read' && job.find === undefined);

/** Finds a free thread, preferably one with the file open, or starts a new one. */
async function takeThread(key: string): Promise<Thread> {
  const free = [...threads].filter(({ isBusy }) => !isBusy);
  const thread = free.find(({ open }) => open.has(key)) ?? free[0] ?? (await start());
  clearTimeout(thread.idle);
  thread.isBusy = true;
  return thread;
}

/** A job took too long, required too much, or crashed its thread. */
class ThreadDied extends Error {}

async function ask(thread: Thread, job: Job): Promise<Answer> {
  const { worker } = thread;
  worker.ref();
  worker.postMessage(job);
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(TIME)]);
  const died = once(worker, 'exit', { signal }).then(() => Promise.reject(new ThreadDied('exit')));
  const overdue = processorTimeUsed(worker, signal).then(() => Promise.reject(new ThreadDied('time')));
  try {
    const [answer] = (await Promise.race([once(worker, 'message', { signal }), died, overdue])) as [Answer];
    thread.open = new Set(answer.open);
    return answer;
  } catch (error) {
    await end(thread);
    throw error instanceof ThreadDied ? error : new ThreadDied('time');
  } finally {
    over.abort(); // removes the remaining listeners
    worker.unref();
  }
}

/** Resolves when a thread has used the processor time of a job; rejects when the job is over. */
async function processorTimeUsed(worker: Worker, signal: AbortSignal): Promise<void> {
  const begun = await worker.cpuUsage();
  let used = 0;
  while (used <= PROCESSOR_TIME) {
    await setTimeout(CHECK, undefined, { signal, ref: false });
    const { user, system } = await worker.cpuUsage(begun);
    used = (user + system) / 1000;
  }
}

async function end(thread: Thread): Promise<void> {
  threads.delete(thread);
  await thread.worker.terminate();
}

/**
 * Starts a thread without our environment and without output. Nobody reads its streams, which would keep the
 * portal from exiting. It reports when it is ready.
 */
async function start(): Promise<Thread> {
  const worker = new Worker(path.join(ROOT, 'src/features/documents/viewer/pdf-worker.server.ts'), {
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 },
  });
  try {
    await once(worker, 'message', { signal: AbortSignal.timeout(START) });
  } catch (error) {
    log.error({ err: error, event: 'viewer.thread-did-not-start' });
    await worker.terminate();
    throw new PortalError('TOO_MANY', { retryAfter: 5 });
  }
  worker.on('error', () => undefined); // callers waiting are notified of its end
  worker.unref(); // here too, since its first file may not be readable
  const thread: Thread = { worker, open: new Set(), isBusy: true, isWarm: false };
  threads.add(thread);
  return thread;
}

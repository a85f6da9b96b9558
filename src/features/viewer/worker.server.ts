import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { MINUTE, SECOND } from '#platform/clock.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { log } from '#platform/log.server.ts';
import { ROOT } from '#platform/root.server.ts';
import { fairQueue, type QueueUser } from '#platform/fair-queue.server.ts';
import { noteDeadly, noteTime, whyRefused } from './refused-files.server.ts';
import type { FiscalSheet, Found, ShownPage, Table, WhyNot } from './viewer.ts';

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
interface FiscalJob {
  kind: 'fiscal';
  bytes: Uint8Array;
}
interface TableJob {
  kind: 'table';
  bytes: Uint8Array;
}
export type Job = ReadJob | DrawJob | FiscalJob | TableJob;

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
export interface Refused {
  refused: WhyNot;
}
export type Given = Read | Drawing | Refused | { sheet: FiscalSheet | undefined } | { table: Table };
/** `cpu` are the milliseconds of processor time that it took. */
type Answer = Given & { open: string[]; cpu: number };

/** A file: its key (a digest of its bytes), how they are read, and who asks for it. */
export interface Source {
  key: string;
  bytes: () => Readable;
  asker: QueueUser;
}

/** So long one job may take. */
const TIME = 5 * SECOND;
/** So long a thread may take to begin. */
const START = 20 * SECOND;
/** A thread that has nothing to do ends, and what it knows with it. */
const IDLE = MINUTE;
/** One firm has one at most, so that what it asks for stops no other. */
const MAX_THREADS = 2;
/** A page asks for ten images, and a person turns pages; beyond that they wait in front of the portal. */
const inThreadTurn = fairQueue({ width: MAX_THREADS, perPerson: 32, perFirm: 64, total: 256 });

interface Thread {
  worker: Worker;
  open: ReadonlySet<string>;
  isBusy: boolean;
  idle?: NodeJS.Timeout;
}

const threads = new Set<Thread>();

/** How many pages a PDF has, and those from `from` on with their text and what a search found. */
export const readPdf = (
  source: Source,
  wanted: Omit<ReadJob, 'kind' | 'key' | 'bytes'>,
): Promise<Read | Refused> => ofPdf(source, { kind: 'read', ...wanted });

/** A page of a PDF as pixels, red, green, blue and alpha. */
export const drawPage = (
  source: Source,
  wanted: Omit<DrawJob, 'kind' | 'key' | 'bytes'>,
): Promise<Drawing | Refused> => ofPdf(source, { kind: 'draw', ...wanted });

/** The fiscal document in an XML file; undefined when it is another kind of XML. */
export async function fiscalSheet(source: Source): Promise<FiscalSheet | undefined> {
  const answer = await inTurn(source, async () => ({ kind: 'fiscal', bytes: await buffer(source.bytes()) }));
  return 'sheet' in answer ? answer.sheet : undefined;
}

/** Delimited text as a table. */
export async function readDelimited(source: Source): Promise<Table | Refused> {
  const answer = await inTurn(source, async () => ({ kind: 'table', bytes: await buffer(source.bytes()) }));
  return 'table' in answer ? answer.table : { refused: 'refused' in answer ? answer.refused : 'broken' };
}

async function ofPdf<T extends Read | Drawing>(
  source: Source,
  job: Omit<ReadJob, 'key'> | Omit<DrawJob, 'key'>,
): Promise<T | Refused> {
  const { key, bytes } = source;
  const answer = await inTurn(source, async ({ open }) =>
    open.has(key) ? { ...job, key } : { ...job, key, bytes: await buffer(bytes()) },
  );
  if ('cpu' in answer && !('find' in job)) noteTime(key, answer.cpu); // a search has an end of its own
  return answer as T | Refused; // a thread answers what it is asked
}

/**
 * Has a job done when it is the asker's turn: TOO_MANY when too many wait. A file that has killed a thread is
 * refused for a while, and so is one that took it for seconds twice.
 */
async function inTurn(
  { key, asker }: Source,
  jobFor: (thread: Thread) => Promise<Job>,
): Promise<Answer | Refused> {
  return inThreadTurn(asker, async () => {
    const why = whyRefused(key);
    if (why) return { refused: why };
    const thread = await takeThread(key);
    try {
      return await ask(thread, await jobFor(thread));
    } catch (error) {
      if (!(error instanceof ThreadDied)) throw error;
      log.warn({ event: 'viewer.thread-died', kind: error.message });
      noteDeadly(key);
      return { refused: 'broken' };
    } finally {
      thread.isBusy = false;
      thread.idle = setTimeout(() => void end(thread), IDLE).unref();
    }
  });
}

/** A thread that is free, best one that has the file open; a new one where none is. */
async function takeThread(key: string): Promise<Thread> {
  const free = [...threads].filter(({ isBusy }) => !isBusy);
  const thread = free.find(({ open }) => open.has(key)) ?? free[0] ?? (await start());
  clearTimeout(thread.idle);
  thread.isBusy = true;
  return thread;
}

/** A job took too long, asked for too much, or broke what runs it. */
class ThreadDied extends Error {}

async function ask(thread: Thread, job: Job): Promise<Answer> {
  const { worker } = thread;
  worker.ref();
  worker.postMessage(job);
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(TIME)]);
  const died = once(worker, 'exit', { signal }).then(() => Promise.reject(new ThreadDied('exit')));
  try {
    const [answer] = (await Promise.race([once(worker, 'message', { signal }), died])) as [Answer];
    thread.open = new Set(answer.open);
    return answer;
  } catch (error) {
    await end(thread);
    throw error instanceof ThreadDied ? error : new ThreadDied('time');
  } finally {
    over.abort(); // whoever still listens lets go
    worker.unref();
  }
}

async function end(thread: Thread): Promise<void> {
  threads.delete(thread);
  await thread.worker.terminate();
}

/**
 * It gets nothing of ours: no environment, and no place to say something. Nobody reads its streams: that
 * would keep the portal from ending. It says when it is ready.
 */
async function start(): Promise<Thread> {
  const worker = new Worker(path.join(ROOT, 'src/features/viewer/pdf-worker.server.ts'), {
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
  worker.on('error', () => undefined); // whoever waits hears of its end
  const thread: Thread = { worker, open: new Set(), isBusy: true };
  threads.add(thread);
  return thread;
}

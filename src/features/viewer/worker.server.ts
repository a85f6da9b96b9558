import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { MINUTE, now, SECOND } from '#platform/clock.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { log } from '#platform/log.server.ts';
import { ROOT } from '#platform/root.server.ts';
import type { FiscalSheet, Found, ShownPage, WhyNot } from './viewer.ts';

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
export type Job = ReadJob | DrawJob | FiscalJob;

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
export type Answer = (Read | Drawing | Refused | { sheet: FiscalSheet | undefined }) & { open?: string[] };

/** A file: its key (a digest of its bytes), and how they are read. */
export interface Source {
  key: string;
  bytes: () => Readable;
}

/** So long one job may take. */
const TIME = 5 * SECOND;
/** So long a thread may take to begin. */
const START = 20 * SECOND;
/** So many may wait for their turn. */
const MOST_WAITING = 32;
/** A thread that has nothing to do ends, and what it knows with it. */
const IDLE = MINUTE;
/** What killed the thread once is not tried again so soon. */
const DEADLY = 2 * MINUTE;
const MOST_DEADLY = 1000;

interface Thread {
  worker: Worker;
  open: ReadonlySet<string>;
}

let thread: Thread | undefined;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();
let idle: NodeJS.Timeout | undefined;
const deadly = new Map<string, number>();

/** How many pages a PDF has, and those from `from` on with their text and what a search found. */
export const readPdf = (source: Source, wanted: Omit<ReadJob, 'kind' | 'key' | 'bytes'>): Promise<Read | Refused> => ofPdf(source, { kind: 'read', ...wanted });

/** A page of a PDF as pixels, red, green, blue and alpha. */
export const drawPage = (source: Source, wanted: Omit<DrawJob, 'kind' | 'key' | 'bytes'>): Promise<Drawing | Refused> => ofPdf(source, { kind: 'draw', ...wanted });

/** The fiscal document in an XML file; undefined when it is another kind of XML. */
export async function fiscalSheet({ key, bytes }: Source): Promise<FiscalSheet | undefined> {
  const answer: Answer = await inTurn(key, async () => ask({ kind: 'fiscal', bytes: await buffer(bytes()) }));
  return 'sheet' in answer ? answer.sheet : undefined;
}

async function ofPdf<T extends Read | Drawing>({ key, bytes }: Source, job: Omit<ReadJob, 'key'> | Omit<DrawJob, 'key'>): Promise<T | Refused> {
  const answer: Answer = await inTurn(key, async () => ask({ ...job, key, ...(!thread?.open.has(key) && { bytes: await buffer(bytes()) }) }));
  return answer as T | Refused; // a thread answers what it is asked
}

/** One job at a time, in their order: TOO_MANY when the row is too long. A file that has killed the thread is refused for a while. */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T | Refused> {
  if ((deadly.get(key) ?? 0) > now()) return { refused: 'broken' };
  if (waiting >= MOST_WAITING) throw new PortalError('TOO_MANY', { retryAfter: 5 });
  waiting += 1;
  const turn = last.then(work);
  last = turn.catch(() => undefined);
  try {
    return await turn;
  } catch (error) {
    if (!(error instanceof ThreadDied)) throw error;
    log.warn({ event: 'viewer.thread-died', kind: error.message });
    for (const some of [...deadly.keys()].slice(0, Math.max(0, deadly.size - MOST_DEADLY))) deadly.delete(some);
    deadly.set(key, now() + DEADLY);
    return { refused: 'broken' };
  } finally {
    waiting -= 1;
  }
}

/** A job took too long, asked for too much, or broke what runs it. */
class ThreadDied extends Error {}

async function ask(job: Job): Promise<Answer> {
  clearTimeout(idle);
  thread ??= await start();
  const { worker } = thread;
  worker.ref();
  worker.postMessage(job);
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(TIME)]);
  try {
    const [answer] = (await Promise.race([once(worker, 'message', { signal }), once(worker, 'exit', { signal }).then(() => Promise.reject(new ThreadDied('exit')))])) as [Answer];
    thread.open = new Set(answer.open);
    return answer;
  } catch (error) {
    thread = undefined;
    await worker.terminate();
    throw error instanceof ThreadDied ? error : new ThreadDied('time');
  } finally {
    over.abort(); // whoever still listens lets go
    worker.unref();
    idle = setTimeout(endThread, IDLE).unref();
  }
}

/** It gets nothing of ours: no environment, and no place to say something. Nobody reads its streams: that would keep the portal from ending. It says when it is ready. */
async function start(): Promise<Thread> {
  const worker = new Worker(path.join(ROOT, 'src/features/viewer/pdf-worker.server.ts'), { env: {}, execArgv: [], stdout: true, stderr: true, resourceLimits: { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 } });
  try {
    await once(worker, 'message', { signal: AbortSignal.timeout(START) });
  } catch (error) {
    log.error({ err: error, event: 'viewer.thread-did-not-start' });
    await worker.terminate();
    throw new PortalError('TOO_MANY', { retryAfter: 5 });
  }
  worker.on('error', () => undefined); // whoever waits hears of its end
  return { worker, open: new Set() };
}

function endThread(): void {
  void thread?.worker.terminate();
  thread = undefined;
}

import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { SECOND } from '../runtime/clock.server.ts';
import { fairQueue, type QueueUser } from '../jobs/fair-queue.server.ts';
import { log } from '../monitoring/log.server.ts';
import { ROOT } from '../runtime/root.server.ts';
import { MAX_FILE_BYTES, type TablePlace, type Tabular } from './tabular.ts';

/** The time limit for one file, with the start of its thread. */
const TIME = 30 * SECOND;
/** The limit of processor time, of which 20 MB take about one second, and how often it is looked at. */
const PROCESSOR_TIME = 5 * SECOND;
const LOOK_EVERY = SECOND / 4;

const inTurn = fairQueue({ width: 1, perPerson: 2, perFirm: 4, total: 32 });

/**
 * Reads a CSV file or an Excel workbook in a thread of its own, with limits of memory and time; one at a time.
 * TOO_MANY if too many wait.
 */
export async function readTabular(
  bytes: Uint8Array,
  user: QueueUser,
  place: TablePlace = {},
): Promise<Tabular> {
  if (bytes.length === 0) return { refused: 'EMPTY' };
  if (bytes.length > MAX_FILE_BYTES) return { refused: 'TOO_LARGE' };
  return inTurn(user, () => inThread(bytes, place));
}

/** Runs a thread without our environment and without output; a thread that dies makes the file a damaged one. */
async function inThread(bytes: Uint8Array, place: TablePlace): Promise<Tabular> {
  const worker = new Worker(path.join(ROOT, 'src/platform/tabular/tabular-worker.server.ts'), {
    workerData: { bytes, place },
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 64, stackSizeMb: 8 },
  });
  const { promise, resolve } = Promise.withResolvers<Tabular>();
  const end = (event: string): void => {
    log.warn({ event });
    resolve({ refused: 'DAMAGED' });
  };
  const timer = setTimeout(() => end('tabular.too-slow'), TIME);
  const looking = setInterval(() => {
    worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000 > PROCESSOR_TIME && end('tabular.too-slow'),
      () => undefined, // the thread has ended
    );
  }, LOOK_EVERY);
  worker.once('message', (result: Tabular) => resolve(result));
  worker.on('error', () => end('tabular.thread-died')); // its message may quote the file
  worker.once('exit', () => resolve({ refused: 'DAMAGED' }));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    clearInterval(looking);
    await worker.terminate();
  }
}

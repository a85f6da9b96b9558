import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FiscalFile } from '#features/documents/fiscal-xml/fiscal-xml.ts';
import { SECOND } from '#platform/runtime/clock.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { ROOT } from '#platform/runtime/root.server.ts';

/** How long a batch of files may take; a batch of 8 MB takes one second. */
const TIME = 60 * SECOND;

/** A thread that reads the files of an archive, while what was read before is stored. */
export interface ReadingThread {
  /** What is in files, in their order; undefined if the thread has failed, and they are to be read without it. */
  read: (files: readonly Uint8Array[]) => Promise<FiscalFile[] | undefined>;
  end: () => Promise<void>;
}

/** Starts a thread without our environment and without output, and with limits of memory. */
export function startReadingThread(): ReadingThread {
  let worker: Worker | undefined;
  const started = (): Worker =>
    (worker ??= new Worker(path.join(ROOT, 'src/features/brazil/fiscal-documents/reading-worker.server.ts'), {
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 12, stackSizeMb: 8 },
    }));
  const end = async (): Promise<void> => {
    const ending = worker;
    worker = undefined;
    await ending?.terminate();
  };
  return {
    read: async (files) => {
      const contents = await answerOf(started(), files);
      if (!contents) {
        log.warn({ event: 'fiscal.thread-died' });
        await end(); // the next files get another one
      }
      return contents;
    },
    end,
  };
}

async function answerOf(worker: Worker, files: readonly Uint8Array[]): Promise<FiscalFile[] | undefined> {
  const { promise, resolve } = Promise.withResolvers<FiscalFile[] | undefined>();
  const fail = (): void => resolve(undefined); // its message may quote the file
  const timer = setTimeout(fail, TIME);
  worker.once('message', resolve).once('error', fail).once('exit', fail);
  const bytes = new Uint8Array(Buffer.concat(files));
  worker.postMessage({ bytes, sizes: files.map(({ length }) => length) }, [bytes.buffer]);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    worker.off('message', resolve).off('error', fail).off('exit', fail);
  }
}

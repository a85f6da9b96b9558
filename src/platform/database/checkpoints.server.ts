import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { log } from '../monitoring/log.server.ts';
import { ROOT } from '../runtime/root.server.ts';

/*
 * Checkpoints of the embedded database in a thread: by default the commit that makes the log long would do it, and
 * everybody would wait for the disk meanwhile (docs/decisions/0147).
 */

/** From how many pages of 4 KiB on the log is moved into the database, as SQLite would. */
export const CHECKPOINT_PAGES = 1000;
/** From how many pages on a commit does it, should the thread not keep up. */
export const MAX_LOG_PAGES = 16_384;

export interface Checkpoints {
  /** Begins a checkpoint, unless one is being made. */
  begin: () => void;
  end: () => void;
}

/** Checkpoints of a database file, whose thread starts with the first one. */
export function checkpointsOf(file: string): Checkpoints {
  let worker: Worker | undefined;
  let isBusy = false;
  const start = (): Worker => {
    const started = new Worker(path.join(ROOT, 'src/platform/database/checkpoint-worker.server.ts'), {
      workerData: file,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4, stackSizeMb: 4 },
    });
    started.on('message', () => (isBusy = false));
    started.on('error', (error) => log.warn({ event: 'database.checkpoint-failed', err: error }));
    started.on('exit', () => {
      if (worker === started) worker = undefined;
      isBusy = false;
    });
    started.unref();
    return started;
  };
  return {
    begin: () => {
      if (isBusy) return;
      isBusy = true;
      (worker ??= start()).postMessage('checkpoint');
    },
    end: () => {
      const ending = worker;
      worker = undefined;
      void ending?.terminate();
    },
  };
}

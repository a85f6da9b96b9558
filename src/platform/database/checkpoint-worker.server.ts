import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';

/* The thread that moves what was written from the log of the embedded database into its file: it waits for the disk. */

const connection = new DatabaseSync(z.string().parse(workerData), { limits: { attach: 0 } });
connection.exec('pragma synchronous=FULL');
const checkpoint = connection.prepare('pragma wal_checkpoint(passive)');

parentPort?.on('message', () => {
  let isDone = true;
  try {
    checkpoint.all();
  } catch {
    isDone = false; // the disk is full or another process has the lock: the next one is tried
  }
  parentPort?.postMessage(isDone);
});

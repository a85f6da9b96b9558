import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { fire } from './load.ts';

/**
 * The longest wait for an answer, in ms, of a URL that is asked without pause until `act` has ended, and how long that
 * took.
 */
export async function longestWait(
  url: string,
  act: () => Promise<unknown>,
): Promise<{ longest: number; took: number }> {
  let took = 0;
  const waits = await waitsDuring(url, async () => {
    const began = performance.now();
    await act();
    took = performance.now() - began;
  });
  return { longest: Math.max(...waits), took };
}

/** All waits for an answer meanwhile. A thread of its own asks, so that what `act` does here is not counted. */
export async function waitsDuring(url: string, act: () => Promise<unknown>): Promise<number[]> {
  const asker = new Worker(new URL(import.meta.url), { workerData: url });
  await new Promise((resolve) => asker.once('message', resolve)); // it asks
  await act();
  const waits = new Promise<number[]>((resolve) => asker.once('message', resolve));
  asker.postMessage('stop');
  return waits;
}

if (!isMainThread && parentPort && typeof workerData === 'string') {
  let isStopped = false;
  parentPort.once('message', () => (isStopped = true));
  await fire(workerData, {}, 100, 1); // warm
  parentPort.postMessage('asks');
  const waits: number[] = [];
  while (!isStopped) waits.push(...(await fire(workerData, {}, 1, 1)));
  parentPort.postMessage(waits);
}

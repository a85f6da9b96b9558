import type { Sweep } from './feature.server.ts';
import { refusal } from './errors.server.ts';
import { log } from './log.server.ts';

const FAILED = { level: 'error', event: 'sweep.failed' } as const;

/**
 * Runs sweeps now and at their intervals: those with the same interval one after another, and never twice at
 * the same time. A failure is logged and does not prevent the others. Returns a function that stops them and
 * waits for the current ones.
 */
export function startSweeps(sweeps: readonly Sweep[]): () => Promise<void> {
  const running = new Map<number, Promise<void>>();
  const timers = [...Map.groupBy(sweeps, ({ every }) => every)].map(([every, together]) => {
    const begin = (): void => {
      if (running.has(every)) return;
      running.set(
        every,
        runAll(together).finally(() => running.delete(every)),
      );
    };
    begin();
    return setInterval(begin, every);
  });
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(running.values());
  };
}

async function runAll(sweeps: readonly Sweep[]): Promise<void> {
  for (const { run, failure: { level, event } = FAILED } of sweeps) {
    await run().catch((error: unknown) =>
      // it is not the sweep that fails, and it runs again
      log[refusal(error)?.code === 'UNAVAILABLE' ? 'warn' : level]({ err: error, event }),
    );
  }
}

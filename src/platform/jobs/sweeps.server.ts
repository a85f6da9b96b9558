import { isClockWrong } from '../runtime/clock-check.server.ts';
import type { Sweep } from '../runtime/feature.server.ts';
import { refusal } from '../runtime/errors.server.ts';
import { log } from '../monitoring/log.server.ts';

const FAILED = { level: 'error', event: 'sweep.failed' } as const;

/**
 * Runs sweeps now and at their intervals: those with the same interval one after another, and never twice at
 * the same time. A failure is logged and does not prevent the others. None runs while the clock is wrong: they delete
 * what has expired. Returns a function that stops them and waits for the current ones, which are told to end.
 */
export function startSweeps(sweeps: readonly Sweep[]): () => Promise<void> {
  const stopping = new AbortController();
  const running = new Map<number, Promise<void>>();
  const timers = [...Map.groupBy(sweeps, ({ every }) => every)].map(([every, together]) => {
    const begin = (): void => {
      if (running.has(every) || isClockWrong()) return;
      running.set(
        every,
        runAll(together, stopping.signal).finally(() => running.delete(every)),
      );
    };
    begin();
    return setInterval(begin, every);
  });
  return async () => {
    stopping.abort();
    for (const timer of timers) clearInterval(timer);
    await Promise.all(running.values());
  };
}

async function runAll(sweeps: readonly Sweep[], signal: AbortSignal): Promise<void> {
  for (const { run, failure: { level, event } = FAILED } of sweeps) {
    if (signal.aborted) return;
    await run(signal).catch((error: unknown) =>
      // it is not the sweep that fails, and it runs again
      log[refusal(error)?.code === 'UNAVAILABLE' ? 'warn' : level]({ err: error, event }),
    );
  }
}

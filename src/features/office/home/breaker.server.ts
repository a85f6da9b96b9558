import { MINUTE } from '#platform/runtime/clock.server.ts';

/** So many of the last loads decide whether a widget is slow. */
const LOADS = 20;
/** A widget is slow if half of them took longer (ms): on a busy machine, some of every widget do. */
const SLOW = 500;
const MAX_FAILURES = 3;
/** How long a slow or failing widget is not loaded with the page. */
const PAUSE = 5 * MINUTE;
/** How often it is tried meanwhile. */
const TRIAL = MINUTE;

interface Loads {
  /** The durations (ms) of the last loads, oldest first. */
  durations: number[];
  failures: number;
  pausedUntil: number;
  triedAt: number;
}

/**
 * Takes widgets that are slow or fail again and again out of the home page for a while, on this node: nothing can
 * interrupt a statement of SQLite, so the next reader must not wait for it.
 */
export function breaker(time: () => number) {
  const widgets = new Map<string, Loads>();
  const of = (id: string): Loads => {
    const loads = widgets.get(id) ?? { durations: [], failures: 0, pausedUntil: 0, triedAt: 0 };
    widgets.set(id, loads);
    return loads;
  };

  const note = (id: string, duration: number, hasFailed: boolean): void => {
    const loads = of(id);
    loads.durations = [...loads.durations, duration].slice(-LOADS);
    loads.failures = hasFailed ? loads.failures + 1 : 0;
    const isSlow =
      loads.durations.length === LOADS && loads.durations.filter((one) => one > SLOW).length > LOADS / 2;
    const isWellAgain = loads.pausedUntil > time() && !hasFailed && duration <= SLOW;
    if (isWellAgain) widgets.delete(id);
    else if (loads.failures >= MAX_FAILURES || isSlow) {
      loads.pausedUntil = time() + PAUSE;
      loads.triedAt = time();
    }
  };

  return {
    /** Whether the widget is left out now; once a minute it is not, as a trial. */
    isOpen(id: string): boolean {
      const loads = widgets.get(id);
      if (!loads || loads.pausedUntil <= time()) return false;
      if (time() - loads.triedAt < TRIAL) return true;
      loads.triedAt = time();
      return false;
    },
    /** Runs a load and notes how long it took and whether it failed. */
    async watch<View>(id: string, load: () => Promise<View>): Promise<View> {
      const began = time();
      let hasFailed = true;
      try {
        const view = await load();
        hasFailed = false;
        return view;
      } finally {
        note(id, time() - began, hasFailed);
      }
    },
  };
}

export const widgetBreaker = breaker(() => performance.now());

import v8 from 'node:v8';
import vm from 'node:vm';

/*
 * Garbage collection tuning, for two cases that V8's heuristics handle badly.
 *
 * The buffers of a streamed file die young, but V8 collects external memory only after 64 MB, with a full
 * collection that costs more CPU time than receiving, hashing and encrypting the file. Requesting minor
 * collections earlier halves the CPU time of an upload (docs/decisions/0031).
 *
 * An idle process is never collected, so it keeps the memory of its busiest minute. A full collection once it
 * is quiet returns that memory to the system (docs/decisions/0033).
 */

const MINOR_GC_BYTES = 16 * 1024 * 1024;
const IDLE_MS = 8000;
const MIN_RESPONSES = 100;

let uncollected = 0;
let responses = 0;
let idleTimer: NodeJS.Timeout | undefined;

/** Call with the size of buffers that were streamed and are no longer used. */
export function noteBytesStreamed(count: number): void {
  uncollected += count;
  if (uncollected < MINOR_GC_BYTES) return;
  uncollected = 0;
  garbageCollector()({ type: 'minor' });
}

/**
 * Call when a response has ended. Collects everything after eight seconds without another one, if there were
 * at least a hundred.
 */
export function responseFinished(): void {
  responses += 1;
  idleTimer ??= setTimeout(() => {
    if (responses < MIN_RESPONSES) return;
    responses = 0;
    // the default flavor frees objects but keeps their pages
    garbageCollector()({ type: 'major', flavor: 'last-resort' });
  }, IDLE_MS).unref();
  idleTimer.refresh();
}

type Collect = (what: { type: 'minor' } | { type: 'major'; flavor: 'last-resort' }) => void;
let collect: Collect | undefined;

/** V8's `gc` function, which is available only in contexts created while the flag is set. */
function garbageCollector(): Collect {
  if (!collect) {
    v8.setFlagsFromString('--expose-gc');
    collect = vm.runInNewContext('gc') as Collect;
    v8.setFlagsFromString('--no-expose-gc');
  }
  return collect;
}

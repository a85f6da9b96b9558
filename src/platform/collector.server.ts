import v8 from 'node:v8';
import vm from 'node:vm';

/*
 * When V8 collects what nobody needs any more, where it does not know best.
 *
 * The buffers of a file that runs through die young. V8 lets them lie until 64 MB have gathered and then collects everything, which takes
 * more of the processor than to receive, digest and encrypt the file. So the cheap collection of what is young is asked for before that:
 * an upload takes half the processor time (docs/decisions/0031).
 *
 * And when nobody asks any more, V8 collects nothing at all: a portal keeps what its busiest minute left behind. So everything is
 * collected once it is quiet, and the memory goes back to the system (docs/decisions/0033).
 */

const OFTEN_ENOUGH = 16 * 1024 * 1024;
const QUIET = 8000;
const WORTH_IT = 100;

let waiting = 0;
let answers = 0;
let quiet: NodeJS.Timeout | undefined;

/** Says that buffers of so many bytes have gone through a stream and will not be looked at again. */
export function passedBytes(count: number): void {
  waiting += count;
  if (waiting < OFTEN_ENOUGH) return;
  waiting = 0;
  collector()({ type: 'minor' });
}

/** Says that an answer has ended. When none follows for eight seconds, and a hundred went before, everything is collected. */
export function answered(): void {
  answers += 1;
  quiet ??= setTimeout(() => {
    if (answers < WORTH_IT) return;
    answers = 0;
    collector()({ type: 'major', flavor: 'last-resort' }); // the plain one frees objects, and keeps their pages
  }, QUIET).unref();
  quiet.refresh();
}

type Collect = (what: { type: 'minor' } | { type: 'major'; flavor: 'last-resort' }) => void;
let collect: Collect | undefined;

/** V8's own collector, which it shows only to contexts that are made while a flag is set. */
function collector(): Collect {
  if (!collect) {
    v8.setFlagsFromString('--expose-gc');
    collect = vm.runInNewContext('gc') as Collect;
    v8.setFlagsFromString('--no-expose-gc');
  }
  return collect;
}

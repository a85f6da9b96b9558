import v8 from 'node:v8';
import vm from 'node:vm';

/*
 * The buffers of a file that runs through die young. V8 lets them lie until 64 MB have gathered and then collects everything, which takes
 * more of the processor than to receive, digest and encrypt the file. So the cheap collection of what is young is asked for before that:
 * an upload takes half the processor time (docs/decisions/0031).
 */

const OFTEN_ENOUGH = 16 * 1024 * 1024;

let collectYoung: (() => void) | undefined;
let waiting = 0;

/** Says that buffers of so many bytes have gone through a stream and will not be looked at again. */
export function passedBytes(count: number): void {
  waiting += count;
  if (waiting < OFTEN_ENOUGH) return;
  waiting = 0;
  collectYoung ??= young();
  collectYoung();
}

/** V8's own collector, which it shows only to contexts that are made while a flag is set. */
function young(): () => void {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as (what: { type: 'minor' }) => void;
  v8.setFlagsFromString('--no-expose-gc');
  return () => collect({ type: 'minor' });
}

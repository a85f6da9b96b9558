import { computed } from 'nanostores';
import { $uploads, type UploadingFile } from '../state.ts';

/** The rate is measured over the last ten seconds, and is known after two (ms). */
const WINDOW = 10_000;
const MIN_MEASURED = 2000;

export interface Sample {
  /** When it was taken (ms). */
  at: number;
  /** The bytes sent by then. */
  sent: number;
}

/**
 * Estimates from the samples of an upload how many seconds it still takes; undefined while the rate is unknown or no
 * bytes are sent. Adds a sample, and drops those that are too old.
 */
export function secondsLeft(
  samples: Sample[],
  files: readonly UploadingFile[],
  at: number,
): number | undefined {
  const sent = files.reduce((sum, file) => sum + sentOf(file), 0);
  const total = files.reduce((sum, file) => sum + (file.state.kind === 'failed' ? 0 : file.size), 0);
  samples.push({ at, sent });
  while (samples.length > 2 && (samples[1]?.at ?? at) <= at - WINDOW) samples.shift();
  const first = samples[0];
  const isSending =
    files.some(({ state }) => state.kind === 'inProgress') &&
    !files.some(({ state }) => state.kind === 'paused');
  // the bytes of a file that is removed or fails no longer count
  if (!isSending || !first || sent < first.sent) {
    samples.length = 0;
    return undefined;
  }
  const rate = (sent - first.sent) / (at - first.at);
  return at - first.at < MIN_MEASURED || rate === 0 ? undefined : (total - sent) / rate / 1000;
}

function sentOf({ state, size }: UploadingFile): number {
  if (state.kind === 'success') return size;
  return state.kind === 'inProgress' || state.kind === 'paused' ? state.progress * size : 0;
}

const samples: Sample[] = [];

/** The time left of the uploads of this page, in seconds. */
export const $secondsLeft = computed($uploads, (uploads) =>
  secondsLeft(samples, Object.values(uploads), performance.now()),
);

import { parentPort } from 'node:worker_threads';

/** How long a step of a job may take that draws no page, in ms: also the answer of a timestamp authority. */
export const MAX_STEP_TIME = 60_000;

/** In a thread, tells who waits for it that it will be heard of within this time, in ms, or does not work any more. */
export const announce = (within: number): void => parentPort?.postMessage({ within });

import type { Refusal } from '../worker.server.ts';

/** A job that the thread refuses. */
export class SealRefusal extends Error {
  readonly why: Refusal;
  constructor(why: Refusal) {
    super(why);
    this.name = 'SealRefusal';
    this.why = why;
  }
}

import { PortalError } from './errors.server.ts';

/** Lets one at a time have the turn of a key, in the order in which they asked. */
export class Turns {
  /** Who waits for each key whose turn is taken. */
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Waits for the turn, and returns the function that passes it on. UNAVAILABLE after `ms`. */
  async take(key: string, ms: number): Promise<() => void> {
    const waiting = this.#waiting.get(key);
    if (waiting) await this.#wait(waiting, ms);
    else this.#waiting.set(key, new Set());
    return () => this.#pass(key);
  }

  #wait(waiting: Set<() => void>, ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(start);
        reject(new PortalError('UNAVAILABLE', { retryAfter: 1 }));
      }, ms);
      waiting.add(start);
    });
  }

  #pass(key: string): void {
    const waiting = this.#waiting.get(key);
    const [next] = waiting ?? [];
    if (!waiting || !next) return void this.#waiting.delete(key);
    waiting.delete(next);
    next();
  }
}

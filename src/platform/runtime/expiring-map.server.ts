import { now } from './clock.server.ts';

/** A map in memory whose entries expire, and which drops its oldest entries beyond a maximum. */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, { value: Value; until: number }>();
  readonly #max: number;

  /** `max` is the number of entries. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Returns the value of a key; undefined if there is none or it has expired. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.until > now() ? entry.value : undefined;
  }

  /** Sets the value of a key for `lifetime` ms. */
  set(key: string, value: Value, lifetime: number): void {
    this.#entries.delete(key);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < this.#max) break;
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { value, until: now() + lifetime });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}

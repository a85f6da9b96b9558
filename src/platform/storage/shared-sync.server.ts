/** How long a sync waits for others who are about to need it too, in ms, and for how many. */
const MAX_WAIT = 20;
const MAX_SHARED = 64;

interface Pending extends PromiseWithResolvers<void> {
  count: number;
  isDue: boolean;
  timer: NodeJS.Timeout;
}

/**
 * A sync that many share who write at the same time: it begins when nobody else is writing, when 64 have written, or
 * 20 ms after the first one had. One at a time: what is written while it runs is covered by the next.
 */
export class SharedSync {
  readonly #sync: () => Promise<void>;
  #writing = 0;
  #next: Pending | undefined;
  #isRunning = false;

  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** Writes, and returns once a sync that began after that has ended. */
  async after(write: () => Promise<void>): Promise<void> {
    this.#writing += 1;
    let synced: Promise<void>;
    try {
      await write();
      synced = this.#join();
    } finally {
      this.#writing -= 1;
      this.#beginIfDue();
    }
    await synced;
  }

  #join(): Promise<void> {
    this.#next ??= this.#newNext();
    this.#next.count += 1;
    return this.#next.promise;
  }

  #newNext(): Pending {
    const next: Pending = {
      ...Promise.withResolvers<void>(),
      count: 0,
      isDue: false,
      timer: setTimeout(() => {
        next.isDue = true;
        this.#beginIfDue();
      }, MAX_WAIT),
    };
    return next;
  }

  #beginIfDue(): void {
    const next = this.#next;
    if (!next || this.#isRunning) return;
    if (!next.isDue && next.count < MAX_SHARED && this.#writing > 0) return;
    clearTimeout(next.timer);
    this.#next = undefined;
    this.#isRunning = true;
    void this.#sync()
      .then(next.resolve, next.reject)
      .finally(() => {
        this.#isRunning = false;
        this.#beginIfDue();
      });
  }
}

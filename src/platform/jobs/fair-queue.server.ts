import { PortalError } from '../runtime/errors.server.ts';

/** The person who waits, and their firm. */
export interface QueueUser {
  person: string;
  firm: string;
}

interface Waiting extends QueueUser {
  start: () => void;
  isGone: () => boolean;
}

interface QueueLimits {
  /** How many tasks run at a time; of those at most `firmAtOnce` of a firm and `personAtOnce` of a person, each 1 by default. */
  width: number;
  firmAtOnce?: number;
  personAtOnce?: number;
  /** How many may wait: per person, per firm, and in total. */
  perPerson: number;
  perFirm: number;
  total: number;
  /** Starts one task, later if more are to be known by then; at once by default. */
  pace?: (startOne: () => void) => void;
}

/**
 * A fair queue for heavy work: the next turn goes to the firm that was served longest ago, and within it to
 * such a person, so that one person's requests cannot starve others. TOO_MANY when a limit of waiting tasks
 * is reached.
 */
export function fairQueue({
  width,
  firmAtOnce = 1,
  personAtOnce = firmAtOnce,
  perPerson,
  perFirm,
  total,
  pace = (startOne) => startOne(),
}: QueueLimits) {
  const waiting: Waiting[] = [];
  const running = new Map<string, number>();
  let runningAtAll = 0;
  const lastTurns = new Map<string, number>();
  let turns = 0;

  /** Firms and people count apart, even if one has the name of the other. */
  const keysOf = ({ firm, person }: QueueUser): [string, string] => [`firm ${firm}`, `person ${person}`];
  const count = (key: string): number => running.get(key) ?? 0;

  function add(user: QueueUser, change: 1 | -1): void {
    runningAtAll += change;
    for (const key of keysOf(user)) {
      const left = count(key) + change;
      if (left === 0) running.delete(key);
      else running.set(key, left);
    }
  }

  function removeGone(): void {
    for (const gone of waiting.filter(({ isGone }) => isGone())) {
      waiting.splice(waiting.indexOf(gone), 1);
      add(gone, 1); // it runs for an instant, in which it notices
      gone.start();
    }
  }

  function assertCapacity({ person, firm }: QueueUser): void {
    removeGone();
    const ofSameFirm = waiting.filter((other) => other.firm === firm);
    const ofSamePerson = ofSameFirm.filter((other) => other.person === person);
    if (ofSamePerson.length >= perPerson || ofSameFirm.length >= perFirm || waiting.length >= total) {
      throw new PortalError('TOO_MANY', { retryAfter: 5 });
    }
  }

  const lastTurn = (key: string): number => lastTurns.get(key) ?? 0;
  function isBefore(a: QueueUser, b: QueueUser): boolean {
    const [[firmA, personA], [firmB, personB]] = [keysOf(a), keysOf(b)];
    return lastTurn(firmA) === lastTurn(firmB)
      ? lastTurn(personA) < lastTurn(personB)
      : lastTurn(firmA) < lastTurn(firmB);
  }

  function mayStart(user: QueueUser): boolean {
    const [firm, person] = keysOf(user);
    return count(firm) < firmAtOnce && count(person) < personAtOnce;
  }

  let isStarting = false;

  /** Starts those that may run, one after the other at the pace of the queue. */
  function startWaiting(): void {
    if (isStarting || waiting.length === 0) {
      if (runningAtAll === 0 && waiting.length === 0) lastTurns.clear();
      return;
    }
    isStarting = true;
    pace(() => {
      isStarting = false;
      if (startNext()) startWaiting();
    });
  }

  function startNext(): boolean {
    const [first, ...others] = runningAtAll < width ? waiting.filter(mayStart) : [];
    if (!first) return false;
    const next = others.reduce((best, other) => (isBefore(other, best) ? other : best), first);
    waiting.splice(waiting.indexOf(next), 1);
    turns += 1;
    for (const key of keysOf(next)) lastTurns.set(key, turns);
    add(next, 1);
    next.start();
    return true;
  }

  /** Runs `work` when it is the user's turn. Whoever `isGone` keeps no place among those who wait. */
  return async function inTurn<T>(
    user: QueueUser,
    work: () => Promise<T>,
    isGone: () => boolean = () => false,
  ): Promise<T> {
    assertCapacity(user);
    await new Promise<void>((start) => {
      waiting.push({ ...user, start, isGone });
      startWaiting();
    });
    try {
      return await work();
    } finally {
      add(user, -1);
      startWaiting();
    }
  };
}

import { PortalError } from './errors.server.ts';

/** The person who waits, and their firm. */
export interface QueueUser {
  person: string;
  firm: string;
}

interface Waiting extends QueueUser {
  start: () => void;
}

interface QueueLimits {
  /** How many tasks run at a time; at most one per firm. */
  width: number;
  /** How many may wait: per person, per firm, and in total. */
  perPerson: number;
  perFirm: number;
  total: number;
}

/**
 * A fair queue for heavy work: the next turn goes to the firm that was served longest ago, and within it to
 * such a person, so that one person's requests cannot starve others. TOO_MANY when a limit of waiting tasks
 * is reached.
 */
export function fairQueue({ width, perPerson, perFirm, total }: QueueLimits) {
  const waiting: Waiting[] = [];
  const running = new Set<string>();
  const lastTurns = new Map<string, number>();
  let turns = 0;

  function assertCapacity({ person, firm }: QueueUser): void {
    const ofSameFirm = waiting.filter((other) => other.firm === firm);
    const ofSamePerson = ofSameFirm.filter((other) => other.person === person);
    if (ofSamePerson.length >= perPerson || ofSameFirm.length >= perFirm || waiting.length >= total) {
      throw new PortalError('TOO_MANY', { retryAfter: 5 });
    }
  }

  const lastTurn = (name: string): number => lastTurns.get(name) ?? 0;
  const isBefore = (a: QueueUser, b: QueueUser): boolean =>
    lastTurn(a.firm) === lastTurn(b.firm)
      ? lastTurn(a.person) < lastTurn(b.person)
      : lastTurn(a.firm) < lastTurn(b.firm);

  function startNext(): void {
    const [first, ...others] = running.size < width ? waiting.filter(({ firm }) => !running.has(firm)) : [];
    if (!first) {
      if (running.size === 0) lastTurns.clear();
      return;
    }
    const next = others.reduce((best, other) => (isBefore(other, best) ? other : best), first);
    waiting.splice(waiting.indexOf(next), 1);
    turns += 1;
    lastTurns.set(next.firm, turns).set(next.person, turns);
    running.add(next.firm);
    next.start();
  }

  /** Runs `work` when it is the user's turn. */
  return async function inTurn<T>(user: QueueUser, work: () => Promise<T>): Promise<T> {
    assertCapacity(user);
    await new Promise<void>((start) => {
      waiting.push({ ...user, start });
      startNext();
    });
    try {
      return await work();
    } finally {
      running.delete(user.firm);
      startNext();
    }
  };
}

import type { ServerResponse } from 'node:http';

/** Answers under way, each by whose it is, so that they can be broken off when that one loses the right to them. */
export function answersUnderWay() {
  const owners = new Map<ServerResponse, string>();
  return {
    /** From now on, until it ends, the answer is theirs. */
    note(response: ServerResponse, owner: string): void {
      if (response.closed) return;
      if (!owners.has(response)) response.once('close', () => owners.delete(response));
      owners.set(response, owner);
    },
    owners: (): string[] => [...new Set(owners.values())],
    /** Breaks off the answers of these; answers how many. */
    cutOff(ended: ReadonlySet<string>): number {
      const cut = [...owners].filter(([, owner]) => ended.has(owner));
      for (const [response] of cut) response.destroy();
      return cut.length;
    },
  };
}

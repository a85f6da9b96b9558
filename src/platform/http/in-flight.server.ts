import type { ServerResponse } from 'node:http';

/** Tracks responses in flight by owner, so that they can be aborted when the owner loses access. */
export function inFlightResponses() {
  const owners = new Map<ServerResponse, string>();
  return {
    /** Assigns a response to an owner until it ends. */
    track(response: ServerResponse, owner: string): void {
      if (response.closed) return;
      if (!owners.has(response)) response.once('close', () => owners.delete(response));
      owners.set(response, owner);
    },
    owners: (): string[] => [...new Set(owners.values())],
    /** Aborts the responses of these owners; returns how many. */
    abort(ended: ReadonlySet<string>): number {
      const aborted = [...owners].filter(([, owner]) => ended.has(owner));
      for (const [response] of aborted) response.destroy();
      return aborted.length;
    },
  };
}

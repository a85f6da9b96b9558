/**
 * A typed event: a feature announces what happened, and features above it, which it does not import, act on it.
 * Who subscribes is said in src/events.server.ts.
 */
export interface Event<Payload> {
  subscribe: (subscriber: (payload: Payload) => Promise<void>) => void;
  /** Awaits the subscribers one after the other, as part of the open transaction: what one throws undoes it. */
  announce: (payload: Payload) => Promise<void>;
}

export function defineEvent<Payload>(): Event<Payload> {
  const subscribers = new Set<(payload: Payload) => Promise<void>>();
  return {
    subscribe: (subscriber) => void subscribers.add(subscriber),
    announce: async (payload) => {
      for (const subscriber of subscribers) await subscriber(payload);
    },
  };
}

/**
 * A typed event: a feature announces what happened, and features above it, which it does not import, act on it.
 * An upper feature says in its feature.server.ts what it acts on.
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

/** What a feature does when an event is announced; it takes effect when the features are composed. */
export interface Subscription {
  begin: () => void;
}

export const on = <Payload>(
  event: Event<Payload>,
  subscriber: (payload: Payload) => Promise<void>,
): Subscription => ({ begin: () => event.subscribe(subscriber) });

/** What an event means for a surface that the announcing feature does not import, such as a row of the inbox. */
export interface Source<Change> {
  /** Applies what each event means, in the transaction in which it is announced. */
  begin: (apply: (change: Change) => Promise<void>) => Subscription;
}

/** Says what an event means for a surface; undefined if nothing. */
export const when = <Payload, Change>(
  event: Event<Payload>,
  meaning: (payload: Payload) => Change | undefined | Promise<Change | undefined>,
): Source<Change> => ({
  begin: (apply) =>
    on(event, async (payload) => {
      const change = await meaning(payload);
      if (change !== undefined) await apply(change);
    }),
});

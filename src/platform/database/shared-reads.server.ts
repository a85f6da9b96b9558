import { AsyncLocalStorage } from 'node:async_hooks';
import { isInTransaction } from './database.server.ts';

/*
 * What several parts of a page read is read once: the page, its frame and the guards all ask for the firm and
 * for the rights to the client (docs/decisions/0074). Only within a request that changes nothing.
 */

const requests = new AsyncLocalStorage<object>();

/** Runs a request that changes nothing, within which shared reads are done once. */
export const withSharedReads = <Result>(work: () => Result): Result => requests.run({}, work);

interface SharedRead<Input extends unknown[], Result> {
  (...input: Input): Promise<Result>;
  /** Shares a result that was found by another read. */
  found: (result: Result, ...input: Input) => void;
}

/**
 * Makes a read shared: within {@link withSharedReads} calls with the same key get the same result, also a failure.
 * Elsewhere, and inside a transaction, each call reads anew.
 */
export function sharedRead<Input extends unknown[], Result>(
  read: (...input: Input) => Promise<Result>,
  keyOf: (...input: Input) => string,
): SharedRead<Input, Result> {
  const results = new WeakMap<object, Map<string, Promise<Result>>>();
  const ofThisRequest = (): Map<string, Promise<Result>> | undefined => {
    const request = isInTransaction() ? undefined : requests.getStore();
    if (!request) return undefined;
    const known = results.get(request) ?? new Map<string, Promise<Result>>();
    results.set(request, known);
    return known;
  };
  const shared = (...input: Input): Promise<Result> => {
    const known = ofThisRequest();
    if (!known) return read(...input);
    const key = keyOf(...input);
    const result = known.get(key) ?? read(...input);
    known.set(key, result);
    return result;
  };
  return Object.assign(shared, {
    found: (result: Result, ...input: Input) =>
      void ofThisRequest()?.set(keyOf(...input), Promise.resolve(result)),
  });
}

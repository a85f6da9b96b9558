import { AsyncLocalStorage } from 'node:async_hooks';
import { isInTransaction } from './database.server.ts';

/*
 * What several parts of a page read is read once: the page, its frame and the guards all ask for the firm and
 * for the rights to the client (docs/decisions/0074). Only within a request that changes nothing.
 */

const requests = new AsyncLocalStorage<object>();

/** Runs a request that changes nothing, within which shared reads are done once. */
export const withSharedReads = <Result>(work: () => Result): Result => requests.run({}, work);

/**
 * Makes a read shared: within {@link withSharedReads} calls with the same key get the same result, also a failure.
 * Elsewhere, and inside a transaction, each call reads anew.
 */
export function sharedRead<Input extends unknown[], Result>(
  read: (...input: Input) => Promise<Result>,
  keyOf: (...input: Input) => string,
): (...input: Input) => Promise<Result> {
  const results = new WeakMap<object, Map<string, Promise<Result>>>();
  return (...input) => {
    const request = isInTransaction() ? undefined : requests.getStore();
    if (!request) return read(...input);
    const known = results.get(request) ?? new Map<string, Promise<Result>>();
    results.set(request, known);
    const key = keyOf(...input);
    const result = known.get(key) ?? read(...input);
    known.set(key, result);
    return result;
  };
}

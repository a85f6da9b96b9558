import { describe, expect, test } from 'vitest';
import { onPostgres, WHOLE } from '../support/whole.ts';
import { huntThrough, NOT_HERE, operations } from './calls.ts';
import { share, timeFor } from './hunt.ts';

/*
 * Every call of the OpenAPI document, in this process: a request takes a third of a millisecond, everybody
 * can call without signing in, and pollution of Object.prototype is detected at once. What only a socket
 * shows is in files.test.ts and e2e/fuzz.spec.ts.
 */

describe('every call, by everybody, answers as documented', () => {
  test('the fuzz suite has every documented call', () =>
    expect(operations.length).toBeGreaterThanOrEqual(18));

  const isSample = onPostgres && !WHOLE; // too few for each call to succeed
  const requests = share(0.5 / operations.length, isSample ? 5000 : 45_000);
  test.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    'the call answers made-up requests as documented: %s',
    { timeout: timeFor(requests) },
    async (name, operation) => {
      const statuses = await huntThrough(operation, requests);
      expect(
        [...statuses.keys()].some((status) => status < 400) || name in NOT_HERE || isSample,
        `some requests are carried out by ${name}, not only refused: ${JSON.stringify([...statuses])}. Make what it needs in fuzz.prepare of tests/features/<feature>/access.ts, or say in fuzz.notHere why it cannot be`,
      ).toBe(true);
    },
  );
});

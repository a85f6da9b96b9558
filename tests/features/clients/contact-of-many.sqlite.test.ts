import '../../../src/app.server.ts';
import { expect, test } from 'vitest';
import { stepsOf } from '../../support/statements.ts';
import { contactsWithManyClients, READS } from '../../support/contacts-with-many-clients.ts';

/*
 * What the engine reads for the pages of a contact with a hundred clients and with thousands. Steps of its machine are
 * counted, not time: the same on every machine.
 */

const { few, most } = await contactsWithManyClients();

/** What is counted up to a thousand of 4,000, or looked through in an index, and the steps for each. */
const COUNTED: Record<string, number> = {
  'the first clients': 1000 * 9,
  'the first clients by number': 1000 * 9,
  'a search of clients': 4000 * 9,
  'tasks of all': 2000 * 20,
  'further tasks of all': 2000 * 20,
  'complete tasks of all': 2000 * 20,
  'pending tasks by client': 500 * 20,
};

for (const [what, read] of Object.entries(READS))
  test(`${what}: a contact with 4,000 clients has no more rows read than one with 100`, async () => {
    const before = await stepsOf(() => read(few));
    expect(await stepsOf(() => read(most))).toBeLessThanOrEqual(before * 1.2 + (COUNTED[what] ?? 0));
  });

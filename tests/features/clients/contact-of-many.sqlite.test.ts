import '../../../src/app.server.ts';
import { expect, test } from 'vitest';
import type { Actor } from '#features/base/people/people.ts';
import { listClients, switcherQuery } from '#features/clients/clients/clients.server.ts';
import { MAX_COUNTED } from '#features/clients/clients/rules.ts';
import { stepsOf } from '../../support/statements.ts';
import { contactsWithManyClients, READS } from '../../support/contacts-with-many-clients.ts';

/*
 * What the engine reads for the pages of a contact with a hundred clients and with thousands. Steps of its machine are
 * counted, not time: the same on every machine.
 */

const { few, many, most } = await contactsWithManyClients();

/** What is counted up to a thousand of 4,000, or looked through in an index, and the steps for each. */
const COUNTED: Record<string, number> = {
  'the first clients': 1000 * 9,
  'the first clients by number': 1000 * 9,
  // three hundred of the contact's clients are looked at, then those of the firm with the text
  'a search of clients': 300 * 14 + 200 * 60,
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

test.each(['77', 'bakery 12', '4999', 'no such name'])(
  'a search of “%s” reads no more of 4,000 clients of a contact than of 400',
  async (searchTerm) => {
    const read = (actor: Actor) => listClients(actor, switcherQuery({ searchTerm }), MAX_COUNTED);
    const before = await stepsOf(() => read(many));
    // 85 clients are found, and a page of 25 of them is read, where 10 were
    expect(await stepsOf(() => read(most))).toBeLessThanOrEqual(before * 1.1 + 25 * 60);
    expect(await read({ ...most, hasManyClients: false })).toEqual(await read(most));
  },
);

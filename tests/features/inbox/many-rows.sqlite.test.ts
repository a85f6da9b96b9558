import '../../../src/app.server.ts';
import { expect, test } from 'vitest';
import { stepsOf } from '../../support/statements.ts';
import { inboxCounts, listInbox, unreadFor } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { storeWaiting } from '../../support/many-waiting.ts';
import { storeManyClients } from '../../support/many-clients.ts';

/*
 * What the engine reads for the inbox, where little and where much waits. Steps of its machine are counted, not time: the
 * same on every machine.
 */

const { sam, firmOne } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const [nora, rita] = [
  await person(firmOne, 'Nora Narrow', 'nora@one.example', { role: 'manager', hasAllClients: false }),
  await person(firmOne, 'Rita Rare', 'rita@one.example', { role: 'manager' }),
];
const clients = await storeManyClients(
  firmOne,
  Array.from({ length: 3000 }, (_, i) => ({
    name: `Bakery ${i}`,
    code: `B-${i}`,
    kind: 'business' as const,
    tags: [],
    // Sam is responsible for a third, Rita for three
    responsible: i % 3 === 0 ? sam.contactId : i % 1000 === 1 ? rita.contactId : olga.contactId,
  })),
);
await db()
  .insertInto('staff_clients')
  .values(
    clients
      .filter((_, i) => i % 100 === 0)
      .map((client_id) => ({ contact_id: nora.contactId, client_id, is_responsible: 0 as const, mac: '' })),
  )
  .execute();

const page = (actor: Actor, query: object) => listInbox(actor, inboxQuery.parse(query));

async function measured(): Promise<Record<string, number>> {
  const steps: Record<string, number> = {};
  for (const [who, actor] of Object.entries({ olga, sam, rita, nora })) {
    steps[`navigation of ${who}`] = await stepsOf(() => unreadFor(actor));
    steps[`counts of ${who}`] = await stepsOf(() => inboxCounts(actor));
    for (const of of ['mine', 'all'] as const) {
      const first = await page(actor, { of });
      const second = first.next === undefined ? first : await page(actor, { of, after: first.next });
      const after = second.next ?? first.next ?? '';
      const counts = steps[`counts of ${who}`] ?? 0;
      steps[`${of} of ${who}`] = (await stepsOf(() => page(actor, { of }))) - counts;
      steps[`further ${of} of ${who}`] = (await stepsOf(() => page(actor, { of, after }))) - counts;
    }
  }
  return steps;
}

/** Of their own, staff have a thousand clients looked up and a thousand rows counted, each in some 40 steps. */
const BOUNDED = 150_000;

test('a page of the inbox reads no more with 20,000 waiting rows, and what counts them is bounded', async () => {
  await storeWaiting(firmOne, clients, { from: 0, until: 100 });
  const before = await measured();
  await storeWaiting(firmOne, clients, { from: 100, until: 20_000 });
  const after = await measured();
  const isOfFirm = (what: string): boolean => /all of (olga|sam|rita)/.test(what);
  const grown = Object.entries(before).flatMap(([what, steps]) => {
    const now = after[what] ?? Infinity;
    return now > (isOfFirm(what) ? steps * 1.2 : BOUNDED) ? [`${what}: ${steps} steps, then ${now}`] : [];
  });
  expect(grown).toEqual([]);
  expect(await inboxCounts(olga)).toEqual({ mine: 1000, all: 1000 });
  expect(await unreadFor(olga)).toBe(100);
});

test('the last pages of a long inbox are reached by their links, and cost no more', async () => {
  let after: string | undefined = '';
  let pages = 0;
  for (; after !== undefined; pages += 1) {
    const at: string = after;
    const steps = await stepsOf(async () => ({ next: after } = await page(rita, { of: 'all', after: at })));
    if (pages % 40 === 0) expect(steps).toBeLessThan(BOUNDED);
  }
  expect(pages).toBe(400);
});

import '../../../src/app.server.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  inboxCounts,
  listInbox,
  markDone,
  markNotMine,
  undoDone,
} from '#features/office/inbox/inbox.server.ts';
import { inboxQuery, type InboxItem } from '#features/office/inbox/inbox.ts';
import { addToInbox, resolveGroup, resolveInInbox } from '#features/office/inbox/items.server.ts';
import { mergeClients } from '#features/documents/merging/merging.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { sessionAs } from '../../support/api.ts';
import { client, makeCast, person, standAt } from '../../support/cast.ts';

const { sam, firmOne } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const clients = await Promise.all(
  Array.from({ length: 9 }, (_, i) => client(firmOne, `Bakery ${i}`, `B-${i}`, [])),
);
for (const clientId of clients.slice(0, 6))
  await db()
    .insertInto('staff_clients')
    .values({ contact_id: sam.contactId, client_id: clientId, is_responsible: 1, mac: '' })
    .execute();

/** Random numbers that are the same in each run. */
let seed = 20261127;
const below = (limit: number): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return Math.floor((seed / 2 ** 31) * limit);
};
const one = <T>(among: readonly T[]): T => {
  const chosen = among[below(among.length)];
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
};

/** All open rows in the order of the inbox, by the plain definition of that order. */
async function plainOrder(): Promise<string[]> {
  const { rows } = await sql<{ item_id: string }>`
    select item_id, min(created_at) over (partition by coalesce(client_id, item_id)) as since from inbox_items
    where company_id = ${firmOne} and done_at is null
    order by since, coalesce(client_id, item_id), created_at, item_id`.execute(db());
  return rows.map((row) => row.item_id);
}

/** The rows of all pages, from the first to the last, or back from the last page to the first. */
async function pagesOf(
  actor: Actor,
  of: 'mine' | 'all',
): Promise<{ forth: InboxItem[][]; back: InboxItem[][] }> {
  const read = (after = '') => listInbox(actor, inboxQuery.parse({ of, after }));
  let page = await read();
  const forth = [page.items];
  for (let start = 0; page.next !== undefined; start = page.start) {
    page = await read(page.next);
    expect(page.start).toBe(start + 50);
    forth.push(page.items);
  }
  const back = [page.items];
  while (page.previous !== undefined) {
    page = await read(page.previous);
    back.unshift(page.items);
  }
  return { forth, back };
}
const idsIn = (pages: InboxItem[][]): string[] => pages.flat().map(({ itemId }) => itemId);

let made = 0;
const ACTS: Record<string, () => Promise<unknown>> = {
  async add() {
    made += 1;
    const clientId = below(8) === 0 ? null : one(clients);
    await addToInbox({
      companyId: firmOne,
      clientId: clientId === null ? null : await survivor(clientId),
      kind: one(['documents', 'comments', 'task'] as const),
      key: `key_${below(300)}`,
      target: `target_${made}`,
      name: `Paper ${made}`,
      contactId: below(10) === 0 ? sam.contactId : null,
    });
  },
  // what came in while somebody's clock was behind waits longer than what is there
  async addEarlier() {
    standAt(now() - below(6) * HOUR);
    await ACTS['add']?.();
  },
  resolve: () => resolveInInbox([`target_${below(made + 1)}`, `target_${below(made + 1)}`]),
  resolveGroup: () => resolveGroup(firmOne, 'documents', `key_${below(300)}`),
  async done() {
    const { at } = await markDone(one([sam, olga]), await some());
    if (below(2) === 0) await undoDone(one([sam, olga]), at);
  },
  notMine: async () => markNotMine(sam, (await some()).slice(0, 1)),
  remove: async () =>
    db()
      .deleteFrom('inbox_items')
      .where('item_id', 'in', [...(await some()).slice(0, 1), ''])
      .execute(),
};

const some = async (): Promise<string[]> => (await plainOrder()).filter(() => below(12) === 0);

const survivor = async (clientId: string): Promise<string> =>
  (
    await db()
      .selectFrom('clients')
      .select('merged_into')
      .where('client_id', '=', clientId)
      .executeTakeFirstOrThrow()
  ).merged_into ?? clientId;

test('the pages of the inbox are in the order of its plain definition after any changes', async () => {
  const names = [...Array<string>(9).fill('add'), 'addEarlier', ...Object.keys(ACTS)];
  for (let round = 0; round < 8; round += 1) {
    for (let act = 0; act < 60; act += 1) {
      standAt(now() + below(90) * MINUTE);
      await ACTS[one(names)]?.();
    }
    if (round === 3 || round === 6) {
      const [from = '', into = ''] = clients.slice(round, round + 2);
      await mergeClients(sessionAs(olga), from, into);
    }
    const expected = await plainOrder();
    for (const actor of [sam, olga]) {
      const { forth, back } = await pagesOf(actor, 'all');
      expect(idsIn(forth)).toEqual(expected);
      expect(back).toEqual(forth);
    }
    const mine = await pagesOf(sam, 'mine');
    const ids = idsIn(mine.forth);
    expect(ids).toEqual(expected.filter((id) => ids.includes(id)));
    expect(mine.back).toEqual(mine.forth);
    expect(await inboxCounts(sam)).toEqual({ mine: ids.length, all: expected.length });
  }
  expect((await plainOrder()).length).toBeGreaterThan(100);
});

test('a change of the address of a page is ignored or leads elsewhere in the list', async () => {
  for (const after of ['x', 'a.0.0', "a.0.0.'.0.x", 'c.0.0.a.0.a'])
    expect(inboxQuery.safeParse({ after }).success).toBe(false);
  const query = inboxQuery.parse({ of: 'all', after: 'a.50.999999999999999.a.0.a' });
  expect(await listInbox(sam, query)).toMatchObject({ items: [], next: undefined, previous: undefined });
});

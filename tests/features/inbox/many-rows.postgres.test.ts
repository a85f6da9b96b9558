import '../../../src/app.server.ts';
import { expect, test } from 'vitest';
import { postgresPlansOf, rowsRead, vacuumAll } from '../../support/postgres-plans.ts';
import { listInbox, unreadFor } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery, MAX_COUNTED } from '#features/office/inbox/inbox.ts';
import type { Actor } from '#features/base/people/people.ts';
import { makeCast, person } from '../../support/cast.ts';
import { storeManyClients } from '../../support/many-clients.ts';
import { storeWaiting } from '../../support/many-waiting.ts';

/* What the inbox reads on PostgreSQL where 20,000 rows wait. */

const { firmOne } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const rita = await person(firmOne, 'Rita Rare', 'rita@one.example', { role: 'manager' });
const clients = await storeManyClients(
  firmOne,
  Array.from({ length: 3000 }, (_, i) => ({
    name: `Bakery ${i}`,
    code: `B-${i}`,
    kind: 'business' as const,
    tags: [],
    responsible: i % 1000 === 1 ? rita.contactId : olga.contactId,
  })),
);
await storeWaiting(firmOne, clients, { from: 0, until: 20_000 });
await vacuumAll();

const page = (actor: Actor, query: object) => listInbox(actor, inboxQuery.parse(query));
const PAGE = 50;

for (const [who, actor] of Object.entries({ olga, rita }))
  test(`a page of the inbox of the firm is read from its index, for ${who}`, async () => {
    const { next } = await page(actor, { of: 'all' });
    for (const after of ['', next]) {
      const plans = await postgresPlansOf(() => page(actor, { of: 'all', after }));
      const [list] = plans.filter(({ text }) => text.includes('client_name'));
      expect(rowsRead(list?.plan ?? [], 'inbox_items'), list?.text).toBeLessThanOrEqual(PAGE + 2);
      expect(list?.plan.map((node) => node['Node Type'])).not.toContain('Sort');
    }
  });

test('what waits is counted up to a thousand rows, and few own ones are looked up', async () => {
  for (const [actor, most] of [
    [olga, 2 * MAX_COUNTED + 2],
    [rita, MAX_COUNTED + 100],
  ] as const)
    for (const work of [() => page(actor, { of: 'mine' }), () => unreadFor(actor)])
      for (const { text, plan } of await postgresPlansOf(work))
        expect(rowsRead(plan, 'inbox_items'), text).toBeLessThanOrEqual(most);
});

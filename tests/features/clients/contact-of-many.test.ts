import '../../../src/app.server.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { linkContact } from '#features/clients/clients/clients.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { listTasks } from '#features/tasks/task-lists/task-list.server.ts';
import { db } from '#platform/database/database.server.ts';
import { unlink } from '../../support/cast.ts';
import { contactsWithManyClients, READS } from '../../support/contacts-with-many-clients.ts';

/* Contacts with many clients see the same rows in the same order as if these were looked up by each of their clients. */

const { few, many, most } = await contactsWithManyClients();

const READ_BOTH = {
  ...READS,
  'distant tasks of all': (actor: Actor) =>
    listTasks(actor, { lang: 'en-us', clientId: undefined, isPending: true, from: 1500 }),
};

async function expectTheSame(actor: Actor): Promise<void> {
  for (const [what, read] of Object.entries(READ_BOTH)) {
    const found = await Promise.all(
      [true, false].map((hasManyClients) => read({ ...actor, hasManyClients })),
    );
    expect(found[0], what).toEqual(found[1]);
  }
}

test('a contact has many clients from three hundred on', () => {
  expect([few, many, most].map((actor) => actor.hasManyClients)).toEqual([false, true, true]);
});

test('the rows of contacts with a hundred, four hundred and four thousand clients are the same both ways', async () => {
  for (const actor of [few, many, most]) await expectTheSame(actor);
});

test('they stay the same after clients were renamed, archived, returned, linked and unlinked', async () => {
  const own = await db()
    .selectFrom('client_contacts')
    .select('client_id')
    .where('contact_id', '=', many.contactId)
    .orderBy('client_id')
    .execute();
  const ids = own.map((row) => row.client_id);
  const change = (
    of: number,
    values: { name_key?: string; code_key?: string; search_key?: string; archived_at?: number | null },
  ) =>
    db()
      .updateTable('clients')
      .set(values)
      .where(
        'client_id',
        'in',
        ids.filter((_, i) => i % 40 === of),
      )
      .execute();
  await change(1, { name_key: 'aaa bakery', search_key: 'aaa bakery' });
  await change(2, { code_key: 'zzz', search_key: 'zzz', archived_at: 5 });
  await change(3, { archived_at: 5 });
  await change(3, { archived_at: null, name_key: 'bakery 7700', search_key: 'bakery 7700' });
  for (const clientId of ids.slice(10, 20)) await unlink(clientId, many);
  for (const clientId of ids.slice(10, 13)) await linkContact(clientId, many.contactId);
  for (const actor of [few, many, most]) await expectTheSame(actor);
  const { rows } =
    await sql`select 1 from client_contacts join clients on clients.client_id = client_contacts.client_id
    where client_contacts.client_name_key <> clients.name_key or client_contacts.client_code_key <> clients.code_key
      or client_contacts.is_archived <> case when clients.archived_at is null then 0 else 1 end`.execute(
      db(),
    );
  expect(rows).toEqual([]);
});

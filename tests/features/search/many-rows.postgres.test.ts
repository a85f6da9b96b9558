import '../../../src/app.server.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { postgresPlansOf, rowsRead, vacuumAll } from '../../support/postgres-plans.ts';
import { activeClient } from '#features/clients/clients/clients.server.ts';
import { searchEverything } from '#features/office/search/search.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { localsOf } from '../../support/home.ts';

/*
 * What the search of everything reads of the tasks of a firm with 10,000 of one client. Clients and people are searched as in
 * their lists (tests/features/directory/many-people.postgres.test.ts).
 */

const TASKS = 10_000;
/** The sample that tells common texts from rare ones, and some. */
const SAMPLE = 2100;

const { ada, sam, firmOne, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await createTask(sam, { clientId: clientA, type: 'misc', label: 'Ledger', dueDate: '2030-01-31' });
await storeCopies();

/** Copies of the one task; one in a thousand is rare. */
async function storeCopies(): Promise<void> {
  const title = sql`case when n % 1000 = 7 then 'quince' else 'garden' end || ' task ' || n`;
  const own: Record<string, ReturnType<typeof sql>> = {
    task_id: sql`one.task_id || '-' || n`,
    label: title,
    label_key: title,
  };
  const { rows } = await sql<{
    name: string;
  }>`select column_name as name from information_schema.columns where table_schema = current_schema() and table_name = 'tasks'`.execute(
    db(),
  );
  const names = rows.map(({ name }) => name);
  await inTransaction(async () => {
    await sql`insert into tasks (${sql.join(names.map((name) => sql.ref(name)))})
      select ${sql.join(names.map((name) => own[name] ?? sql.ref(`one.${name}`)))}
      from tasks as one, generate_series(1, ${sql.lit(TASKS)}) n`.execute(db());
  });
  await vacuumAll();
}

const search = (actor: Actor, text: string) =>
  searchEverything({ ...localsOf(actor), client: activeClient(actor, undefined) }, { text, limit: 5 });

for (const [what, actor, text] of [
  ['a text that all have', olga, 'garden'],
  ['a rare text', olga, 'quince'],
  ['a text that none has', olga, 'zwieback'],
  ['two letters', olga, 'qu'],
  ['a contact’s common text', ada, 'garden'],
  ['a contact’s rare text', ada, 'quince'],
] as const)
  test(`${what}: no statement of a search walks over the tasks of the firm`, async () => {
    for (const { plan, text: statement } of await postgresPlansOf(() => search(actor, text)))
      expect(rowsRead(plan, 'tasks'), statement).toBeLessThanOrEqual(SAMPLE);
  });

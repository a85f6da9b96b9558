import '../../../src/app.server.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { counts, stepsOf } from '../../support/statements.ts';
import { activeClient, linkContact } from '#features/clients/clients/clients.server.ts';
import { searchEverything } from '#features/office/search/search.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { makeCast, person, uploadAs } from '../../support/cast.ts';
import { localsOf } from '../../support/home.ts';
import { storeManyClients, storeManyContacts } from '../../support/many-clients.ts';

/*
 * What the engine reads for the search of everything in a firm with a hundred clients, people, tasks and documents of one
 * client, and with ten thousand of each. Steps of its machine are counted, not time: the same on every machine.
 */

const { ada, sam, zoe, firmOne, firmTwo, clientA, projectA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const { taskId } = await createTask(sam, {
  clientId: clientA,
  type: 'misc',
  label: 'Ledger',
  dueDate: '2030-01-31',
});
const ledger = await uploadAs(sam, projectA, 'Ledger.pdf', 'one');

/** Stores the rows with these numbers; one in a thousand is rare, the very first of them too. */
async function store(from: number, until: number): Promise<string[]> {
  const numbers = Array.from({ length: until - from }, (_, i) => from + i);
  const word = (i: number) => (i % 1000 === 7 ? 'Quince' : 'Garden');
  const ids = await storeManyClients(
    firmOne,
    numbers.map((i) => ({
      name: `${word(i)} ${i} Ltd`,
      code: `C-${i}`,
      kind: 'business' as const,
      tags: [],
      responsible: olga.contactId,
    })),
  );
  await storeManyContacts(
    firmOne,
    numbers.map((i, at) => ({
      clientId: ids[at] ?? '',
      fullName: `${word(i)} Person ${i}`,
      email: `person-${i}@garden.example`,
    })),
  );
  const title = sql`case when n % 1000 = 7 then 'quince' else 'garden' end || ' task ' || n`;
  await copies('tasks', { key: 'task_id', id: taskId, own: { label: title, label_key: title }, from, until });
  const name = sql`case when n % 1000 = 7 then 'quince' else 'garden' end || ' file ' || n || '.pdf'`;
  const own = { name, name_key: name, blob_key: sql`one.blob_key || n` };
  await copies('documents', { key: 'document_id', id: ledger.id, own, from, until });
  return ids;
}

/** Copies a row of a table, with values of their own. */
async function copies(
  table: 'tasks' | 'documents',
  {
    key,
    id,
    own,
    from,
    until,
  }: { key: string; id: string; own: Record<string, unknown>; from: number; until: number },
): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(db());
  const names = rows.map((row) => row.name).filter((name) => name !== 'seq');
  const values: Record<string, unknown> = { ...own, [key]: sql`one.${sql.ref(key)} || '-' || n` };
  await sql`with recursive numbers (n) as (select ${sql.lit(from)} union all select n + 1 from numbers where n + 1 < ${sql.lit(until)})
    insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    select ${sql.join(names.map((name) => values[name] ?? sql`one.${sql.ref(name)}`))}
    from (select * from ${sql.table(table)} where ${sql.ref(key)} = ${sql.lit(id)}) as one, numbers`.execute(
    db(),
  );
}

const search = (actor: Actor, text: string) =>
  searchEverything({ ...localsOf(actor), client: activeClient(actor, undefined) }, { text, limit: 5 });

const SEARCHES: Record<string, [actor: Actor, text: string]> = {
  'a text that all have': [olga, 'garden'],
  'a rare text': [olga, 'quince'],
  'a text that none has': [olga, 'zwieback'],
  'two letters': [olga, 'qu'],
  'an email address': [olga, 'person-7@garden.example'],
  'the name of a client and a document': [olga, 'amber garden'],
  'six words': [olga, 'garden file of the year 7'],
  'as many words as there is room for': [olga, 'garden '.repeat(40).trim()],
  'a word of two hundred letters': [olga, 'garden'.repeat(40).slice(0, 200)],
  'a contact’s common text': [ada, 'garden'],
  'a contact’s rare text': [ada, 'quince'],
  'six words of a contact': [ada, 'garden file of the year 7'],
};

async function measured(): Promise<Record<string, number>> {
  const steps: Record<string, number> = {};
  for (const [what, [actor, text]] of Object.entries(SEARCHES)) {
    await search(actor, text); // what is kept for the next search of anybody
    steps[what] = await stepsOf(() => search(actor, text));
  }
  return steps;
}

await store(0, 100);
const few = await measured();
const others = await store(100, 10_000);
const many = await measured();

/**
 * A text is common or rare by the first 2,000 of a list (docs/decisions/0059), of clients, people and tasks; names of the
 * newest 2,000 documents of a client are compared. Some steps for each.
 */
const SAMPLED = 4 * 2000 * 13;
/** Up to three words may name a client, and are looked for one more at a time. */
const sampledFor = (text: string): number => SAMPLED + (Math.min(text.split(' ').length, 3) - 1) * 2000 * 13;

for (const [what, [, text]] of Object.entries(SEARCHES))
  test(`${what}: a search costs as much among 10,000 as among 100, but for samples of constant size`, () => {
    expect(many[what]).toBeLessThanOrEqual((few[what] ?? 0) * 1.2 + sampledFor(text));
  });

test('a search takes a constant number of statements', async () => {
  for (const [actor, text] of Object.values(SEARCHES)) {
    const before = counts.statements;
    await search(actor, text);
    expect(counts.statements - before, text).toBeLessThanOrEqual(22);
  }
});

test('a text that a thousand clients and people of another firm have costs little more than one that nobody has', async () => {
  const moses = await person(firmOne, 'Moses Many', 'moses@one.example');
  for (const id of others.slice(0, 400)) await linkContact(id, moses.contactId);
  const ofMany = await actorOf(moses.contactId);
  expect(ofMany.hasManyClients).toBe(true);
  const numbers = Array.from({ length: 1000 }, (_, i) => i);
  const ids = await storeManyClients(
    firmTwo,
    numbers.map((i) => ({
      name: `Marmalade ${i} Ltd`,
      code: `M-${i}`,
      kind: 'business' as const,
      tags: [],
      responsible: zoe.contactId,
    })),
  );
  await storeManyContacts(
    firmTwo,
    numbers.map((i) => ({
      clientId: ids[i] ?? '',
      fullName: `Marmalade Person ${i}`,
      email: `marmalade-${i}@garden.example`,
    })),
  );
  for (const actor of [olga, sam, ada, ofMany]) {
    const cost = async (text: string): Promise<{ kinds: string[]; steps: number; statements: number }> => {
      await search(actor, text);
      const before = counts.statements;
      let groups: Awaited<ReturnType<typeof search>> = [];
      const steps = await stepsOf(async () => (groups = await search(actor, text)));
      return { kinds: groups.map(({ kind }) => kind), steps, statements: counts.statements - before };
    };
    const [ofOthers, ofNobody] = [await cost('marmalade'), await cost('zwieback!')];
    expect(ofOthers.kinds).toEqual(ofNobody.kinds);
    expect(ofOthers.statements).toBe(ofNobody.statements);
    expect(ofOthers.statements).toBeLessThanOrEqual(22);
    // on SQLite one index has the texts of all firms, of which a limited number is compared with the firm: 25 steps each
    expect(ofOthers.steps - ofNobody.steps).toBeLessThanOrEqual(2 * 1000 * 25);
  }
});

import { sql } from 'kysely';
import { linkContact } from '#features/clients/clients/clients.server.ts';
import { createFirm } from '#features/base/firms/firms.server.ts';
import { actorOf, createContact, createUser } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { startSession } from '#features/identity/sessions/sessions.server.ts';
import { createTasks } from '#features/tasks/tasks/creating.server.ts';
import { ownTask } from '#features/tasks/tasks/own-questions.server.ts';
import { closeDatabase, db, migrate } from '#platform/database/database.server.ts';
import { storeManyClients } from '../support/many-clients.ts';
import { storeClient } from '../support/store-client.ts';

/*
 * A program of its own, for a database belongs to a process: fills it with firms of so many tasks, of which one client
 * has 500. See parts/tasks.ts.
 */

export interface TasksOrder {
  sizes: readonly number[];
}

export interface TasksFirm {
  /** A session of the owner, and one of the contact of the client with 500 tasks. */
  staff: string;
  contact: string;
  /** How long it took to create a task for each of 1,000 clients, in batches of 50, in seconds. */
  creating: number;
}

/** Tasks of the client whose pages are opened. */
const OF_CLIENT = 500;
/** The clients that share the others. */
const CLIENTS = 1000;
const AT_ONCE = 50;
const DAY = 86_400_000;

const { sizes } = JSON.parse(process.argv[2] ?? '{}') as TasksOrder;
await migrate();
const firms: TasksFirm[] = [];
for (const size of sizes) firms.push(await firmOf(size));
if (process.env['DATABASE_URL'] !== undefined) await sql`analyze`.execute(db()); // as autovacuum does
process.stdout.write(JSON.stringify(firms));
await closeDatabase();

async function firmOf(size: number): Promise<TasksFirm> {
  const companyId = await createFirm({
    secondStep: 'nobody',
    name: `Firm of ${size}`,
    phone: '+1 312 555 0142',
    email: 'office@maplehart.example',
    language: 'en-us',
    loginPageText: '',
  });
  const owner = await person(companyId, `owner-${size}`, 'owner');
  const { clientId, contact } = await clientOf(companyId, size);
  for (let at = 0; at < OF_CLIENT; at += 1) await createTasks(owner, [clientId], asked(at));
  const others = await storeManyClients(
    companyId,
    Array.from({ length: CLIENTS }, (_, at) => ({
      name: `Client ${String(at).padStart(4, '0')} Ltd`,
      code: `C-${at}`,
      kind: 'business' as const,
      tags: [],
      responsible: owner.contactId,
    })),
  );
  const began = performance.now();
  for (let at = 0; at < others.length; at += AT_ONCE)
    await createTasks(owner, others.slice(at, at + AT_ONCE), asked(at));
  const creating = (performance.now() - began) / 1000;
  await multiply(companyId, clientId, Math.max(0, Math.ceil(size / CLIENTS) - 1));
  const browser = { amr: ['pwd', 'otp', 'mfa'], device: { userAgent: 'a browser', network: '192.0.2.1' } };
  return {
    staff: await startSession(owner, browser),
    contact: await startSession(contact, browser),
    creating,
  };
}

/** A request for documents, due on another day each time. */
function asked(at: number) {
  return ownTask(
    {
      title: 'Year-end documents',
      message: '',
      taxYear: '',
      dueDate: new Date(Date.UTC(2027, 0, 1) + (at % 300) * DAY).toISOString().slice(0, 10),
      items: [
        { label: 'Bank statements', kind: 'files', isRequired: true },
        { label: 'About the year', kind: 'paragraph', isRequired: false },
      ],
    },
    'en-us',
  );
}

/** Stores every task of other clients so many times more, with its group and its step. */
async function multiply(companyId: string, exceptOf: string, times: number): Promise<void> {
  const copies: Record<string, { key: string; also: readonly string[]; of: string }> = {
    task_groups: { key: 'group_id', also: [], of: 'company_id' },
    tasks: { key: 'task_id', also: ['group_id'], of: 'company_id' },
    task_steps: { key: 'step_id', also: ['task_id'], of: '' },
  };
  for (const [table, { key, also, of }] of Object.entries(copies)) {
    const { [0]: row } = (
      await sql<Record<string, unknown>>`select * from ${sql.table(table)} limit 1`.execute(db())
    ).rows;
    const names = Object.keys(row ?? {});
    const values = names.map((name) =>
      name === key || also.includes(name)
        ? sql`${sql.ref(`one.${name}`)} || '-' || copies.n`
        : sql.ref(`one.${name}`),
    );
    const scope =
      of === ''
        ? sql`one.task_id in (select task_id from tasks where company_id = ${companyId} and client_id <> ${exceptOf} and task_id not like '%-%')`
        : sql`one.company_id = ${companyId} and one.client_id <> ${exceptOf} and ${sql.ref(`one.${key}`)} not like '%-%'`;
    await sql`with recursive copies(n) as (select 1 union all select n + 1 from copies where n < ${sql.lit(times)})
      insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
      select ${sql.join(values)} from ${sql.table(table)} as one cross join copies
      where ${sql.lit(times)} > 0 and ${scope}`.execute(db());
  }
}

async function clientOf(companyId: string, size: number): Promise<{ clientId: string; contact: Actor }> {
  const clientId = await storeClient(companyId, { name: `Large Client of ${size}`, code: 'L-1' });
  const contact = await person(companyId, `contact-${size}`);
  await linkContact(clientId, contact.contactId);
  return { clientId, contact };
}

async function person(companyId: string, name: string, role?: 'owner'): Promise<Actor> {
  const prismGuid = await createUser({
    email: `${name}@maplehart.example`,
    firstName: name,
    lastName: 'Hart',
    language: 'en-US',
    passwordHash: null,
  });
  return actorOf(await createContact({ companyId, prismGuid, fullName: name, ...(role && { role }) }));
}

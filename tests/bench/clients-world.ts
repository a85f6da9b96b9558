import { sql } from 'kysely';
import { clientsGrid } from '#features/clients/clients-grid.server.ts';
import { createFirm } from '#features/firms/firms.server.ts';
import { gridQueryOf } from '#features/grids/define.server.ts';
import { readGrid } from '#features/grids/reading.server.ts';
import { actorOf, createContact, createUser } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { closeDatabase, db, migrate } from '#platform/database.server.ts';
import { storeManyClients } from '../support/many-clients.ts';

/*
 * A program of its own, for a database belongs to a process: fills it with firms of so many clients and times the table
 * of clients, the firms in turns. See parts/clients.ts.
 */

export interface ClientsOrder {
  sizes: readonly number[];
  /** The queries of the table, as addresses have them; `{person}` is a member of staff. */
  queries: readonly string[];
  times: number;
}

const FIRST = ['Amber', 'Birch', 'Cedar', 'Delta', 'Ember', 'Fjord', 'Grove', 'Harbor', 'Iris', 'Juniper'];
const SECOND = [
  'Bakery',
  'Boats',
  'Clinic',
  'Design',
  'Dental',
  'Garden',
  'Motors',
  'Orchard',
  'Studio',
  'Yard',
];

const { sizes, queries, times } = JSON.parse(process.argv[2] ?? '{}') as ClientsOrder;
await migrate();
const firms = [];
for (const size of sizes) firms.push(await firmOf(size));
if (process.env['DATABASE_URL'] !== undefined) await sql`analyze`.execute(db()); // as autovacuum does
const took: Record<string, number[][]> = {};
for (const query of queries) {
  const each = (took[query] = firms.map((): number[] => []));
  for (let i = -2; i < times; i += 1)
    for (const [index, { owner, person }] of firms.entries()) {
      const parameters = Object.fromEntries(new URLSearchParams(query.replace('{person}', person)));
      const began = performance.now();
      await readGrid(clientsGrid, owner, gridQueryOf(clientsGrid, clientsGrid.parameters.parse(parameters)));
      if (i >= 0) each[index]?.push(performance.now() - began);
    }
}
process.stdout.write(JSON.stringify(took));
await closeDatabase();

/** A firm whose clients come in the order of their names, the last fiftieth with a name of its own. */
async function firmOf(size: number): Promise<{ owner: Actor; person: string }> {
  const companyId = await createFirm({
    secondStep: 'nobody',
    name: `Firm of ${size}`,
    phone: '+1 312 555 0142',
    email: 'office@maplehart.example',
    language: 'en-us',
    loginPageText: '',
  });
  const [owner, person] = [await staff(companyId, `owner-${size}`), await staff(companyId, `last-${size}`)];
  await storeManyClients(
    companyId,
    Array.from({ length: size }, (_, i) => ({
      ...clientOf(i, size),
      responsible: (i >= size * 0.9 ? person : owner).contactId,
    })),
  );
  return { owner, person: person.contactId };
}

function clientOf(i: number, size: number) {
  const first = i >= size * 0.98 ? 'Zebra' : FIRST[Math.floor((i / size) * FIRST.length)];
  return {
    name: `${first} ${SECOND[(i * 7) % SECOND.length]} ${String(i).padStart(6, '0')} Ltd`,
    code: `C-${(i * 7919) % size}`,
    kind: i % 100 === 3 ? ('individual' as const) : ('business' as const),
    tags: [...(i % 2 === 0 ? ['Payroll'] : []), ...(i % 100 === 7 ? ['Season'] : [])],
  };
}

async function staff(companyId: string, name: string): Promise<Actor> {
  const prismGuid = await createUser({
    email: `${name}@maplehart.example`,
    firstName: name,
    lastName: 'Hart',
    language: 'en-US',
    passwordHash: null,
  });
  return actorOf(await createContact({ companyId, prismGuid, fullName: name, role: 'owner' }));
}

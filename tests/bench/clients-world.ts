import { sql } from 'kysely';
import { createFirm } from '#features/base/firms/firms.server.ts';
import { actorOf, createContact, createUser } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { startSession } from '#features/identity/sessions/sessions.server.ts';
import { closeDatabase, db, migrate } from '#platform/database/database.server.ts';
import { storeManyClients, storeManyContacts } from '../support/many-clients.ts';
import { storeWaiting } from '../support/many-waiting.ts';

/*
 * A program of its own, for a database belongs to a process: fills it with firms of so many clients, each with a
 * contact, and with up to 20,000 rows in the inbox. See parts/clients.ts.
 */

export interface ClientsOrder {
  sizes: readonly number[];
}

export interface ClientsFirm {
  /** A session of the owner. */
  session: string;
  /** The contact id of who is responsible for the last tenth of the clients. */
  person: string;
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

const MAX_WAITING = 20_000;

const { sizes } = JSON.parse(process.argv[2] ?? '{}') as ClientsOrder;
await migrate();
const firms: ClientsFirm[] = [];
for (const size of sizes) firms.push(await firmOf(size));
// as autovacuum does, which would otherwise work while the pages are measured
if (process.env['DATABASE_URL'] !== undefined)
  for (const statement of [sql`checkpoint`, sql`vacuum analyze`]) await statement.execute(db());
process.stdout.write(JSON.stringify(firms));
await closeDatabase();

/** A firm whose clients and contacts come in the order of their names, the last fiftieth with a name of its own. */
async function firmOf(size: number): Promise<ClientsFirm> {
  const companyId = await createFirm({
    secondStep: 'nobody',
    name: `Firm of ${size}`,
    phone: '+1 312 555 0142',
    email: 'office@maplehart.example',
    language: 'en-us',
    loginPageText: '',
  });
  const [owner, person] = [await staff(companyId, `owner-${size}`), await staff(companyId, `last-${size}`)];
  const clientIds = await storeManyClients(
    companyId,
    Array.from({ length: size }, (_, i) => ({
      ...clientOf(i, size),
      responsible: (i >= size * 0.9 ? person : owner).contactId,
    })),
  );
  await storeManyContacts(
    companyId,
    clientIds.map((clientId, i) => ({
      clientId,
      fullName: `${nameAt(i, size)} Person ${String(i).padStart(6, '0')}`,
      email: `person-${i}@firm-${size}.example`,
    })),
  );
  await storeWaiting(companyId, clientIds, { from: 0, until: Math.min(size, MAX_WAITING) });
  const browser = { amr: ['pwd', 'otp', 'mfa'], device: { userAgent: 'a browser', network: '192.0.2.1' } };
  return { session: await startSession(owner, browser), person: person.contactId };
}

function nameAt(i: number, size: number): string {
  return i >= size * 0.98 ? 'Zebra' : (FIRST[Math.floor((i / size) * FIRST.length)] ?? '');
}

function clientOf(i: number, size: number) {
  return {
    name: `${nameAt(i, size)} ${SECOND[(i * 7) % SECOND.length]} ${String(i).padStart(6, '0')} Ltd`,
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

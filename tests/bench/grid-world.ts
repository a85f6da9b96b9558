import { sql } from 'kysely';
import { createFirm } from '#features/base/firms/firms.server.ts';
import { actorOf, createContact, createUser } from '#features/base/people/people.server.ts';
import { startSession } from '#features/identity/sessions/sessions.server.ts';
import { closeDatabase, db, migrate } from '#platform/database/database.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { storeManyClients } from '../support/many-clients.ts';

/*
 * A program of its own, for a database belongs to a process: fills it with a firm of so many clients, which differ in
 * type, language, year end and number of contacts. See parts/grid.ts.
 */

export interface GridOrder {
  clients: number;
}
/** The session token of the firm's owner. */
export interface GridWorld {
  staff: string;
}

const MAX_CONTACTS = 4;
const YEAR_ENDS = [
  '',
  ...Array.from({ length: 11 }, (_, month) => `${String(month + 1).padStart(2, '0')}-28`),
];
/** The number in the name of a client. */
const NUMBER = sql`cast(substr(name, 8, 6) as integer)`;

const { clients } = JSON.parse(process.argv[2] ?? '{}') as GridOrder;
await migrate();
const world = await make();
if (process.env['DATABASE_URL'] !== undefined) await sql`analyze`.execute(db()); // as autovacuum does
process.stdout.write(JSON.stringify(world));
await closeDatabase();

async function make(): Promise<GridWorld> {
  const companyId = await createFirm({
    secondStep: 'nobody',
    name: 'Maple & Hart CPAs',
    phone: '+1 312 555 0142',
    email: 'office@maplehart.example',
    language: 'en-us',
    loginPageText: '',
  });
  const owner = await person(companyId, 'owner', 'owner');
  await storeManyClients(
    companyId,
    Array.from({ length: clients }, (_, i) => ({
      name: `Client ${String(i).padStart(6, '0')} Ltd`,
      code: `C-${(i * 7919) % clients}`,
      kind: i % 4 === 3 ? ('individual' as const) : ('business' as const),
      tags: i % 2 === 0 ? ['Payroll'] : [],
      responsible: owner,
    })),
  );
  await sql`update clients set language = ${oneOf(4, ['', ...LANGS])}, year_end = ${oneOf(32, YEAR_ENDS)}`.execute(
    db(),
  );
  for (let count = 0; count < MAX_CONTACTS; count += 1)
    await sql`insert into client_contacts (client_id, contact_id, mac)
      select client_id, ${await person(companyId, `contact-${count}`)}, '' from clients
      where ${NUMBER} % ${sql.lit(MAX_CONTACTS + 1)} > ${sql.lit(count)}`.execute(db());
  return {
    staff: await startSession(await actorOf(owner), {
      amr: ['pwd', 'otp', 'mfa'],
      device: { userAgent: 'a browser', network: '192.0.2.1' },
    }),
  };
}

/** One of these texts for each client, another one after as many clients. */
function oneOf(every: number, texts: readonly string[]) {
  const cases = texts.map((text, at) => sql`when ${sql.lit(at)} then ${sql.lit(text)}`);
  return sql`case (${NUMBER} / ${sql.lit(every)}) % ${sql.lit(texts.length)} ${sql.join(cases, sql` `)} end`;
}

async function person(companyId: string, name: string, role?: 'owner'): Promise<string> {
  const prismGuid = await createUser({
    email: `${name}@maplehart.example`,
    firstName: name,
    lastName: 'Hart',
    language: 'en-US',
    passwordHash: null,
  });
  return createContact({ companyId, prismGuid, fullName: name, ...(role && { role }) });
}

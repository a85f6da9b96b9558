import { sql } from 'kysely';
import { linkContact } from '#features/clients/clients/clients.server.ts';
import { createFirm } from '#features/base/firms/firms.server.ts';
import { actorOf, createContact, createUser } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { startSession } from '#features/identity/sessions/sessions.server.ts';
import { closeDatabase, db, migrate } from '#platform/database/database.server.ts';
import { BAKERY, keyOf, noteXml, openStorageOf, store } from '../support/fiscal.ts';
import { storeClient } from '../support/store-client.ts';
import '../../src/app.server.ts';

/*
 * A program of its own, for a database belongs to a process: fills it with firms of so many fiscal documents, of which a
 * client has a fifth, 100 of them of the newest month. See parts/fiscal.ts.
 */

export interface FiscalOrder {
  sizes: readonly number[];
}

export interface FiscalFirm {
  /** A session of the contact of the large client. */
  contact: string;
  clientId: string;
  /** The key of its newest document. */
  key: string;
  /** The newest month. */
  month: string;
}

const NEWEST_MONTH = '2026-11';
const IN_MONTH = 100;
/** The months that have the others, of which none is compared with the newest one. */
const MONTHS = 40;
const COMPARED = 12;
/** The clients of a firm; each has as many documents. */
const CLIENTS = 5;
const ROWS = 500;

const { sizes } = JSON.parse(process.argv[2] ?? '{}') as FiscalOrder;
await migrate();
const firms: FiscalFirm[] = [];
for (const size of sizes) firms.push(await firmOf(size));
if (process.env['DATABASE_URL'] !== undefined) await sql`vacuum (analyze)`.execute(db()); // as autovacuum does
process.stdout.write(JSON.stringify(firms));
await closeDatabase();

async function firmOf(size: number): Promise<FiscalFirm> {
  const companyId = await createFirm({
    secondStep: 'nobody',
    name: `Firm of ${size}`,
    phone: '+55 11 3555 0142',
    email: 'office@maplehart.example',
    language: 'pt',
    loginPageText: '',
  });
  const owner = await person(companyId, `owner-${size}`, 'owner');
  await openStorageOf(owner);
  const contact = await person(companyId, `contact-${size}`);
  const each = Math.ceil(size / CLIENTS);
  let large = { clientId: '', key: '' };
  for (let at = 0; at < CLIENTS; at += 1) {
    const clientId = await storeClient(companyId, {
      name: `Client ${at}`,
      code: `C-${at}`,
      ...(at === 0 && { taxIds: [{ kind: 'cnpj', number: BAKERY }] }),
    });
    if (at === 0) await linkContact(clientId, contact.contactId);
    const key = await fill(owner, clientId, each);
    if (at === 0) large = { clientId, key };
  }
  const browser = { amr: ['pwd', 'otp', 'mfa'], device: { userAgent: 'a browser', network: '192.0.2.1' } };
  return { contact: await startSession(contact, browser), ...large, month: NEWEST_MONTH };
}

/** Stores a document, and so many rows like it with other numbers and months; the key of the last one. */
async function fill(owner: Actor, clientId: string, count: number): Promise<string> {
  await store(owner, clientId, noteXml({ number: 1, issuer: BAKERY }), `<pedido>${clientId}</pedido>`);
  const row = await db()
    .selectFrom('fiscal_documents')
    .selectAll()
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow();
  let key = '';
  for (let from = 0; from < count; from += ROWS) {
    const rows = Array.from({ length: Math.min(ROWS, count - from) }, (_, at) => {
      const number = from + at + 2;
      const back =
        from + at >= count - IN_MONTH ? 0 : COMPARED + MONTHS - Math.floor(((from + at) * MONTHS) / count);
      const issued = Date.UTC(2026, 10 - back, 5, 12, 0, number % 60);
      const issuedAt = `${new Date(issued).toISOString().slice(0, 19)}-03:00`;
      key = keyOf({ number, issuer: BAKERY, issuedAt });
      return {
        ...row,
        document_id: `fiscal_${clientId}_${number}`,
        document_key: key,
        access_key: key,
        storage: 'nfe' as const,
        kind: 'NF-e' as const,
        model: '55',
        series: '1',
        number,
        issued_at: issued,
        issued_month: new Date(issued).toISOString().slice(0, 7),
        direction: 'out' as const,
        role: 'issuer' as const,
        issuer_id: BAKERY,
        party_key: `customer ${number % 500}`,
        party_name: `Customer ${number % 500}`,
        total_cents: number,
        state: 'authorized' as const,
      };
    });
    await db().insertInto('fiscal_documents').values(rows).execute();
  }
  return key;
}

async function person(companyId: string, name: string, role?: 'owner'): Promise<Actor> {
  const prismGuid = await createUser({
    email: `${name}@maplehart.example`,
    firstName: name,
    lastName: 'Hart',
    language: 'pt',
    passwordHash: null,
  });
  return actorOf(await createContact({ companyId, prismGuid, fullName: name, ...(role && { role }) }));
}

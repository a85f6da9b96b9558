import { sql } from 'kysely';
import { clientIdsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { now } from '#platform/clock.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { db, fold } from '#platform/database.server.ts';
import { notFound } from '#platform/errors.server.ts';
import type { Client, ClientPage, ClientQuery } from './clients.ts';

export async function createClient(input: { companyId: string; name: string; code: string; kind: Client['kind'] }): Promise<string> {
  const clientId = newId('client');
  await db()
    .insertInto('clients')
    .values({ client_id: clientId, company_id: input.companyId, name: input.name, name_key: fold(input.name), code: input.code, kind: input.kind, created_at: now() })
    .execute();
  return clientId;
}

/** Lets a contact act for a client of the same firm. */
export async function linkContact(clientId: string, contactId: string): Promise<void> {
  await db()
    .insertInto('client_contacts')
    .values({ client_id: clientId, contact_id: contactId })
    .onConflict((conflict) => conflict.columns(['contact_id', 'client_id']).doNothing())
    .execute();
}

const clientsOf = (actor: Actor) => db().selectFrom('clients').where('client_id', 'in', clientIdsOf(actor));

/** One page of the clients that the actor may act for. */
export async function listClients(actor: Actor, query: ClientQuery): Promise<ClientPage> {
  const like = `%${fold(query.searchTerm).replace(/[\\%_]/g, '\\$&')}%`;
  const matching = clientsOf(actor).$if(query.searchTerm !== '', (clients) => clients.where(sql<boolean>`name_key like ${like} escape '\\'`));
  const { total } = await matching.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .orderBy(query.orderBy === 'name' ? 'name_key' : 'code', query.orderDir)
    .orderBy('client_id')
    .limit(query.pageSize)
    .offset((query.pageNum - 1) * query.pageSize)
    .execute();
  const totalPages = Math.max(1, Math.ceil(total / query.pageSize));
  return { clients: rows.map(present), numItems: total, numPages: totalPages, total, currentItemCount: rows.length, totalPages };
}

/** True when the actor may act for more than one client. */
export async function hasSeveralClients(actor: Actor): Promise<boolean> {
  return (await clientsOf(actor).select('client_id').limit(2).execute()).length > 1;
}

/** A client that the actor may act for; NOT_FOUND otherwise. */
export async function clientOf(actor: Actor, clientId: string): Promise<Client> {
  const row = await clientsOf(actor).selectAll().where('client_id', '=', clientId).executeTakeFirst();
  if (!row) throw notFound();
  return present(row);
}

/** The active client: the wanted one if the actor may act for it, else the first by name; none when there are none (spec 1, section 4). */
export async function activeClient(actor: Actor, wanted: string | undefined): Promise<Client | undefined> {
  const chosen = wanted === undefined ? undefined : await clientsOf(actor).selectAll().where('client_id', '=', wanted).executeTakeFirst();
  const row = chosen ?? (await clientsOf(actor).selectAll().orderBy('name_key').orderBy('client_id').limit(1).executeTakeFirst());
  return row && present(row);
}

interface ClientRow {
  client_id: string;
  name: string;
  code: string;
  kind: Client['kind'];
  created_at: number;
}

function present(row: ClientRow): Client {
  return {
    id: row.client_id,
    name: row.name,
    displayAs: row.name,
    code: row.code,
    kind: row.kind,
    initials: [...row.name.trim()][0]?.toUpperCase() ?? '',
    createdDate: new Date(row.created_at).toISOString(),
  };
}

import { sql, type Expression, type SqlBool } from 'kysely';
import { contains, filterCondition, filterSchema } from '#features/base/grids/filters.server.ts';
import { assertActsFor, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, fold } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { startOfDay } from '#platform/text/time-zones.ts';
import { loadValidity } from '#features/brazil/digital-certificates/credentials.server.ts';
import { assertSees } from './access.server.ts';
import { askedAbout } from './asking.server.ts';
import {
  loadEvents,
  hasStatus,
  invoiceRow,
  invoicesOf,
  statusOn,
  today,
  type EventRow,
  type InvoiceRow,
} from './internal/store.server.ts';
import type { ClientOfManifest, DocumentQuery, Invoice } from './invoice-manifest.ts';
import { AUTHORITY_ZONE, daysUntil } from './rules.ts';

/* What others issued to the clients of somebody, as calls list it. */

const column = (name: string) => sql.ref(`manifest_documents.${name}`);

/** What a filter of the spec may name. */
const FILTERED = {
  number: { type: 'number', sql: column('number') },
  issuer: { type: 'text', sql: column('issuer_key') },
  issuedAt: { type: 'time', sql: column('issued_at') },
  total: { type: 'number', sql: sql`${column('total_cents')} / 100.0` },
  lastDay: { type: 'exact', sql: column('last_day') },
  key: { type: 'exact', sql: column('access_key') },
  intent: { type: 'choice', sql: column('intent') },
} as const;

const ORDERS = {
  lastDay: 'last_day',
  issuedAt: 'issued_at',
  total: 'total_cents',
  issuer: 'issuer_key',
} as const;

/**
 * Lists invoices that others issued to clients of the actor. INVALID for a filter of other columns, and with `clientId` for a
 * contact with several clients who names none; NOT_FOUND, FORBIDDEN.
 */
export async function listInvoices(
  actor: Actor,
  query: DocumentQuery,
): Promise<{ items: Invoice[]; totalItems: number }> {
  assertSees(actor);
  if (query.clientId !== undefined) await assertActsFor(actor, query.clientId);
  else if (!actor.staff && (await hasSeveralClients(actor)))
    throw new PortalError('INVALID', { field: 'clientId' });
  let found = invoicesOf(actor);
  for (const condition of conditionsOf(query)) found = found.where(condition);
  const { total } = await found.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const direction = query.orderBy.startsWith('-') ? 'desc' : 'asc';
  const by = ORDERS[query.orderBy.replace('-', '') as keyof typeof ORDERS];
  const rows = await found
    .selectAll('manifest_documents')
    .orderBy(`manifest_documents.${by}`, direction)
    .orderBy('manifest_documents.manifest_id', direction)
    .offset(query.startIndex)
    .limit(query.itemsPerPage)
    .execute();
  return { items: await presentInvoices(rows), totalItems: Number(total) };
}

async function hasSeveralClients(actor: Actor): Promise<boolean> {
  return (await clientIdsOf(actor).limit(2).execute()).length > 1;
}

function conditionsOf(query: DocumentQuery): Expression<SqlBool>[] {
  const { clientId, status, intent, from, to, issuer, key, minValue, filter } = query;
  if (filter && !filterSchema(FILTERED).safeParse(filter).success)
    throw new PortalError('INVALID', { field: 'filter' });
  const cnpj = issuer?.replaceAll(/[^\dA-Za-z]/g, '').toUpperCase() ?? '';
  return [
    clientId !== undefined && sql<SqlBool>`${column('client_id')} = ${clientId}`,
    status !== undefined && hasStatus(status, today()),
    intent !== undefined && sql<SqlBool>`${column('intent')} = ${intent}`,
    from !== undefined && sql<SqlBool>`${column('issued_at')} >= ${startOfDay(from, AUTHORITY_ZONE)}`,
    to !== undefined && sql<SqlBool>`${column('issued_at')} < ${startOfDay(to, AUTHORITY_ZONE, 1)}`,
    issuer !== undefined &&
      (/^[\dA-Z]{12}\d\d$/.test(cnpj)
        ? sql<SqlBool>`${column('issuer_id')} = ${cnpj}`
        : contains(column('issuer_key'), fold(issuer))),
    key !== undefined && sql<SqlBool>`${column('access_key')} = ${key}`,
    minValue !== undefined && sql<SqlBool>`${column('total_cents')} >= ${Math.round(minValue * 100)}`,
    filter && filterCondition(filter, FILTERED, AUTHORITY_ZONE),
  ].filter((condition) => typeof condition === 'object');
}

/** An invoice of the actor's clients; NOT_FOUND, FORBIDDEN. */
export async function invoiceById(actor: Actor, id: string): Promise<Invoice> {
  assertSees(actor);
  const [invoice] = await presentInvoices([await invoiceRow(actor, id)]);
  if (!invoice) throw new PortalError('NOT_FOUND');
  return invoice;
}

/** Invoices as calls and pages have them. */
export async function presentInvoices(rows: readonly InvoiceRow[]): Promise<Invoice[]> {
  const events = await loadEvents(rows.map((row) => row.manifest_id));
  const day = today();
  return rows.map((row) => ({
    id: row.manifest_id,
    clientId: row.client_id,
    key: row.access_key,
    number: row.number === null ? null : Number(row.number),
    series: row.series,
    issuer: { id: row.issuer_id, name: row.issuer_name },
    issuedAt: isoOf(row.issued_at),
    authorisedAt: isoOf(row.authorized_at),
    total: Number(row.total_cents) / 100,
    hasXml: row.document_id !== null,
    status: statusOn(row, day),
    intent: row.intent,
    intentId: row.intent_id,
    lastDay: row.last_day,
    daysLeft: daysUntil(row.last_day, day),
    events: (events.get(row.manifest_id) ?? []).map(presentEvent),
    version: Number(row.version),
  }));
}

const isoOf = (at: number): string => new Date(Number(at)).toISOString();

const presentEvent = ({ event, sequence, protocol, registered_at: at }: EventRow) => ({
  event,
  sequence: Number(sequence),
  protocol,
  registeredAt: isoOf(at),
});

/** The clients of the actor, with what waits for each; FORBIDDEN. */
export async function listClients(
  actor: Actor,
  { searchTerm, startIndex, itemsPerPage }: { searchTerm: string; startIndex: number; itemsPerPage: number },
): Promise<{ items: ClientOfManifest[]; totalItems: number }> {
  assertSees(actor);
  const term = fold(searchTerm.trim());
  const found = db()
    .selectFrom('clients')
    .where('clients.client_id', 'in', clientIdsOf(actor))
    .where('clients.archived_at', 'is', null)
    .$if(term !== '', (all) => all.where(contains(sql.ref('clients.name_key'), term)));
  const { total } = await found.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await found
    .select(['clients.client_id', 'clients.name'])
    .orderBy('clients.name_key')
    .orderBy('clients.client_id')
    .offset(startIndex)
    .limit(itemsPerPage)
    .execute();
  const ids = rows.map(({ client_id: id }) => id);
  const [waiting, cnpjs] = [await loadWaiting(ids), await loadHeadOffices(ids)];
  const [certificates, asked] = [await loadValidity(ids), await askedAbout(ids)];
  return {
    items: rows.map(({ client_id: id, name }) => ({
      id,
      name,
      cnpj: cnpjs.get(id) ?? '',
      pending: Number(waiting.get(id)?.count ?? 0),
      lastDay: waiting.get(id)?.last_day ?? null,
      certificate: certificates.get(id) ?? null,
      lastQueryAt: queriedAt(asked.get(id)),
    })),
    totalItems: Number(total),
  };
}

const queriedAt = (asked: { at: number } | undefined): string | null =>
  asked ? new Date(asked.at).toISOString() : null;

async function loadWaiting(clientIds: readonly string[]) {
  if (clientIds.length === 0) return new Map<string, never>();
  const rows = await db()
    .selectFrom('manifest_documents')
    .select((e) => ['client_id', e.fn.countAll<number>().as('count'), e.fn.min('last_day').as('last_day')])
    .where('client_id', 'in', clientIds)
    .where(hasStatus('open', today()))
    .groupBy('client_id')
    .execute();
  return new Map(rows.map((row) => [row.client_id, row]));
}

async function loadHeadOffices(clientIds: readonly string[]): Promise<Map<string, string>> {
  if (clientIds.length === 0) return new Map();
  const rows = await db()
    .selectFrom('establishments')
    .select(['client_id', 'cnpj'])
    .where('client_id', 'in', clientIds)
    .where('removed_at', 'is', null)
    .orderBy('is_head_office')
    .orderBy('cnpj', 'desc')
    .execute();
  return new Map(rows.map((row) => [row.client_id, row.cnpj])); // the head office comes last
}

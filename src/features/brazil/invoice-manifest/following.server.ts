import { db, inBatches } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { followMergedEarlyEvents, takeEarlyEvents } from './early-events.server.ts';
import { intentsSettled } from './events.server.ts';
import { settleInvoice } from './internal/settling.server.ts';
import { today, updateInvoice } from './internal/store.server.ts';
import { addEvent } from './registering.server.ts';
import { EVENT_CODES, eventOfCode, lastDayFor, nextReminderOn } from './rules.ts';

/* Invoices come from the archive: an NF-e is here as soon as it is there with the client as its recipient. */

/** Follows what became of documents of the archive, in the transaction that settles them. */
export async function followDocuments({
  companyId,
  accessKeys,
}: {
  companyId: string;
  accessKeys: readonly string[];
}): Promise<void> {
  const keys = accessKeys.filter((key) => key.slice(20, 22) === '55'); // the model in the key
  const documents = keys.length === 0 ? [] : await receivedDocuments(companyId, keys);
  if (documents.length === 0) return;
  const known = await knownInvoices(documents);
  const registered = await registeredEvents(companyId, keys);
  const added: NewInvoice[] = [];
  const early = new Set<string>();
  for (const document of documents) {
    const id = known.get(nameOf(document));
    const facts = factsOf(document);
    const events = registered.get(nameOf(document)) ?? [];
    if (id === undefined && facts) {
      const invoice = newInvoice(document, facts);
      added.push(invoice);
      // what nothing has happened to needs no settling
      if (events.length > 0) known.set(nameOf(document), invoice.manifest_id);
    }
    if (id !== undefined && facts) await updateInvoice(id, facts);
  }
  for (const some of inBatches(added)) {
    await db().insertInto('manifest_documents').values(some).execute();
    for (const id of await takeEarlyEvents(some)) early.add(id);
  }
  for (const id of early) await settleInvoice(id);
  for (const document of documents) {
    const id = known.get(nameOf(document));
    if (id === undefined) continue;
    await takeRegistered(id, registered.get(nameOf(document)) ?? []);
    await settleInvoice(id);
  }
}

const receivedDocuments = (companyId: string, accessKeys: readonly string[]) =>
  db()
    .selectFrom('fiscal_documents')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('access_key', 'in', accessKeys)
    .where('kind', '=', 'NF-e')
    .where('role', '=', 'recipient')
    .where('is_test', '=', 0)
    .execute();

type Received = Awaited<ReturnType<typeof receivedDocuments>>[number];

/** A document of a client, as a key of maps. */
const nameOf = ({ client_id: clientId, access_key: key }: Pick<Received, 'client_id' | 'access_key'>) =>
  `${clientId} ${key}`;

/** The ids of invoices that are in the list already. */
async function knownInvoices(documents: readonly Received[]): Promise<Map<string, string>> {
  const rows = await db()
    .selectFrom('manifest_documents')
    .select(['manifest_id', 'client_id', 'access_key'])
    .where('client_id', 'in', [...new Set(documents.map((document) => document.client_id))])
    .where(
      'access_key',
      'in',
      documents.map((document) => document.access_key),
    )
    .execute();
  return new Map(rows.map((row) => [nameOf(row), row.manifest_id]));
}

/** What the archive says of an invoice; undefined for one that nobody can manifest. */
function factsOf(document: Received) {
  const { authorized_at: authorizedAt } = document;
  const isProven = document.state === 'authorized' || document.state === 'cancelled';
  if (authorizedAt === null || !isProven) return undefined;
  return {
    number: document.number,
    series: document.series,
    issuer_id: document.issuer_id,
    issuer_name: document.party_name,
    issuer_key: document.party_key,
    issued_at: document.issued_at,
    authorized_at: authorizedAt,
    total_cents: document.total_cents,
    last_day: lastDayFor(authorizedAt),
    document_id: document.document_id,
    changed_at: now(),
  };
}

function newInvoice(document: Received, facts: NonNullable<ReturnType<typeof factsOf>>) {
  const isCancelled = document.state === 'cancelled';
  return {
    ...facts,
    manifest_id: newId('manifest'),
    company_id: document.company_id,
    client_id: document.client_id,
    access_key: document.access_key,
    next_reminder_on: isCancelled ? '' : nextReminderOn(facts.last_day, today()),
    status: isCancelled ? ('cancelled' as const) : ('pending' as const),
    intent: 'none' as const,
    intent_id: null,
    version: 1,
    created_at: now(),
  };
}
type NewInvoice = ReturnType<typeof newInvoice>;

/** What the files of events in the archive say is registered, by document. */
async function registeredEvents(companyId: string, keys: readonly string[]) {
  const rows = await db()
    .selectFrom('fiscal_events')
    .select(['client_id', 'access_key', 'type', 'sequence', 'happened_at'])
    .where('company_id', '=', companyId)
    .where('access_key', 'in', keys)
    .where('type', 'in', Object.values(EVENT_CODES))
    .where('state', '=', 'registered')
    .execute();
  return Map.groupBy(rows, nameOf);
}

type FoundEvent = NonNullable<ReturnType<Awaited<ReturnType<typeof registeredEvents>>['get']>>[number];

async function takeRegistered(id: string, events: readonly FoundEvent[]): Promise<void> {
  for (const { type, sequence, happened_at: at } of events) {
    const event = eventOfCode(type);
    if (event === undefined || at === null) continue;
    await addEvent(id, {
      event,
      sequence: Number(sequence) || 1,
      source: 'archive',
      protocol: '',
      registeredAt: Number(at),
      recordedBy: null,
    });
  }
}

/** The invoices of a merged client are those of the other one; one that both had is there once, with all that is registered. */
export async function followMergedClient({ from, into }: { from: string; into: string }): Promise<void> {
  const same = await db()
    .selectFrom('manifest_documents as own')
    .innerJoin('manifest_documents as other', 'other.access_key', 'own.access_key')
    .select(['own.manifest_id as old', 'other.manifest_id as kept', 'own.intent_id'])
    .where('own.client_id', '=', from)
    .where('other.client_id', '=', into)
    .execute();
  for (const { old, kept, intent_id: intentId } of same) {
    if (intentId !== null)
      await db()
        .updateTable('manifest_intents')
        .set({ state: 'superseded' })
        .where('intent_id', '=', intentId)
        .execute();
    const events = await db()
      .deleteFrom('manifest_events')
      .where('manifest_id', '=', old)
      .returningAll()
      .execute();
    for (const event of events)
      await db()
        .insertInto('manifest_events')
        .values({ ...event, manifest_id: kept })
        .onConflict((conflict) => conflict.columns(['manifest_id', 'event', 'sequence']).doNothing())
        .execute();
    for (const table of ['manifest_intents', 'manifest_sendings'] as const)
      await db().updateTable(table).set({ manifest_id: kept }).where('manifest_id', '=', old).execute();
    await db().deleteFrom('manifest_documents').where('manifest_id', '=', old).execute();
    if (intentId !== null) await intentsSettled.announce({ intentIds: [intentId] });
  }
  await uniteCursors(from, into);
  await followMergedEarlyEvents(from, into);
  for (const table of [
    'manifest_documents',
    'manifest_intents',
    'manifest_events',
    'manifest_sendings',
    'manifest_cursors',
  ] as const)
    await db().updateTable(table).set({ client_id: into }).where('client_id', '=', from).execute();
  for (const { kept } of same) await settleInvoice(kept);
  await findDocuments(into);
}

/** Of two that were asked about one CNPJ the other one's cursor goes on. */
const uniteCursors = (from: string, into: string) =>
  db()
    .deleteFrom('manifest_cursors')
    .where('client_id', '=', from)
    .where('cnpj', 'in', (e) =>
      e.selectFrom('manifest_cursors as other').select('other.cnpj').where('other.client_id', '=', into),
    )
    .execute();

/** The documents of the archive may be others since it was united. */
const findDocuments = (clientId: string) =>
  db()
    .updateTable('manifest_documents')
    .set((e) => ({
      document_id: e
        .selectFrom('fiscal_documents')
        .select('fiscal_documents.document_id')
        .whereRef('fiscal_documents.client_id', '=', 'manifest_documents.client_id')
        .whereRef('fiscal_documents.document_key', '=', 'manifest_documents.access_key'),
    }))
    .where('client_id', '=', clientId)
    .execute();

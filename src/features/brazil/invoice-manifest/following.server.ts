import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { intentsSettled } from './events.server.ts';
import { settleInvoice } from './internal/settling.server.ts';
import { today, updateInvoice } from './internal/store.server.ts';
import { addEvent } from './registering.server.ts';
import { EVENT_CODES, eventOfCode, lastDayFor, nextReminderOn } from './rules.ts';

/* Invoices come from the archive: an NF-e is here as soon as it is there with the client as its recipient. */

/** Follows what became of a document of the archive, in the transaction that settles it. */
export async function followDocument({
  companyId,
  accessKey,
}: {
  companyId: string;
  accessKey: string;
}): Promise<void> {
  if (accessKey.slice(20, 22) !== '55') return; // the model in the key
  const documents = await receivedDocuments(companyId, accessKey);
  for (const document of documents) {
    const id = await keep(document);
    if (id === undefined) continue;
    await takeRegistered(id, document);
    await settleInvoice(id);
  }
}

const receivedDocuments = (companyId: string, accessKey: string) =>
  db()
    .selectFrom('fiscal_documents')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('access_key', '=', accessKey)
    .where('kind', '=', 'NF-e')
    .where('role', '=', 'recipient')
    .where('is_test', '=', 0)
    .execute();

type Received = Awaited<ReturnType<typeof receivedDocuments>>[number];

/** Adds the invoice, or what is known of it by now; undefined for one that nobody can manifest. */
async function keep(document: Received): Promise<string | undefined> {
  const known = await db()
    .selectFrom('manifest_documents')
    .select(['manifest_id'])
    .where('client_id', '=', document.client_id)
    .where('access_key', '=', document.access_key)
    .executeTakeFirst();
  const { authorized_at: authorizedAt } = document;
  const isProven = document.state === 'authorized' || document.state === 'cancelled';
  if (authorizedAt === null || !isProven) return known?.manifest_id;
  const lastDay = lastDayFor(authorizedAt);
  const facts = {
    number: document.number,
    series: document.series,
    issuer_id: document.issuer_id,
    issuer_name: document.party_name,
    issuer_key: document.party_key,
    issued_at: document.issued_at,
    authorized_at: authorizedAt,
    total_cents: document.total_cents,
    last_day: lastDay,
    document_id: document.document_id,
    changed_at: now(),
  };
  if (known) {
    await updateInvoice(known.manifest_id, facts);
    return known.manifest_id;
  }
  const id = newId('manifest');
  await db()
    .insertInto('manifest_documents')
    .values({
      ...facts,
      manifest_id: id,
      company_id: document.company_id,
      client_id: document.client_id,
      access_key: document.access_key,
      next_reminder_on: nextReminderOn(lastDay, today()),
      status: 'pending',
      intent: 'none',
      intent_id: null,
      version: 1,
      created_at: now(),
    })
    .execute();
  return id;
}

/** What the files of events in the archive say is registered. */
async function takeRegistered(id: string, { client_id: clientId, access_key: key }: Received): Promise<void> {
  const rows = await db()
    .selectFrom('fiscal_events')
    .select(['type', 'sequence', 'happened_at'])
    .where('client_id', '=', clientId)
    .where('access_key', '=', key)
    .where('type', 'in', Object.values(EVENT_CODES))
    .where('state', '=', 'registered')
    .execute();
  for (const { type, sequence, happened_at: at } of rows) {
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

import { setTimeout as delay } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { sql, type Selectable } from 'kysely';
import { z } from 'zod';
import { actorNow, actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { receiveFiles } from '#features/brazil/fiscal-intake/receiving.server.ts';
import {
  loadCredentials,
  stopUsing,
  type Credentials,
} from '#features/brazil/digital-certificates/credentials.server.ts';
import { taxAuthority } from '#features/brazil/tax-authority/current.server.ts';
import { meaningOf } from '#features/brazil/tax-authority/statuses.ts';
import {
  NO_NSU,
  type Distribution,
  type DistributedDocument,
  type Outcome,
} from '#features/brazil/tax-authority/tax-authority.server.ts';
import { haveSameHolder } from '#features/documents/fiscal-xml/keys.ts';
import { db, fold, inTransaction } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { isTaxId } from '#platform/inputs/tax-ids.ts';
import { DAY, HOUR, MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { beAware } from './automatic-awareness.server.ts';
import { storeEarlyEvent, takeEarlyEvents } from './early-events.server.ts';
import { readDistributed, type Distributed, type DistributedInvoice } from './distributed.server.ts';
import { settleInvoice } from './internal/settling.server.ts';
import { today, updateInvoice } from './internal/store.server.ts';
import { enqueueAsking, OWN_CPF } from './queue.server.ts';
import { addEvent } from './registering.server.ts';
import { lastDayFor, nextReminderOn } from './rules.ts';

/*
 * Asking the tax authority which invoices there are for a client (NFeDistribuicaoDFe, NT 2014.002). It numbers what it has for a
 * CNPJ or CPF; each page moves the number of ours in the transaction that stores what the page says, so that a page that was lost is
 * asked for again, and known then. After the last one it wants an hour of silence, which begins again with each question.
 */

type Cursor = Selectable<Tables['manifest_cursors']>;

const LEASE = 10 * MINUTE;
const SILENCE = HOUR;
/** So that not all ask in the same minute. */
const SPREAD = 5 * MINUTE;
const BETWEEN_PAGES = 2 * SECOND;
const PAGES = 50;
const AT_ONCE = 200;

/** Asks for the invoices of all clients with a certificate whose time has come. */
export async function askForInvoices(): Promise<void> {
  const authority = taxAuthority();
  if (!authority) return;
  await addCursors(authority.environment);
  const due = await db()
    .selectFrom('manifest_cursors')
    .innerJoin('client_certificates', 'client_certificates.client_id', 'manifest_cursors.client_id')
    .select(['manifest_cursors.company_id', 'manifest_cursors.client_id', 'manifest_cursors.cnpj', 'next_at'])
    .where('next_at', '<=', now())
    .where('client_certificates.valid_to', '>', now())
    .where('client_certificates.refused_code', '=', '')
    .orderBy('next_at')
    .limit(AT_ONCE)
    .execute();
  for (const { company_id: companyId, client_id: clientId, cnpj, next_at: at } of due)
    await enqueueAsking(companyId, { clientId, cnpj, at: Number(at) });
}

/** The establishments of clients with a certificate of their company are asked for, each by itself, and persons. */
async function addCursors(environment: string): Promise<void> {
  const people = await db()
    .selectFrom('client_certificates')
    .select(['company_id', 'client_id'])
    .select(sql.lit(OWN_CPF).as('cnpj'))
    .where('client_certificates.cnpj', '=', '')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('manifest_cursors')
            .select('manifest_cursors.cnpj')
            .whereRef('manifest_cursors.client_id', '=', 'client_certificates.client_id')
            .where('manifest_cursors.cnpj', '=', OWN_CPF)
            .where('manifest_cursors.environment', '=', environment),
        ),
      ),
    )
    .limit(AT_ONCE)
    .execute();
  const missing = await db()
    .selectFrom('client_certificates')
    .innerJoin('establishments', 'establishments.client_id', 'client_certificates.client_id')
    .select(['client_certificates.company_id', 'client_certificates.client_id', 'establishments.cnpj'])
    .where('establishments.removed_at', 'is', null)
    .where(sql`substr(establishments.cnpj, 1, 8)`, '=', sql`substr(client_certificates.cnpj, 1, 8)`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('manifest_cursors')
            .select('manifest_cursors.cnpj')
            .whereRef('manifest_cursors.client_id', '=', 'establishments.client_id')
            .whereRef('manifest_cursors.cnpj', '=', 'establishments.cnpj')
            .where('manifest_cursors.environment', '=', environment),
        ),
      ),
    )
    .limit(AT_ONCE)
    .execute();
  for (const { company_id, client_id, cnpj } of [...people, ...missing]) {
    const fresh = {
      environment,
      last_nsu: NO_NSU,
      highest_nsu: NO_NSU,
      next_at: now(),
      asked_at: null,
      code: '',
    };
    await db()
      .insertInto('manifest_cursors')
      .values({ company_id, client_id, cnpj, ...fresh })
      // numbers of another environment mean nothing in this one
      .onConflict((conflict) => conflict.columns(['client_id', 'cnpj']).doUpdateSet(fresh))
      .execute();
  }
}

const work = z.strictObject({ clientId: z.string(), cnpj: z.string() });

/** Asks for what is new for a CNPJ of a client or its CPF, page by page; a job, which may run again at any time. */
export async function continueAsking(payload: unknown): Promise<void> {
  const authority = taxAuthority();
  if (!authority) return;
  const { clientId, cnpj } = work.parse(payload);
  const who = await loadCredentials(clientId);
  const taxId = who && numberFor(who, cnpj);
  if (!who || taxId === undefined) return;
  let cursor = await claim(clientId, cnpj, authority.environment);
  const archivist = await findArchivist(who);
  for (let page = 0; cursor && page < PAGES; page += 1) {
    if (page > 0) await delay(BETWEEN_PAGES);
    const outcome = await authority.distribute(who, { taxId, after: cursor.last_nsu });
    cursor = await takeDistribution(cursor, { who, taxId, archivist }, outcome);
  }
  if (cursor) await move(cursor, { next_at: now() + MINUTE });
}

/** The number for which a cursor asks, if its client's certificate can speak for it. */
const numberFor = ({ holderNumber }: Credentials, cnpj: string): string | undefined => {
  if (cnpj === OWN_CPF) return isTaxId('cpf', holderNumber) ? holderNumber : undefined;
  return haveSameHolder(holderNumber, cnpj) ? cnpj : undefined;
};

/** Takes the cursor for a while; undefined if another one has it, or asked about the same number for another client just now. */
function claim(clientId: string, cnpj: string, environment: string): Promise<Cursor | undefined> {
  return inTransaction(async () => {
    const other = await db()
      .selectFrom('manifest_cursors')
      .select('asked_at')
      .where('cnpj', '=', cnpj)
      .where('client_id', '<>', clientId)
      .$if(cnpj === OWN_CPF, (cursors) => cursors.where('client_id', 'in', samePersonAs(clientId)))
      .where('asked_at', '>', now() - SILENCE)
      .orderBy('asked_at', 'desc')
      .executeTakeFirst();
    const claimed = await db()
      .updateTable('manifest_cursors')
      .set({
        next_at: other ? Number(other.asked_at) + SILENCE + MINUTE : now() + LEASE,
        ...(!other && { asked_at: now() }),
      })
      .where('client_id', '=', clientId)
      .where('cnpj', '=', cnpj)
      .where('environment', '=', environment)
      .where('next_at', '<=', now())
      .returningAll()
      .executeTakeFirst();
    return other ? undefined : claimed;
  });
}

/** The clients with the CPF of a client. */
const samePersonAs = (clientId: string) =>
  db()
    .selectFrom('client_tax_ids as own')
    .innerJoin('client_tax_ids as same', 'same.value_key', 'own.value_key')
    .select('same.client_id')
    .where('own.client_id', '=', clientId)
    .where('own.kind', '=', 'cpf');

/** Changes a cursor that is still ours. */
const move = (
  cursor: Cursor,
  values: Partial<Pick<Cursor, 'last_nsu' | 'highest_nsu' | 'next_at' | 'code'>>,
): Promise<Cursor | undefined> =>
  db()
    .updateTable('manifest_cursors')
    .set(values)
    .where('client_id', '=', cursor.client_id)
    .where('cnpj', '=', cursor.cnpj)
    .where('next_at', '=', cursor.next_at)
    .where('last_nsu', '=', cursor.last_nsu)
    .returningAll()
    .executeTakeFirst();

/** Who puts whole files into the archive: whoever stored the certificate, with the rights of this moment. */
async function findArchivist({ storedBy }: Credentials): Promise<Actor | undefined> {
  try {
    return await actorNow(await actorOf(storedBy));
  } catch (error) {
    if (!refusal(error)) throw error;
    return undefined; // they have left
  }
}

const silence = (): number => now() + SILENCE + MINUTE + Math.floor(Math.random() * SPREAD);

/** Does what an answer says; returns the cursor while there is more to ask for. */
async function takeDistribution(
  cursor: Cursor,
  { who, taxId, archivist }: { who: Credentials; taxId: string; archivist: Actor | undefined },
  outcome: Outcome<Distribution>,
): Promise<Cursor | undefined> {
  const stop = async (values: Parameters<typeof move>[1]): Promise<undefined> =>
    void (await inTransaction(() => move(cursor, values)));
  if (outcome.state === 'unclear') return stop({ next_at: silence() }); // it may have counted
  if (outcome.state === 'notSent') {
    if (outcome.because === 'certificate') await stopUsing(who.certificateId, '403');
    return stop({ next_at: now() + 15 * MINUTE });
  }
  const { code } = outcome;
  switch (meaningOf(code)) {
    case 'documents':
      return takePage(cursor, { taxId, archivist }, outcome);
    case 'nothing':
      return stop({ next_at: silence(), code, ...highestOf(cursor, outcome) });
    case 'misuse':
      // Ours is asked for once more, in case a page was lost here; then theirs counts, since other programs may have moved it.
      return stop({
        next_at: silence(),
        code,
        ...(cursor.code === code && laterThan(cursor, outcome.last)),
      });
    case 'certificate':
      await stopUsing(who.certificateId, code);
      return stop({ next_at: silence(), code });
    case 'down':
      return stop({ next_at: now() + 15 * MINUTE, code });
    case 'tooHigh':
      log.error({ event: 'manifest.nsu-too-high' });
      return stop({ next_at: now() + DAY, code });
    default:
      log.error({ event: 'manifest.distribution-refused', status: Number(code) });
      return stop({ next_at: silence(), code });
  }
}

const laterThan = ({ last_nsu: last }: Cursor, other: string | undefined): { last_nsu?: string } =>
  other !== undefined && other > last ? { last_nsu: other } : {};

const highestOf = (cursor: Cursor, { highest }: Distribution): { highest_nsu?: string } =>
  highest !== undefined && highest > cursor.highest_nsu ? { highest_nsu: highest } : {};

interface ReadDocument extends DistributedDocument {
  content: Distributed;
}

/** Stores a page: whole files in the archive, then what the list of invoices says, with how far it goes. */
async function takePage(
  cursor: Cursor,
  { taxId, archivist }: { taxId: string; archivist: Actor | undefined },
  page: Distribution,
): Promise<Cursor | undefined> {
  const documents: ReadDocument[] = [];
  for (const document of page.documents) {
    const content = document.xml && readDistributed(document.xml);
    if (content) documents.push({ ...document, content });
    else log.warn({ event: 'manifest.document-unreadable' });
  }
  if (archivist) await archive(archivist, cursor.client_id, documents);
  const numbers = page.documents.map(({ nsu }) => nsu).filter((nsu) => nsu > cursor.last_nsu);
  const last = [page.last, ...numbers].reduce<string>(
    (most, each) => (each !== undefined && each > most ? each : most),
    cursor.last_nsu,
  );
  const isOver = last === cursor.last_nsu || (page.highest !== undefined && last >= page.highest);
  const moved = await inTransaction(async () => {
    for (const { content } of documents) await take({ ...cursor, taxId }, content);
    return move(cursor, {
      last_nsu: last,
      code: page.code,
      next_at: isOver ? silence() : now() + LEASE,
      ...highestOf(cursor, page),
    });
  });
  return isOver ? undefined : moved;
}

/** Puts whole files into the archive of the client, where it is ordered. */
async function archive(actor: Actor, clientId: string, documents: readonly ReadDocument[]): Promise<void> {
  const files = documents.filter(({ content }) => content.isWhole);
  if (files.length === 0) return;
  try {
    const receiver = await receiveFiles(actor, { clientId, source: 'authority' });
    for (const { nsu, xml } of files) await receiver.add(`NSU ${nsu}.xml`, Readable.from([xml]));
    await receiver.finish();
  } catch (error) {
    if (!['FORBIDDEN', 'GONE', 'NOT_FOUND'].includes(refusal(error)?.code ?? '')) throw error;
  }
}

/** A cursor with the CNPJ or CPF that it asks for. */
type AskingCursor = Cursor & { taxId: string };

/** Takes what a document says into the list of invoices, in the open transaction. */
async function take(cursor: AskingCursor, content: Distributed): Promise<void> {
  if (content.kind === 'invoice') return takeInvoice(cursor, content);
  if (content.kind !== 'event') return;
  const known = await invoiceWith(cursor.client_id, content.key);
  const isOwn = haveSameHolder(content.author, cursor.taxId);
  if (known === undefined) {
    if (content.cancels || (content.event && isOwn)) await storeEarlyEvent(cursor, content);
    return;
  }
  if (content.cancels) await updateInvoice(known, { is_cancelled: 1 });
  else if (content.event && isOwn)
    await addEvent(known, {
      event: content.event,
      sequence: content.sequence,
      source: 'authority',
      protocol: content.protocol,
      registeredAt: content.registeredAt,
      recordedBy: null,
    });
  else return;
  await settleInvoice(known);
}

const invoiceWith = async (clientId: string, key: string): Promise<string | undefined> =>
  (
    await db()
      .selectFrom('manifest_documents')
      .select('manifest_id')
      .where('client_id', '=', clientId)
      .where('access_key', '=', key)
      .executeTakeFirst()
  )?.manifest_id;

async function takeInvoice(cursor: AskingCursor, invoice: DistributedInvoice): Promise<void> {
  const { client_id: clientId, company_id: companyId, cnpj, taxId } = cursor;
  const isOf = (id: string): boolean => haveSameHolder(id, taxId);
  // not addressed to the client, or its own
  if ((invoice.recipientId !== '' && !isOf(invoice.recipientId)) || isOf(invoice.issuerId)) return;
  const recipientId = invoice.recipientId === '' || cnpj === OWN_CPF ? cnpj : invoice.recipientId;
  const said = {
    recipient_id: recipientId,
    ...(invoice.state === 'cancelled' && { is_cancelled: 1 as const }),
  };
  const known = await invoiceWith(clientId, invoice.key);
  if (known !== undefined) {
    await updateInvoice(known, said);
    return settleInvoice(known);
  }
  if (invoice.state === 'denied') return;
  const id = newId('manifest');
  const lastDay = lastDayFor(invoice.authorizedAt);
  await db()
    .insertInto('manifest_documents')
    .values({
      manifest_id: id,
      company_id: companyId,
      client_id: clientId,
      access_key: invoice.key,
      // the key has the series and the number
      number: Number(invoice.key.slice(25, 34)),
      series: String(Number(invoice.key.slice(22, 25))),
      issuer_id: isTaxId('cpf', invoice.issuerId) ? '' : invoice.issuerId,
      issuer_name: invoice.issuerName,
      issuer_key: fold(invoice.issuerName),
      issued_at: invoice.issuedAt,
      authorized_at: invoice.authorizedAt,
      total_cents: invoice.totalCents,
      last_day: lastDay,
      next_reminder_on: nextReminderOn(lastDay, today()),
      document_id: null,
      status: 'pending',
      intent: 'none',
      intent_id: null,
      version: 1,
      created_at: now(),
      changed_at: now(),
      ...said,
    })
    .execute();
  await takeEarlyEvents([{ manifest_id: id, client_id: clientId, access_key: invoice.key }]);
  await settleInvoice(id);
  if (!invoice.isWhole) await beAware(id);
}

/** When the authority was last asked for invoices of clients, and when it is next, by the clients' ids. */
export async function askedAbout(
  clientIds: readonly string[],
): Promise<Map<string, { at: number; nextAt: number }>> {
  if (clientIds.length === 0) return new Map();
  const rows = await db()
    .selectFrom('manifest_cursors')
    .select((e) => ['client_id', e.fn.max('asked_at').as('at'), e.fn.min('next_at').as('next')])
    .where('client_id', 'in', clientIds)
    .where('asked_at', 'is not', null)
    .groupBy('client_id')
    .execute();
  return new Map(rows.map((row) => [row.client_id, { at: Number(row.at), nextAt: Number(row.next) }]));
}

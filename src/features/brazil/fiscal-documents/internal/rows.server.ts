import { setImmediate } from 'node:timers/promises';
import type {
  FiscalDocument,
  FiscalEvent,
  VoidedNumbers,
} from '#features/documents/fiscal-xml/fiscal-xml.ts';
import { parseKey } from '#features/documents/fiscal-xml/keys.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, fold, inBatches } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import type { ClientRole } from '../fiscal-documents.ts';
import { taxIdIndex } from '../owners.server.ts';
import type { FiscalDocuments } from '../schema.server.ts';
import {
  cancelsForSure,
  centsOf,
  counterpart,
  directionFor,
  issuedIn,
  issuerOf,
  momentOf,
  ownStateOf,
  participantsIn,
  problemsOf,
  rankOf,
  storageOfKind,
  taxOf,
} from './records.server.ts';

/* Inserts what a file contains, in the open transaction. */

/** Whose rows they are, and in which file they were found. */
export interface RowOwner {
  companyId: string;
  clientId: string;
  fileId: string;
  sha256: string;
  name: string;
}

/**
 * Rows of a batch of files that are inserted together, in few statements. Whatever refers to one of them, or may find it,
 * comes after a {@link flush}.
 */
export class RowBatch {
  readonly #known: Set<string>;
  #files: Tables['fiscal_files'][] = [];
  #documents: FiscalDocuments[] = [];
  #copies: Tables['fiscal_copies'][] = [];

  private constructor(known: Set<string>) {
    this.#known = known;
  }

  /** Begins a batch; `documents` are all that it may add, by their clients. */
  static async begin(documents: ReadonlyMap<string, readonly FiscalDocument[]>): Promise<RowBatch> {
    const known = new Set<string>();
    for (const [clientId, own] of documents)
      for (const keys of inBatches([...new Set(own.map(accessKeyOf).filter((key) => key !== ''))])) {
        const rows = await db()
          .selectFrom('fiscal_documents')
          .select('document_key')
          .where('client_id', '=', clientId)
          .where('document_key', 'in', keys)
          .execute();
        for (const { document_key: key } of rows) known.add(`${clientId} ${key}`);
      }
    return new RowBatch(known);
  }

  addFile(row: Tables['fiscal_files']): void {
    this.#files.push(row);
  }

  /** Adds a document with its first copy; false if the client may have it already. */
  addNew(row: FiscalDocuments, copy: Omit<Tables['fiscal_copies'], 'document_id'>): boolean {
    const name = `${row.client_id} ${row.document_key}`;
    if (row.access_key === '' || this.#known.has(name)) return false;
    this.#known.add(name);
    this.#documents.push(row);
    this.#copies.push({ document_id: row.document_id, ...copy });
    return true;
  }

  async flush(): Promise<void> {
    const [files, documents, copies] = [this.#files, this.#documents, this.#copies];
    [this.#files, this.#documents, this.#copies] = [[], [], []];
    for (const some of inBatches(files)) await db().insertInto('fiscal_files').values(some).execute();
    for (const some of inBatches(documents)) await db().insertInto('fiscal_documents').values(some).execute();
    await setImmediate(); // others get their turn
    for (const some of inBatches(copies)) await db().insertInto('fiscal_copies').values(some).execute();
  }
}

/** The part of a client in a document, and the tax id by which it has it. */
export interface Part {
  role: ClientRole;
  taxId: string;
}

/** The form of a CNPJ without punctuation. */
export const CNPJ = /^[\dA-Z]{12}\d\d$/;
const MAX_TEXT = 300;
const short = (text: string): string => text.slice(0, MAX_TEXT);

/** The key in a file, if it can be one. */
export const accessKeyOf = ({ key }: { key: string }): string =>
  /^(?:[\dA-Z]{44}|[\dA-Z]{50})$/.test(key) ? key : '';

/** Adds a document or a further copy of it; true if the client had it already. */
export async function addDocument(
  owner: RowOwner,
  document: FiscalDocument,
  { position, batch, ...part }: Part & { position: number; batch: RowBatch },
): Promise<boolean> {
  const row = await documentRow(owner, document, { ...part, position });
  const own = ownStateOf(document);
  const copy = {
    file_id: owner.fileId,
    rank: rankOf(own.state, document.signature),
    content_digest: 'digest' in document.signature ? document.signature.digest : owner.sha256,
    own_state: own.state,
    own_state_at: own.at,
  };
  if (batch.addNew(row, copy)) return false;
  await batch.flush();
  const known = await db()
    .selectFrom('fiscal_documents')
    .select(['document_id', 'file_id'])
    .where('client_id', '=', owner.clientId)
    .where('document_key', '=', row.document_key)
    .executeTakeFirst();
  if (!known) {
    await db().insertInto('fiscal_documents').values(row).execute();
    await db()
      .insertInto('fiscal_copies')
      .values({ document_id: row.document_id, ...copy })
      .execute();
    return false;
  }
  const documentId = known.document_id;
  await db()
    .insertInto('fiscal_copies')
    .values({ document_id: documentId, ...copy })
    .onConflict((conflict) => conflict.columns(['document_id', 'file_id']).doNothing())
    .execute();
  if (await isBetter(documentId, known.file_id, { rank: copy.rank, sha256: owner.sha256 })) {
    const { document_id: _, stored_at: __, ...better } = row;
    await db().updateTable('fiscal_documents').set(better).where('document_id', '=', documentId).execute();
  }
  return true;
}

/** Whether a new copy is better than the present one: by what it proves, else by its digest, whatever came first. */
async function isBetter(
  documentId: string,
  fileId: string,
  { rank, sha256 }: { rank: number; sha256: string },
): Promise<boolean> {
  const current = await db()
    .selectFrom('fiscal_copies')
    .innerJoin('fiscal_files', 'fiscal_files.file_id', 'fiscal_copies.file_id')
    .select(['fiscal_copies.rank', 'fiscal_files.sha256'])
    .where('fiscal_copies.document_id', '=', documentId)
    .where('fiscal_copies.file_id', '=', fileId)
    .executeTakeFirst();
  if (!current || rank !== current.rank) return rank > (current?.rank ?? -1);
  return sha256 < current.sha256;
}

async function documentRow(
  { companyId, clientId, fileId, sha256 }: RowOwner,
  document: FiscalDocument,
  { role, taxId, position }: Part & { position: number },
): Promise<FiscalDocuments> {
  const participants = participantsIn(document);
  const [issuer, party] = [issuerOf(participants), counterpart(participants, role)];
  const issued = issuedIn(document, now());
  const own = ownStateOf(document);
  const accessKey = accessKeyOf(document);
  const issuerIndex = issuer ? await taxIdIndex(issuer.taxId) : '';
  const isNumbered = issuerIndex !== '' && /^\d{1,15}$/.test(document.number);
  const keyless = isNumbered
    ? `${document.kind}:${issuerIndex}:${document.series}:${document.number}:${issued.month}`
    : `${sha256}:${position}`;
  return {
    document_id: newId('fiscal'),
    company_id: companyId,
    client_id: clientId,
    document_key: accessKey || keyless,
    access_key: accessKey,
    storage: storageOfKind(document.kind),
    kind: document.kind,
    model: parseKey(accessKey)?.model ?? '',
    series: short(document.series),
    number: /^\d{1,15}$/.test(document.number) ? Number(document.number) : null,
    issued_at: issued.at,
    issued_month: issued.month,
    direction: directionFor(document, role),
    role,
    own_id: CNPJ.test(taxId) ? taxId : '',
    issuer_id: issuer && CNPJ.test(issuer.taxId) ? issuer.taxId : '',
    issuer_name: short(issuer?.name ?? ''),
    party_id_key: party ? await taxIdIndex(party.taxId) : '',
    party_name: short(party?.name ?? ''),
    party_key: fold(short(party?.name ?? '')),
    nature: short(document.nature),
    total_cents: centsOf(document.totals.total),
    icms_cents: taxOf(document, 'sumIcms'),
    ibs_cents: taxOf(document, 'sumIbs'),
    cbs_cents: taxOf(document, 'sumCbs'),
    is_test: document.isTest ? 1 : 0,
    protocol: short(document.protocol?.number ?? ''),
    authorized_at: document.protocol ? momentOf(document.protocol.receivedAt) : null,
    state: own.state,
    state_at: own.at,
    problems: problemsOf(document),
    signature: document.signature.state,
    file_id: fileId,
    stored_at: now(),
  };
}

/** Adds a file about which nothing is claimed, so that it is found by its name and day. */
export async function addOther({ companyId, clientId, fileId, sha256, name }: RowOwner): Promise<void> {
  const instant = now();
  await db()
    .insertInto('fiscal_documents')
    .values({
      document_id: newId('fiscal'),
      company_id: companyId,
      client_id: clientId,
      document_key: sha256,
      access_key: '',
      storage: 'xml',
      kind: 'other',
      model: '',
      series: '',
      number: null,
      issued_at: instant,
      issued_month: new Date(instant).toISOString().slice(0, 7),
      direction: 'in',
      role: 'other',
      own_id: '',
      issuer_id: '',
      issuer_name: '',
      party_id_key: '',
      party_name: short(name),
      party_key: fold(short(name)),
      nature: '',
      total_cents: 0,
      icms_cents: 0,
      ibs_cents: 0,
      cbs_cents: 0,
      is_test: 0,
      protocol: '',
      authorized_at: null,
      state: 'unproven',
      state_at: null,
      problems: 0,
      signature: 'none',
      file_id: fileId,
      stored_at: instant,
    })
    .onConflict((conflict) => conflict.columns(['client_id', 'document_key']).doNothing())
    .execute();
}

export async function addEvent({ companyId, clientId, fileId }: RowOwner, event: FiscalEvent): Promise<void> {
  await db()
    .insertInto('fiscal_events')
    .values({
      event_id: newId('event'),
      company_id: companyId,
      client_id: clientId,
      access_key: accessKeyOf(event),
      type: short(event.type || event.name || ''),
      sequence: short(event.sequence),
      cancels: cancelsForSure(event) ? 1 : 0,
      state: event.state,
      happened_at: momentOf(event.registeredAt) ?? momentOf(event.at),
      file_id: fileId,
      stored_at: now(),
    })
    .onConflict((conflict) => conflict.columns(['file_id', 'access_key', 'type', 'sequence']).doNothing())
    .execute();
}

const MAX_NUMBER = 999_999_999;

export async function addVoid(
  { companyId, clientId, fileId }: RowOwner,
  { issuer, model, series, first, last, state, registeredAt }: VoidedNumbers,
): Promise<void> {
  const [from, to] = [Number(first), Number(last)];
  if (!(from > 0 && to >= from && to <= MAX_NUMBER)) return; // numbers that no series has
  await db()
    .insertInto('fiscal_voids')
    .values({
      void_id: newId('void'),
      company_id: companyId,
      client_id: clientId,
      issuer_id: CNPJ.test(issuer) ? issuer : '',
      model,
      series: series.replace(/^0+(?=\d)/, ''),
      first_number: from,
      last_number: to,
      state,
      registered_at: momentOf(registeredAt),
      file_id: fileId,
      stored_at: now(),
    })
    .onConflict((conflict) =>
      conflict.columns(['file_id', 'issuer_id', 'model', 'series', 'first_number']).doNothing(),
    )
    .execute();
}

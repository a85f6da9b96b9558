import { randomInt } from 'node:crypto';
import { now } from './clock.server.ts';
import { sha256 } from './crypto.server.ts';
import { db, inBatches, inTransaction } from './database.server.ts';
import type { Tables } from './schema.server.ts';

/** What a receipt confirms: an upload, a removal, a share, or a download. */
export type ReceiptKind = Tables['receipts']['kind'];

/** The document as of the receipt. `size` in bytes, `sha256` in hex. */
interface ReceiptDocument {
  documentId: string;
  clientId: string;
  name: string;
  size: number;
  sha256: string;
}

interface ReceiptRequest {
  companyId: string;
  kind: ReceiptKind;
  /** The contact who acts, or the recipient of a link. */
  actor: string;
  documents: readonly ReceiptDocument[];
}

/**
 * Issues a receipt for each document, in the open transaction if there is one, numbered per firm without
 * gaps. Receipts form a hash chain; put the result into the details of the audit entry of the same action, so
 * that the audit log and its anchors cover the receipts (docs/decisions/0025). A receipt outlives its
 * document: it references no other row.
 */
export async function issueReceipts({
  companyId,
  kind,
  actor,
  documents,
}: ReceiptRequest): Promise<{ receipt?: number; receiptHash?: string }> {
  if (documents.length === 0) return {};
  return inTransaction(async () => {
    await db()
      .insertInto('audit_heads')
      .values({ company_id: companyId, seq: 0, hash: FIRST })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    // Updating the head locks it until the transaction ends, which serializes the receipts of a firm.
    const head = await db()
      .updateTable('audit_heads')
      .set((e) => ({ receipts: e('receipts', '+', documents.length) }))
      .where('company_id', '=', companyId)
      .returning(['receipts', 'receipts_hash'])
      .executeTakeFirstOrThrow();
    let number = head.receipts - documents.length;
    let hash = head.receipts_hash;
    const rows = documents.map((document) => {
      number += 1;
      const row = {
        company_id: companyId,
        number,
        kind,
        document_id: document.documentId,
        client_id: document.clientId,
        name: document.name,
        size: document.size,
        sha256: document.sha256,
        actor,
        at: now(),
        code: newCode(),
      };
      hash = chained(hash, row);
      return { ...row, hash };
    });
    for (const batch of inBatches(rows)) await db().insertInto('receipts').values(batch).execute();
    await db()
      .updateTable('audit_heads')
      .set({ receipts_hash: hash })
      .where('company_id', '=', companyId)
      .execute();
    return { receipt: number, receiptHash: hash };
  });
}

const FIRST = '0'.repeat(64);

/** Letters and digits that are hard to confuse in print; ten of them are 49 bits. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const newCode = (): string => Array.from({ length: 10 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

const chained = (previous: string, row: Omit<Tables['receipts'], 'hash'>): string =>
  sha256(
    JSON.stringify([
      previous,
      row.company_id,
      row.number,
      row.at,
      row.kind,
      row.document_id,
      row.client_id,
      row.name,
      row.size,
      row.sha256,
      row.actor,
      row.code,
    ]),
  );

/** The first receipt of a firm that fails verification, and why. */
export interface ReceiptFault {
  companyId: string;
  number: number;
  fault: 'missing' | 'changed' | 'cut short' | 'not in the audit trail' | 'of other bytes';
}

const PAGE = 5000;

/** Verifies the receipts of every firm. Returns how many are valid, and the first fault of each firm. */
export async function verifyReceipts(): Promise<{ receipts: number; faults: ReceiptFault[] }> {
  const faults: ReceiptFault[] = [];
  let receipts = 0;
  for (const { company_id: companyId } of await db()
    .selectFrom('audit_heads')
    .select('company_id')
    .orderBy('company_id')
    .execute()) {
    const { count, fault } = await verifyFirm(companyId);
    receipts += count;
    if (fault) faults.push({ companyId, ...fault });
  }
  return { receipts, faults };
}

async function verifyFirm(
  companyId: string,
): Promise<{ count: number; fault?: Omit<ReceiptFault, 'companyId'> }> {
  const head = await db()
    .selectFrom('audit_heads')
    .select(['receipts', 'receipts_hash'])
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  const auditedHashes = await readAuditedHashes(companyId);
  const covered = Math.max(0, ...auditedHashes.keys());
  let number = 0;
  let hash = FIRST;
  // receipts issued meanwhile come after the head and are verified next time
  while (number < head.receipts) {
    const rows = await db()
      .selectFrom('receipts')
      .selectAll()
      .where('company_id', '=', companyId)
      .where('number', '>', number)
      .where('number', '<=', head.receipts)
      .orderBy('number')
      .limit(PAGE)
      .execute();
    if (rows.length === 0) return { count: number, fault: { number: number + 1, fault: 'cut short' } };
    for (const row of rows) {
      if (row.number !== number + 1)
        return { count: number, fault: { number: number + 1, fault: 'missing' } };
      if (chained(hash, row) !== row.hash)
        return { count: number, fault: { number: row.number, fault: 'changed' } };
      const inAuditLog = auditedHashes.get(row.number);
      if (inAuditLog !== undefined && inAuditLog !== row.hash)
        return { count: number, fault: { number: row.number, fault: 'not in the audit trail' } };
      ({ number, hash } = row);
    }
  }
  if (hash !== head.receipts_hash) return { count: number, fault: { number, fault: 'changed' } };
  // the audit log records the last receipt of each action: a later one has lost its entry
  if (covered < number)
    return { count: covered, fault: { number: covered + 1, fault: 'not in the audit trail' } };
  const replaced = await firstReplacedUpload(companyId);
  return replaced === undefined
    ? { count: number }
    : { count: number, fault: { number: replaced, fault: 'of other bytes' } };
}

/** The first upload receipt of a firm whose document now has a different digest or size. */
async function firstReplacedUpload(companyId: string): Promise<number | undefined> {
  const row = await db()
    .selectFrom('receipts')
    .innerJoin('documents', 'documents.document_id', 'receipts.document_id')
    .select('receipts.number')
    .where('receipts.company_id', '=', companyId)
    .where('receipts.kind', '=', 'upload')
    .where('documents.purged_at', 'is', null) // purged documents have neither
    .where((e) =>
      e.or([
        e('documents.sha256', '<>', e.ref('receipts.sha256')),
        e('documents.size', '<>', e.ref('receipts.size')),
      ]),
    )
    .orderBy('receipts.number')
    .executeTakeFirst();
  return row?.number;
}

/** The receipt hashes in the audit log of a firm: the last one of each action. */
async function readAuditedHashes(companyId: string): Promise<Map<number, string>> {
  const rows = await db()
    .selectFrom('audit')
    .select('details')
    .where('company_id', '=', companyId)
    .where('details', 'like', '%"receiptHash":%')
    .execute();
  return new Map(
    rows.map(({ details }) => {
      const { receipt, receiptHash } = JSON.parse(details) as { receipt: number; receiptHash: string };
      return [receipt, receiptHash];
    }),
  );
}

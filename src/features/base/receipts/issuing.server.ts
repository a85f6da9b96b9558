import { randomInt } from 'node:crypto';
import { now } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db, inBatches, inTransaction, noteFirm } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import type { ReceiptKind } from './kinds.ts';

/** The document as of the receipt. `size` in bytes, `sha256` in hex. */
interface ReceiptDocument {
  documentId: string;
  /** Who sent this one, if that was not the actor. */
  actor?: string;
  clientId: string;
  name: string;
  size: number;
  sha256: string;
}

/** The number of a receipt and its hash, for the details of an audit entry. */
interface Issued {
  receipt: number;
  receiptHash: string;
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
export async function issueReceipts(request: ReceiptRequest): Promise<Partial<Issued>> {
  return (await issueEach(request)).at(-1) ?? {};
}

/** The same for documents with an audit entry each: returns what belongs in each entry, in their order. */
export async function issueEach({
  companyId,
  kind,
  actor,
  documents,
}: ReceiptRequest): Promise<readonly Issued[]> {
  if (documents.length === 0) return [];
  return inTransaction(async () => {
    noteFirm(companyId);
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
        actor: document.actor ?? actor,
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
    return rows.map((row) => ({ receipt: row.number, receiptHash: row.hash }));
  });
}

export const FIRST = '0'.repeat(64);

/** Letters and digits that are hard to confuse in print; ten of them are 49 bits. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const newCode = (): string => Array.from({ length: 10 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

export const chained = (previous: string, row: Omit<Tables['receipts'], 'hash'>): string =>
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

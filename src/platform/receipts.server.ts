import { randomInt } from 'node:crypto';
import { now } from './clock.server.ts';
import { sha256 } from './crypto.server.ts';
import { db, inPieces, inTransaction } from './database.server.ts';
import type { Tables } from './schema.server.ts';

/** What a receipt confirms: that the firm took these bytes in, removed them, sent them to somebody, or handed them over. */
export type ReceiptKind = Tables['receipts']['kind'];

/** The document as it was at that moment. `size` in bytes, `sha256` 64 hexadecimal digits of exactly its bytes. */
interface Paper {
  documentId: string;
  clientId: string;
  name: string;
  size: number;
  sha256: string;
}

interface Issue {
  companyId: string;
  kind: ReceiptKind;
  /** The contact who acts, or the recipient of a link. */
  actor: string;
  papers: readonly Paper[];
}

/**
 * Issues one receipt for each paper, in the open transaction if there is one, numbered per firm without gaps. Each covers the one before
 * it, and what this answers belongs into the details of the audit entry of the same act: so the audit trail and its anchors cover the
 * receipts too (docs/decisions/0025). A receipt names no row that it needs: it stays when the document is gone.
 */
export async function issueReceipts({ companyId, kind, actor, papers }: Issue): Promise<{ receipt?: number; receiptHash?: string }> {
  if (papers.length === 0) return {};
  return inTransaction(async () => {
    await db().insertInto('audit_heads').values({ company_id: companyId, seq: 0, hash: FIRST }).onConflict((conflict) => conflict.doNothing()).execute();
    // Whoever updates the head of the trail holds it until the end of the transaction: acts of one firm come one after the other.
    const head = await db().updateTable('audit_heads').set((e) => ({ receipts: e('receipts', '+', papers.length) })).where('company_id', '=', companyId).returning(['receipts', 'receipts_hash']).executeTakeFirstOrThrow();
    let number = head.receipts - papers.length;
    let hash = head.receipts_hash;
    const rows = papers.map((paper) => {
      number += 1;
      const row = { company_id: companyId, number, kind, document_id: paper.documentId, client_id: paper.clientId, name: paper.name, size: paper.size, sha256: paper.sha256, actor, at: now(), code: newCode() };
      hash = chained(hash, row);
      return { ...row, hash };
    });
    for (const some of inPieces(rows)) await db().insertInto('receipts').values(some).execute();
    await db().updateTable('audit_heads').set({ receipts_hash: hash }).where('company_id', '=', companyId).execute();
    return { receipt: number, receiptHash: hash };
  });
}

const FIRST = '0'.repeat(64);

/** Letters and digits that nobody mistakes for each other on paper; ten of them are 49 bits. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const newCode = (): string => Array.from({ length: 10 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

const chained = (previous: string, row: Omit<Tables['receipts'], 'hash'>): string =>
  sha256(JSON.stringify([previous, row.company_id, row.number, row.at, row.kind, row.document_id, row.client_id, row.name, row.size, row.sha256, row.actor, row.code]));

/** Where the receipts of a firm do not hold: the first number that is not as it was issued, and what is wrong with it. */
export interface ReceiptFault {
  companyId: string;
  number: number;
  fault: 'missing' | 'changed' | 'cut short' | 'not in the audit trail';
}

const PAGE = 5000;

/** Reads the receipts of every firm from the first one, and answers how many hold, and the first fault of each firm. */
export async function verifyReceipts(): Promise<{ receipts: number; faults: ReceiptFault[] }> {
  const faults: ReceiptFault[] = [];
  let receipts = 0;
  for (const { company_id: companyId } of await db().selectFrom('audit_heads').select('company_id').orderBy('company_id').execute()) {
    const { count, fault } = await verifyFirm(companyId);
    receipts += count;
    if (fault) faults.push({ companyId, ...fault });
  }
  return { receipts, faults };
}

async function verifyFirm(companyId: string): Promise<{ count: number; fault?: Omit<ReceiptFault, 'companyId'> }> {
  const head = await db().selectFrom('audit_heads').select(['receipts', 'receipts_hash']).where('company_id', '=', companyId).executeTakeFirstOrThrow();
  const noted = await notedHashes(companyId);
  let number = 0;
  let hash = FIRST;
  // What is issued while this reads comes after the head: it is judged the next time.
  while (number < head.receipts) {
    const rows = await db().selectFrom('receipts').selectAll().where('company_id', '=', companyId).where('number', '>', number).where('number', '<=', head.receipts).orderBy('number').limit(PAGE).execute();
    if (rows.length === 0) return { count: number, fault: { number: number + 1, fault: 'cut short' } };
    for (const row of rows) {
      if (row.number !== number + 1) return { count: number, fault: { number: number + 1, fault: 'missing' } };
      if (chained(hash, row) !== row.hash) return { count: number, fault: { number: row.number, fault: 'changed' } };
      const inTrail = noted.get(row.number);
      if (inTrail !== undefined && inTrail !== row.hash) return { count: number, fault: { number: row.number, fault: 'not in the audit trail' } };
      ({ number, hash } = row);
    }
  }
  return hash === head.receipts_hash ? { count: number } : { count: number, fault: { number, fault: 'changed' } };
}

/** What the audit trail of a firm says of its receipts: the hash of the last one of each act. */
async function notedHashes(companyId: string): Promise<Map<number, string>> {
  const rows = await db().selectFrom('audit').select('details').where('company_id', '=', companyId).where('details', 'like', '%"receiptHash":%').execute();
  return new Map(
    rows.map(({ details }) => {
      const { receipt, receiptHash } = JSON.parse(details) as { receipt: number; receiptHash: string };
      return [receipt, receiptHash];
    }),
  );
}

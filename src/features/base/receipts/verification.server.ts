import { db } from '#platform/database/database.server.ts';
import { chained, FIRST } from './issuing.server.ts';

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

/** The faults of {@link verifyReceipts} as sentences without names. */
export const receiptFaults = async (): Promise<string[]> =>
  (await verifyReceipts()).faults.map(
    ({ companyId, number, fault }) =>
      `the receipts of ${companyId} are invalid from number ${number} on: ${fault}`,
  );

import { mergedInto } from '#features/people/merged-clients.server.ts';
import { assertActsFor, isOfOwnClient } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { MINUTE } from '#platform/clock.server.ts';
import { db } from '#platform/database.server.ts';
import { notFound } from '#platform/errors.server.ts';
import { consumeForNetwork } from '#platform/limits.server.ts';
import type { ReceiptKind } from './issuing.server.ts';
import type { ReceiptCheck } from './receipts.ts';

const PAGE = 25;
const CHECKS_A_MINUTE = 20;

/**
 * A receipt as shown to those who may see its client: what staff uploaded, the firm published. `who` is empty for
 * the recipient of a link; `at` in epoch ms, `size` in bytes.
 */
export interface Receipt {
  number: number;
  kind: ReceiptKind | 'publish';
  name: string;
  size: number;
  sha256: string;
  code: string;
  at: number;
  who: string;
  client: string;
}

/**
 * Lists the receipts of a client and of those merged into it, the newest first, 25 from `from` on; NOT_FOUND unless the actor acts for
 * that client.
 */
export async function listReceipts(
  actor: Actor,
  clientId: string,
  from: number,
): Promise<{ receipts: Receipt[]; total: number; pageSize: number }> {
  await assertActsFor(actor, clientId);
  const clientIds = [clientId, ...(await mergedInto(clientId))];
  const { total } = await db()
    .selectFrom('receipts')
    .select((e) => e.fn.countAll<number>().as('total'))
    .where('company_id', '=', actor.companyId)
    .where('client_id', 'in', clientIds)
    .executeTakeFirstOrThrow();
  const rows = await receiptsOf(actor)
    .where('receipts.client_id', 'in', clientIds)
    .orderBy('receipts.number', 'desc')
    .limit(PAGE)
    .offset(from)
    .execute();
  return { receipts: rows.map(present), total: Number(total), pageSize: PAGE };
}

/** Finds a receipt of the actor's firm; NOT_FOUND unless they may see its client. */
export async function receiptOf(actor: Actor, number: number): Promise<Receipt> {
  const row = await receiptsOf(actor).where('receipts.number', '=', number).executeTakeFirst();
  if (!row) throw notFound();
  return present(row);
}

const receiptsOf = (actor: Actor) =>
  db()
    .selectFrom('receipts')
    .innerJoin('clients', 'clients.client_id', 'receipts.client_id')
    .leftJoin('contacts', 'contacts.contact_id', 'receipts.actor')
    .where('receipts.company_id', '=', actor.companyId)
    .where(isOfOwnClient(actor, 'receipts.client_id'))
    .select([
      'receipts.number',
      'receipts.kind',
      'receipts.name',
      'receipts.size',
      'receipts.sha256',
      'receipts.code',
      'receipts.at',
      'contacts.full_name as who',
      'contacts.staff',
      'clients.name as client',
    ]);

const present = <R extends { kind: ReceiptKind; who: string | null; staff: number | null }>({
  kind,
  who,
  staff,
  ...row
}: R) => ({
  ...row,
  kind: kind === 'upload' && staff === 1 ? ('publish' as const) : kind,
  who: who ?? '',
});

/**
 * Finds the firm that issued this receipt for these bytes; undefined if none did, whatever is wrong:
 * strangers learn nothing else. Without a digest only the receipt is checked. TOO_MANY beyond 20 a minute
 * from one network.
 */
export async function checkReceipt(
  { number, code, sha256 }: ReceiptCheck,
  network: string,
): Promise<{ firm: string } | undefined> {
  await consumeForNetwork('receipts', network, CHECKS_A_MINUTE, MINUTE);
  const row = await db()
    .selectFrom('receipts')
    .innerJoin('firms', 'firms.company_id', 'receipts.company_id')
    .select('firms.name as firm')
    .where('receipts.number', '=', number)
    .where('receipts.code', '=', code)
    .$if(sha256 !== '', (receipts) => receipts.where('receipts.sha256', '=', sha256))
    .executeTakeFirst();
  return row;
}

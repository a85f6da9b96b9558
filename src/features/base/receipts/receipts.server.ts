import type { ExpressionBuilder } from 'kysely';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { mergedInto } from '#features/base/people/merged-clients.server.ts';
import { assertActsFor, isOfOwnClient } from '#features/base/people/people.server.ts';
import { actionAddresses } from '#features/base/actions/actions.ts';
import type { Actor } from '#features/base/people/people.ts';
import { MINUTE } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { consumeForNetwork } from '#platform/security/limits.server.ts';
import { startOfDay } from '#platform/text/time-zones.ts';
import type { ReceiptKind } from './kinds.ts';
import { receiptFilter, type ReceiptFilter } from './filter.server.ts';
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
  /** The contact who had asked for it, if `who` has no account. */
  askedBy?: string;
  client: string;
}

interface Position {
  /** From 0. */
  from?: number;
  limit?: number;
}

/**
 * Lists the receipts of a client and of those merged into it, the newest first, 25 unless told otherwise, as filtered;
 * NOT_FOUND unless the actor acts for that client. What staff published is no upload. Days are those of the firm.
 */
export async function listReceipts(
  actor: Actor,
  clientId: string,
  filter: Partial<ReceiptFilter> = {},
  { from = 0, limit = PAGE }: Position = {},
): Promise<{ receipts: Receipt[]; total: number; pageSize: number }> {
  await assertActsFor(actor, clientId);
  const { kind, since, until } = receiptFilter.parse(filter);
  const { timeZone } = await firmOf(actor.companyId);
  const clientIds = [clientId, ...(await mergedInto(clientId))];
  const isShown = (e: ExpressionBuilder<Tables, 'receipts'>) =>
    e.and([
      e('receipts.client_id', 'in', clientIds),
      ...(kind === '' ? [] : [e('receipts.kind', '=', kind as ReceiptKind)]),
      ...(kind === 'upload' ? [e.not(e('receipts.actor', 'in', staffIds))] : []),
      ...(since === '' ? [] : [e('receipts.at', '>=', startOfDay(since, timeZone))]),
      ...(until === '' ? [] : [e('receipts.at', '<', startOfDay(until, timeZone, 1))]),
      actor.staff ? isWithFirm(e) : isForReader(e, actor),
    ]);
  const staffIds = db()
    .selectFrom('contacts')
    .select('contacts.contact_id')
    .where('contacts.company_id', '=', actor.companyId)
    .where('contacts.staff', '=', 1);
  const { total } = await db()
    .selectFrom('receipts')
    .select((e) => e.fn.countAll<number>().as('total'))
    .where('company_id', '=', actor.companyId)
    .where(isShown)
    .executeTakeFirstOrThrow();
  const rows = await receiptsOf(actor)
    .where((e) => isShown(e))
    .orderBy('receipts.number', 'desc')
    .limit(limit)
    .offset(from)
    .execute();
  return { receipts: rows.map(present), total: Number(total), pageSize: limit };
}

/** Finds a receipt of the actor's firm; NOT_FOUND unless they may see its client. */
export async function receiptOf(actor: Actor, number: number): Promise<Receipt> {
  const row = await receiptsOf(actor).where('receipts.number', '=', number).executeTakeFirst();
  if (!row) throw notFound();
  return present(row);
}

/** The numbers of those of these receipts that the actor may see. */
export async function visibleReceipts(
  actor: Actor,
  numbers: readonly number[],
): Promise<ReadonlySet<number>> {
  if (numbers.length === 0) return new Set();
  const rows = await receiptsOf(actor).where('receipts.number', 'in', numbers).execute();
  return new Set(rows.map(({ number }) => number));
}

/** Leaves out what a client has uploaded to an answer that is not submitted (decision 0119). */
const isWithFirm = (e: ExpressionBuilder<Tables, 'receipts'>) =>
  e.not(
    e.exists(
      e
        .selectFrom('documents as withheld')
        .select('withheld.document_id')
        .whereRef('withheld.document_id', '=', 'receipts.document_id')
        .where('withheld.answer_state', '=', 'open'),
    ),
  );

/** Leaves out the documents that are for those alone who have an action that the contact does not have (decision 0130). */
const isForReader = (e: ExpressionBuilder<Tables, 'receipts'>, { access }: Actor) => {
  const own = actionAddresses(access);
  return e.not(
    e.exists(
      e
        .selectFrom('documents as reserved')
        .select('reserved.document_id')
        .whereRef('reserved.document_id', '=', 'receipts.document_id')
        .where('reserved.audience', 'is not', null)
        .$if(own.length > 0, (reserved) => reserved.where('reserved.audience', 'not in', own)),
    ),
  );
};

const receiptsOf = (actor: Actor) =>
  db()
    .selectFrom('receipts')
    .innerJoin('clients', 'clients.client_id', 'receipts.client_id')
    .leftJoin('contacts', 'contacts.contact_id', 'receipts.actor')
    .leftJoin('document_senders', (join) =>
      join
        .onRef('document_senders.document_id', '=', 'receipts.document_id')
        .on('receipts.kind', '=', 'upload'),
    )
    .leftJoin('documents', 'documents.document_id', 'document_senders.document_id')
    .leftJoin('contacts as askers', 'askers.contact_id', 'documents.created_by')
    .where('receipts.company_id', '=', actor.companyId)
    .where(isOfOwnClient(actor, 'receipts.client_id'))
    .where((e) => (actor.staff ? isWithFirm(e) : isForReader(e, actor)))
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
      'documents.document_id as sent_document',
      'document_senders.sent_by',
      'askers.full_name as asked_by',
      'clients.name as client',
    ]);

type ReceiptRow = Awaited<ReturnType<ReturnType<typeof receiptsOf>['execute']>>[number];

const present = ({
  kind,
  who,
  staff,
  sent_document: id,
  sent_by: sentBy,
  asked_by: askedBy,
  ...row
}: ReceiptRow) => ({
  ...row,
  kind: kind === 'upload' && staff === 1 ? ('publish' as const) : kind,
  who: id !== null && sentBy !== null ? decryptFrom('document_senders.sent_by', id, sentBy) : (who ?? ''),
  ...(askedBy !== null && { askedBy }),
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

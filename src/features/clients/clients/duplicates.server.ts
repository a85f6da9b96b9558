import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { actsForClient, staffWith } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, fold, inBatches } from '#platform/database/database.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import type { TaxId } from './client-records.ts';
import { taxIdKey } from './client-search.server.ts';

/*
 * Clients that may be the same: they have the same tax id, or numbers that are equal but for leading zeros and punctuation.
 * Somebody decides before a second one exists, since files are matched to clients by both.
 */

interface Identity {
  code: string;
  taxIds: readonly TaxId[];
}

const duplicateFields = z.enum(['taxIds', 'code']);

/** A client that another one may be; `id` is undefined if the actor does not see it. */
export interface PossibleDuplicate {
  id: string | undefined;
  code: string;
  name: string;
  /** What both have. */
  field: z.infer<typeof duplicateFields>;
}

/** Finds for each of these clients those of the firm that it may be, `ownId` aside, by tax id first. */
export async function findDuplicates(
  actor: Actor,
  clients: readonly Identity[],
  ownId = '',
): Promise<PossibleDuplicate[][]> {
  const byTaxId = await clientsWithTaxIds(actor, clients, ownId);
  const byNumber = await clientsWithNumbers(actor, clients, ownId);
  const found: PossibleDuplicate[][] = [];
  for (const { code, taxIds } of clients) {
    const keys = await Promise.all(taxIds.map(({ kind, number }) => taxIdKey(kind, number)));
    const same = [
      ...keys.flatMap((key) => byTaxId.get(key) ?? []).map((row) => present(row, 'taxIds')),
      ...(byNumber.get(plainNumber(code)) ?? []).map((row) => present(row, 'code')),
    ];
    found.push([...new Map(same.map((each) => [each.key, each.duplicate])).values()]);
  }
  return found;
}

/** Throws POSSIBLE_DUPLICATE if one of these clients may be one that exists. */
export async function assertAreNoDuplicates(
  actor: Actor,
  clients: readonly Identity[],
  ownId = '',
): Promise<void> {
  const found = (await findDuplicates(actor, clients, ownId)).flat();
  const [first] = found;
  if (!first) return;
  const seen = found.filter(({ id }) => id !== undefined);
  throw new PortalError('POSSIBLE_DUPLICATE', {
    field: first.field,
    duplicates: seen,
    isHidden: seen.length < found.length,
    ask: seen.length < found.length ? await whoKnows(actor) : [],
  });
}

const details = z.object({
  field: duplicateFields,
  duplicates: z.array(
    z.object({ id: z.string(), code: z.string(), name: z.string(), field: duplicateFields }),
  ),
  isHidden: z.boolean(),
  ask: z.array(z.string()),
});
export type DuplicateDetails = z.infer<typeof details>;

/** What a refusal says about duplicates; undefined for another error. */
export function duplicateDetails(error: unknown): DuplicateDetails | undefined {
  const refused = refusal(error);
  return refused?.code === 'POSSIBLE_DUPLICATE' ? details.parse(refused.details) : undefined;
}

/** Counts the names of those who may be asked about a client that somebody does not see. */
const MAX_ASKED = 3;

/** Those who manage clients and see all of them. */
async function whoKnows({ companyId }: Actor): Promise<string[]> {
  const managers = await staffWith(companyId, 'ManageClients');
  return managers
    .filter(({ hasAllClients }) => hasAllClients)
    .slice(0, MAX_ASKED)
    .map(({ fullName }) => fullName);
}

const candidates = (actor: Actor, ownId: string) =>
  db()
    .selectFrom('clients')
    .where('clients.company_id', '=', actor.companyId)
    .where('clients.merged_into', 'is', null)
    .where('clients.client_id', '!=', ownId)
    .select((e) => [
      'clients.client_id',
      'clients.code',
      'clients.name',
      e.case().when(actsForClient(actor)).then(1).else(0).end().as('is_own'),
    ]);

type Candidate = Awaited<ReturnType<ReturnType<typeof candidates>['execute']>>[number];

function present(row: Candidate, field: PossibleDuplicate['field']) {
  const isOwn = row.is_own === 1;
  const duplicate: PossibleDuplicate = isOwn
    ? { id: row.client_id, code: row.code, name: row.name, field }
    : { id: undefined, code: '', name: '', field };
  return { key: row.client_id, duplicate };
}

async function clientsWithTaxIds(
  actor: Actor,
  clients: readonly Identity[],
  ownId: string,
): Promise<Map<string, Candidate[]>> {
  const keys = await Promise.all(
    clients.flatMap(({ taxIds }) => taxIds.map(({ kind, number }) => taxIdKey(kind, number))),
  );
  const rows = [];
  for (const some of inBatches([...new Set(keys)]))
    rows.push(
      ...(await candidates(actor, ownId)
        .innerJoin('client_tax_ids', 'client_tax_ids.client_id', 'clients.client_id')
        .where('client_tax_ids.value_key', 'in', some)
        .select('client_tax_ids.value_key')
        .execute()),
    );
  return Map.groupBy(rows, (row) => row.value_key);
}

async function clientsWithNumbers(
  actor: Actor,
  clients: readonly Identity[],
  ownId: string,
): Promise<Map<string, Candidate[]>> {
  const numbers = new Set(clients.map(({ code }) => plainNumber(code)).filter((number) => number !== ''));
  const rows: Candidate[] = [];
  for (const some of inBatches([...numbers]))
    rows.push(...(await candidates(actor, ownId).where(plainNumberSql(), 'in', some).execute()));
  return Map.groupBy(rows, (row) => plainNumber(fold(row.code)));
}

const PUNCTUATION = /[-./ _,]/g;

/**
 * A number of a client without what spreadsheets and people change: `007`, `7.0` and `7` are one number, and so are
 * `JB-1042` and `jb 1042`. Empty for none.
 */
export const plainNumber = (code: string): string =>
  fold(code.trim()).replace(/\.0$/, '').replaceAll(PUNCTUATION, '').replace(/^0+/, '');

/** The plain form of `clients.code_key`; the expression is that of the index `clients_by_plain_number`. */
export const plainNumberSql = (): RawBuilder<string> =>
  sql<string>`ltrim(replace(replace(replace(replace(replace(replace(case when substr(code_key, length(code_key) - 1) = '.0' then substr(code_key, 1, length(code_key) - 2) else code_key end, '-', ''), '.', ''), '/', ''), ' ', ''), '_', ''), ',', ''), '0')`;

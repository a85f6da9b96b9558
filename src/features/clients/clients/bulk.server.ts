import { invitedResponsible } from '#features/identity/invitations/invited-staff.server.ts';
import { actsForClient } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, fold, inBatches } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { TAX_ID_KINDS } from '#platform/inputs/tax-ids.ts';
import { isLang } from '#platform/text/languages.ts';
import type { ClientRecord } from './client-records.ts';
import { addressOf } from './internal/rows.server.ts';

/*
 * Many clients at once, for imports and exports: a few queries for hundreds of them, where `clientRecord`
 * makes four for each.
 */

function assertIsStaff({ staff }: Actor): void {
  if (!staff) throw new PortalError('FORBIDDEN');
}

/** The clients that the actor may act for, current or archived, but for those merged into another. */
const unmerged = (actor: Actor) =>
  db().selectFrom('clients').where(actsForClient(actor)).where('clients.merged_into', 'is', null);

/** Finds clients by their numbers: the ids by folded number. FORBIDDEN for contacts. */
export async function clientsByCode(actor: Actor, codes: readonly string[]): Promise<Map<string, string>> {
  assertIsStaff(actor);
  const found = new Map<string, string>();
  for (const keys of inBatches([...new Set(codes.map(fold))]))
    for (const { client_id: id, code_key: key } of await unmerged(actor)
      .select(['client_id', 'code_key'])
      .where('code_key', 'in', keys)
      .execute())
      found.set(key, id);
  return found;
}

/** The ids of all current clients, by name. FORBIDDEN for contacts. */
export async function currentClientIds(actor: Actor): Promise<string[]> {
  assertIsStaff(actor);
  const rows = await unmerged(actor)
    .select('client_id')
    .where('archived_at', 'is', null)
    .orderBy('name_key')
    .orderBy('client_id')
    .execute();
  return rows.map(({ client_id: id }) => id);
}

/** The records of these clients, in their order; those that the actor does not see are left out. FORBIDDEN. */
export async function clientRecordsOf(actor: Actor, ids: readonly string[]): Promise<ClientRecord[]> {
  assertIsStaff(actor);
  const records: ClientRecord[] = [];
  for (const some of inBatches(ids)) records.push(...(await recordsOf(actor, some)));
  return records;
}

async function recordsOf(actor: Actor, ids: readonly string[]): Promise<ClientRecord[]> {
  const rows = await db()
    .selectFrom('clients')
    .selectAll()
    .where(actsForClient(actor))
    .where('client_id', 'in', ids)
    .execute();
  const [tags, taxIds, responsible] = [await tagRows(ids), await taxIdRows(ids), await responsibleRows(ids)];
  const invited = await invitedResponsible(actor.companyId);
  const byId = new Map(rows.map((row) => [row.client_id, row]));
  return ids.flatMap((id): ClientRecord[] => {
    const row = byId.get(id);
    if (!row) return [];
    return [
      {
        id,
        name: row.name,
        code: row.code,
        kind: row.kind,
        doingBusinessAs: row.doing_business_as ?? '',
        language: isLang(row.language) ? row.language : '',
        yearEnd: row.year_end,
        tags: (tags.get(id) ?? []).map(({ tag }) => tag),
        taxIds: TAX_ID_KINDS.flatMap((kind) => {
          const found = taxIds.get(id)?.find((row) => row.kind === kind);
          if (!found) return [];
          return [{ kind, number: decryptFrom('client_tax_ids.value', `${id}/${kind}`, found.value) }];
        }),
        address: addressOf(id, row.address),
        responsible: [
          ...(responsible.get(id) ?? []).map(({ contact_id: staff }) => staff),
          ...(invited.get(id) ?? []).map(({ invitationId }) => invitationId),
        ],
        version: row.modified_at,
        createdDate: new Date(row.created_at).toISOString(),
        modifiedDate: new Date(row.modified_at).toISOString(),
        archivedDate: row.archived_at === null ? null : new Date(row.archived_at).toISOString(),
        mergedInto: row.merged_into,
      },
    ];
  });
}

const byClient = <Row extends { client_id: string }>(rows: readonly Row[]): Map<string, Row[]> =>
  Map.groupBy(rows, ({ client_id: id }) => id);

const tagRows = async (ids: readonly string[]) =>
  byClient(
    await db()
      .selectFrom('client_tags')
      .select(['client_id', 'tag'])
      .where('client_id', 'in', ids)
      .orderBy('tag_key')
      .execute(),
  );

const taxIdRows = async (ids: readonly string[]) =>
  byClient(
    await db()
      .selectFrom('client_tax_ids')
      .select(['client_id', 'kind', 'value'])
      .where('client_id', 'in', ids)
      .execute(),
  );

const responsibleRows = async (ids: readonly string[]) =>
  byClient(
    await db()
      .selectFrom('staff_clients')
      .select(['client_id', 'contact_id'])
      .where('client_id', 'in', ids)
      .where('is_responsible', '=', 1)
      .orderBy('contact_id')
      .execute(),
  );

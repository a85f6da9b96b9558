import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { isLang } from '#platform/text/languages.ts';
import type { ClientRecord } from './client-records.ts';
import { addressOf, responsibleOf, tagsOf, taxIdsOf } from './internal/rows.server.ts';

/** Returns all that the firm keeps about a client, also one that was merged into another. FORBIDDEN for contacts. */
export async function clientRecord(actor: Actor, clientId: string): Promise<ClientRecord> {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  const row = await db()
    .selectFrom('clients')
    .selectAll()
    .where('client_id', '=', clientId)
    .where((e) =>
      e.or([e('client_id', 'in', clientIdsOf(actor)), e('merged_into', 'in', clientIdsOf(actor))]),
    )
    .executeTakeFirst();
  if (!row) throw notFound();
  return {
    id: row.client_id,
    name: row.name,
    code: row.code,
    kind: row.kind,
    doingBusinessAs: row.doing_business_as ?? '',
    language: isLang(row.language) ? row.language : '',
    yearEnd: row.year_end,
    tags: await tagsOf(clientId),
    taxIds: await taxIdsOf(clientId),
    address: addressOf(clientId, row.address),
    responsible: await responsibleOf(row.company_id, clientId),
    version: row.modified_at,
    createdDate: new Date(row.created_at).toISOString(),
    modifiedDate: new Date(row.modified_at).toISOString(),
    archivedDate: row.archived_at === null ? null : new Date(row.archived_at).toISOString(),
    mergedInto: row.merged_into,
  };
}

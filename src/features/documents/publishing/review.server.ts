import {
  recipientsOfMany,
  type NoticeRecipients,
} from '#features/clients/notice-recipients/recipients.server.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inBatches } from '#platform/database/database.server.ts';
import { ownBatch } from './batches.server.ts';
import { unusualCounts } from './evidence.ts';
import type { BatchFile } from './publishing.ts';

/** A client that evidence names, as far as the actor may know; `other` for one that they do not see. */
export type NamedClient =
  { kind: 'own' | 'archived'; id: string; name: string; code: string } | { kind: 'other'; id: string };

/** The clients that the evidence of these files names, by id. */
export async function namedClients(
  actor: Actor,
  files: readonly BatchFile[],
): Promise<Map<string, NamedClient>> {
  const ids = [...new Set(files.flatMap(({ evidence }) => evidence.flatMap(({ clientIds }) => clientIds)))];
  const clients = new Map<string, NamedClient>(ids.map((id) => [id, { kind: 'other', id }]));
  for (const some of inBatches(ids))
    for (const row of await clientIdsOf(actor)
      .select(['clients.name', 'clients.code', 'clients.archived_at'])
      .where('clients.client_id', 'in', some)
      .execute())
      clients.set(row.client_id, {
        kind: row.archived_at === null ? 'own' : 'archived',
        id: row.client_id,
        name: row.name,
        code: row.code,
      });
  return clients;
}

export interface Unusual {
  name: string;
  count: number;
}

/** Lists the clients that get far more files than the others, and who of all is notified. */
export async function reviewOf(
  actor: Actor,
  batchId: string,
): Promise<{ unusual: Unusual[]; recipients: NoticeRecipients[] }> {
  await ownBatch(actor, batchId);
  const rows = await db()
    .selectFrom('publish_files')
    .innerJoin('clients', 'clients.client_id', 'publish_files.client_id')
    .where('batch_id', '=', batchId)
    .where('problem', 'is', null)
    .select((e) => ['clients.client_id', 'clients.name', e.fn.countAll<number>().as('count')])
    .groupBy(['clients.client_id', 'clients.name'])
    .orderBy('clients.name')
    .execute();
  const unusual = new Set(unusualCounts(new Map(rows.map((row) => [row.client_id, Number(row.count)]))));
  return {
    unusual: rows
      .filter(({ client_id: id }) => unusual.has(id))
      .map(({ name, count }) => ({ name, count: Number(count) })),
    recipients: await recipientsOfMany(
      actor,
      rows.map(({ client_id: id }) => id),
      { kind: 'documents' },
    ),
  };
}

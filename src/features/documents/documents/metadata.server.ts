import { assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { permissionsOn } from '#features/documents/folders/permissions.server.ts';
import {
  MAX_KEYS,
  type MetadataFilter,
  type MetadataItems,
  type MetadataOutcome,
  type MetadataToRemove,
  type MetadataToSet,
} from './metadata.ts';
import { itemPermissionsOf } from '#features/documents/folders/roles.server.ts';
import { documentsNamed, documentsOf, type DocumentRow } from './scope.server.ts';

type Data = Record<string, string>;

/** Loads the metadata of these documents, by id, with the keys in order. */
export async function metadataOf(ids: readonly string[]): Promise<Map<string, Data>> {
  const rows = [];
  for (const some of inBatches(ids))
    rows.push(
      ...(await db()
        .selectFrom('item_metadata')
        .select(['document_id', 'meta_key', 'meta_value'])
        .where('document_id', 'in', some)
        .orderBy('meta_key')
        .execute()),
    );
  return new Map(
    [...Map.groupBy(rows, (row) => row.document_id)].map(([id, own]) => [
      id,
      Object.fromEntries(own.map((row) => [row.meta_key, row.meta_value])),
    ]),
  );
}

/**
 * Sets metadata of documents, each separately: requires the right to update the document (spec 1 section 6).
 */
export async function setMetadata(actor: Actor, items: MetadataToSet): Promise<MetadataOutcome[]> {
  return each(actor, items, async (row, { CustomItemMetaData: data }, known) => {
    if (Object.keys({ ...known, ...data }).length > MAX_KEYS) return 'TOO_MANY';
    await writeValues(row, data);
    Object.assign(known, data);
    return 'SET';
  });
}

type Described = Pick<DocumentRow, 'document_id' | 'client_id' | 'company_id' | 'created_at'>;

async function writeValues(row: Described, data: Data): Promise<void> {
  const values = Object.entries(data).map(([key, value]) => ({
    document_id: row.document_id,
    client_id: row.client_id,
    meta_key: key,
    meta_value: value,
    document_created_at: row.created_at,
  }));
  if (values.length === 0) return;
  await db()
    .insertInto('item_metadata')
    .values(values)
    .onConflict((conflict) =>
      conflict
        .columns(['document_id', 'meta_key'])
        .doUpdateSet((e) => ({ meta_value: e.ref('excluded.meta_value') })),
    )
    .execute();
}

/** Sets metadata of a document in the transaction that adds it, so that neither is ever there without the other. */
export async function describeNewDocument(actor: Actor, documentId: string, data: Data): Promise<void> {
  const row = await db()
    .selectFrom('documents')
    .select(['document_id', 'client_id', 'company_id', 'created_at'])
    .where('document_id', '=', documentId)
    .executeTakeFirstOrThrow();
  await writeValues(row, data);
  await noteMetadata(actor, row);
}

const noteMetadata = (actor: Actor, row: Described): Promise<void> =>
  audit({
    companyId: row.company_id,
    actor: actor.contactId,
    action: 'document.metadata',
    target: row.document_id,
    clientId: row.client_id,
  });

/** Removes metadata of documents: some keys, or all. */
export async function removeMetadata(actor: Actor, items: MetadataToRemove): Promise<MetadataOutcome[]> {
  return each(actor, items, async (row, { Keys: keys }, known) => {
    const gone = keys ?? Object.keys(known);
    if (gone.length > 0)
      await db()
        .deleteFrom('item_metadata')
        .where('document_id', '=', row.document_id)
        .where('meta_key', 'in', gone)
        .execute();
    for (const key of gone) delete known[key];
    return 'REMOVED';
  });
}

/**
 * Runs a change for each document that the actor may update in the named container; somebody else's is
 * treated as unknown. `known` is its current metadata.
 */
async function each<Item extends { Id: string; ContainerId: string }>(
  actor: Actor,
  items: readonly Item[],
  change: (row: DocumentRow, item: Item, known: Data) => Promise<MetadataOutcome['result']>,
): Promise<MetadataOutcome[]> {
  return inTransaction(async () => {
    const rows = new Map(
      (
        await documentsNamed(
          actor,
          items.map(({ Id }) => Id),
        )
      ).map((row) => [row.document_id, row]),
    );
    const itemPermissions = await itemPermissionsOf(actor, [...rows.values()]);
    const noted = await metadataOf([...rows.keys()]);
    const outcomes: MetadataOutcome[] = [];
    for (const item of items) {
      const row = rows.get(item.Id);
      const isThere = row?.container_id === item.ContainerId;
      const result =
        !row || !isThere
          ? 'NOT_FOUND'
          : permissionsOn(actor, row.created_by, { of: 'document', ...itemPermissions(row) }).update
            ? await changeOne(row, item)
            : 'FORBIDDEN';
      outcomes.push({ id: item.Id, result });
    }
    return outcomes;

    async function changeOne(row: DocumentRow, item: Item): Promise<MetadataOutcome['result']> {
      const known = noted.get(row.document_id) ?? {};
      noted.set(row.document_id, known);
      const result = await change(row, item, known);
      if (result !== 'TOO_MANY') await noteMetadata(actor, row);
      return result;
    }
  });
}

const MAX_FOUND = 500;

/**
 * Finds the documents of a client with all of this metadata, the newest first and at most 500, with all of
 * their metadata. NOT_FOUND for a client that the actor does not act for.
 */
export async function findByMetadata(
  actor: Actor,
  { ClientId, CustomItemMetaData }: MetadataFilter,
): Promise<MetadataItems> {
  await assertActsFor(actor, ClientId);
  let wanted = documentsOf(actor).where('documents.client_id', '=', ClientId);
  for (const [key, value] of Object.entries(CustomItemMetaData))
    wanted = wanted.where('documents.document_id', 'in', notedAs(ClientId, key, value));
  const rows = await wanted
    .orderBy('documents.created_at', 'desc')
    .orderBy('documents.document_id')
    .limit(MAX_FOUND)
    .execute();
  const noted = await metadataOf(rows.map((row) => row.document_id));
  return rows.map((row) => ({
    docId: row.document_id,
    containerId: row.container_id,
    data: noted.get(row.document_id) ?? {},
  }));
}

/** The ids of a client's documents with this value, as a subquery. */
const notedAs = (clientId: string, key: string, value: string) =>
  db()
    .selectFrom('item_metadata')
    .select('item_metadata.document_id')
    .where('item_metadata.client_id', '=', clientId)
    .where('item_metadata.meta_key', '=', key)
    .where('item_metadata.meta_value', '=', value);

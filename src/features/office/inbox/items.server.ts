import { raiseAttention } from '#features/office/live/attention.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';

/** Something that waits for the firm. */
interface Entry {
  companyId: string;
  clientId: string | null;
  kind: string;
  /** Entries with the same key share a row. */
  key: string;
  /** The id of the document, comment, mail … itself. */
  target: string;
  name: string;
  /** What else the row says, such as a reason. */
  detail?: string;
  /** The member of staff it is for, besides those responsible for the client. */
  contactId?: string | null;
}

/** Adds an entry to the inbox, in the transaction in which it came in. Does nothing if it is there already. */
export async function addToInbox(entry: Entry): Promise<void> {
  const { companyId, kind, key, target, name } = entry;
  await inTransaction(async () => {
    const itemId = (await openItem(companyId, kind, key)) ?? (await newItem(entry));
    const added = await db()
      .insertInto('inbox_targets')
      .values({
        target,
        item_id: itemId,
        name: encryptFor('inbox_targets.name', `${target}/${itemId}`, name),
      })
      .onConflict((conflict) => conflict.columns(['target', 'item_id']).doNothing())
      .returning('target')
      .executeTakeFirst();
    if (!added) return;
    await db()
      .updateTable('inbox_items')
      .set((e) => ({ count: e('count', '+', 1), modified_at: now(), added_at: now() }))
      .where('item_id', '=', itemId)
      .execute();
    await raiseAttention([companyId]);
  });
}

/** Adds a row, and returns its id; that of the row that another transaction added first, if one did. */
async function newItem({
  companyId,
  clientId,
  kind,
  key,
  name,
  detail,
  contactId = null,
}: Entry): Promise<string> {
  const [itemId, instant] = [newId('inbox'), now()];
  await db()
    .insertInto('inbox_items')
    .values({
      item_id: itemId,
      company_id: companyId,
      client_id: clientId,
      contact_id: contactId,
      kind,
      group_key: key,
      name: encryptFor('inbox_items.name', itemId, name),
      detail: detail === undefined ? null : encryptFor('inbox_items.detail', itemId, detail),
      count: 0,
      created_at: instant,
      modified_at: instant,
      added_at: instant,
      done_at: null,
      done_by: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await openItem(companyId, kind, key)) ?? itemId;
}

const openItem = async (companyId: string, kind: string, key: string): Promise<string | undefined> =>
  (
    await db()
      .selectFrom('inbox_items')
      .select('item_id')
      .where('company_id', '=', companyId)
      .where('kind', '=', kind)
      .where('group_key', '=', key)
      .where('done_at', 'is', null)
      .executeTakeFirst()
  )?.item_id;

/** Removes entries from the inbox because they were handled; a row without entries is done. */
export async function resolveInInbox(targets: readonly string[]): Promise<void> {
  if (targets.length === 0) return;
  await inTransaction(async () => {
    for (const some of inBatches(targets)) {
      const gone = await db()
        .deleteFrom('inbox_targets')
        .where('target', 'in', some)
        .where('item_id', 'in', openItems())
        .returning('item_id')
        .execute();
      for (const [itemId, entries] of Map.groupBy(gone, ({ item_id: id }) => id))
        await removeEntries(itemId, entries.length);
    }
  });
}

const openItems = () =>
  db().selectFrom('inbox_items').select('inbox_items.item_id').where('inbox_items.done_at', 'is', null);

async function removeEntries(itemId: string, count: number): Promise<void> {
  const row = await db()
    .updateTable('inbox_items')
    .set((e) => ({ count: e('count', '-', count), modified_at: now() }))
    .where('item_id', '=', itemId)
    .returning(['count', 'company_id'])
    .executeTakeFirst();
  if (row) await raiseAttention([row.company_id]);
  if (row && row.count <= 0)
    await db().updateTable('inbox_items').set({ done_at: now() }).where('item_id', '=', itemId).execute();
  else await renameItem(itemId);
}

/** Names a row after an entry that still waits: the one that it was named after may be deleted. */
async function renameItem(itemId: string): Promise<void> {
  const next = await db()
    .selectFrom('inbox_targets')
    .select(['target', 'name'])
    .where('item_id', '=', itemId)
    .executeTakeFirst();
  if (!next) return;
  const name = decryptFrom('inbox_targets.name', `${next.target}/${itemId}`, next.name);
  await db()
    .updateTable('inbox_items')
    .set({ name: encryptFor('inbox_items.name', itemId, name) })
    .where('item_id', '=', itemId)
    .execute();
}

/** True also for what was marked as done, which must not come back. */
export const wasInInbox = async (target: string): Promise<boolean> =>
  (await db()
    .selectFrom('inbox_items')
    .innerJoin('inbox_targets', 'inbox_targets.item_id', 'inbox_items.item_id')
    .select('inbox_items.item_id')
    .where('inbox_targets.target', '=', target)
    .executeTakeFirst()) !== undefined;

/** Removes a whole row from the inbox, such as all comments on a document that staff have read. */
export async function resolveGroup(companyId: string, kind: string, key: string): Promise<void> {
  await db()
    .updateTable('inbox_items')
    .set({ done_at: now() })
    .where('company_id', '=', companyId)
    .where('kind', '=', kind)
    .where('group_key', '=', key)
    .where('done_at', 'is', null)
    .execute();
  await raiseAttention([companyId]);
}

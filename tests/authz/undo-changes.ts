import { db } from '#platform/database/database.server.ts';
import { KEYS } from './features.ts';
import type { difference } from './requests.ts';

/** Gives a row of this table its earlier values. */
async function restoreRow(table: string, key: string, values: Record<string, string>): Promise<void> {
  await db()
    .updateTable(table as 'tasks')
    .set(values as never)
    .where(key as 'task_id', '=', values[key] ?? '')
    .execute();
}

const PARTS = {
  notifications: ['notification_id'],
  notification_targets: ['notification_id', 'target'],
} as const;

/** The same for what people were told, of which a part is no longer so. What is new stays: it says nothing about others. */
async function restoreNotified(table: keyof typeof PARTS, values: Record<string, string>): Promise<void> {
  let row = db()
    .updateTable(table)
    .set(values as never);
  for (const part of PARTS[table]) row = row.where(part as never, '=', (values[part] ?? '') as never);
  await row.execute();
}

/** Undoes a call that deleted, restored, purged or locked documents or containers, including its receipts. */
export async function undoChanges(changes: ReturnType<typeof difference>): Promise<void> {
  // what came first: a changed row came and went
  for (const { table, row, came } of changes.toSorted((a, b) => Number(b.came) - Number(a.came))) {
    const { seq: _, ...values } = JSON.parse(row) as {
      seq?: number;
      document_id: string;
      container_id?: string;
      company_id: string;
      number?: number;
      item_id?: string;
      change_id?: string;
    };
    if (came && table === 'inbox_items')
      await db()
        .deleteFrom('inbox_items')
        .where('item_id', '=', values.item_id ?? '')
        .execute();
    if (came && table === 'item_locks')
      await db()
        .deleteFrom('item_locks')
        .where('item_id', '=', values.item_id ?? '')
        .execute();
    if (came && table === 'receipts')
      await db()
        .deleteFrom('receipts')
        .where('company_id', '=', values.company_id)
        .where('number', '=', values.number ?? 0)
        .execute();
    if (came && table === 'employee_changes')
      await db()
        .deleteFrom('employee_changes')
        .where('change_id', '=', values.change_id ?? '')
        .execute();
    if (came) continue;
    const key = (KEYS as Record<string, string>)[table];
    if (table === 'documents')
      await db().updateTable('documents').set(values).where('document_id', '=', values.document_id).execute();
    else if (key !== undefined) await restoreRow(table, key, values as never);
    else if (table === 'notifications' || table === 'notification_targets')
      await restoreNotified(table, values as never);
    else if (table === 'containers')
      await db()
        .updateTable('containers')
        .set(values as never)
        .where('container_id', '=', values.container_id ?? '')
        .execute();
    else
      await db()
        .insertInto(table as 'blobs')
        .values(values as never)
        .execute();
  }
}

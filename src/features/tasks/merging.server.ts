import { db } from '#platform/database.server.ts';

/** Tasks follow a client that is merged into another one of the firm. */
export async function moveTasksOfClient({ from, into }: { from: string; into: string }): Promise<void> {
  for (const table of ['task_groups', 'tasks'] as const)
    await db().updateTable(table).set({ client_id: into }).where('client_id', '=', from).execute();
}

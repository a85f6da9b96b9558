import { db } from '#platform/database.server.ts';

/** Requests follow a client that is merged into another one of the firm. */
export async function moveRequestsOfClient({ from, into }: { from: string; into: string }): Promise<void> {
  await db().updateTable('sign_documents').set({ client_id: into }).where('client_id', '=', from).execute();
}

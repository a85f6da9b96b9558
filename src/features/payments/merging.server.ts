import { db } from '#platform/database.server.ts';

/** Payments follow a client that is merged into another one of the firm. */
export async function movePaymentsOfClient({ from, into }: { from: string; into: string }): Promise<void> {
  await db().updateTable('payment_requests').set({ client_id: into }).where('client_id', '=', from).execute();
}

import { sql } from 'kysely';
import { db } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import type { StoredMessage } from './messages.server.ts';

/** The tables of messages, whatever these are about. */
type MessageTable = {
  [Name in keyof Tables]: Tables[Name] extends Omit<StoredMessage, 'full_name'> ? Name : never;
}[keyof Tables];

/** Checks that exactly the withdrawn messages have no text, and that internal notes are by staff; a sentence for each fault. */
export async function verifyMessages(table: MessageTable): Promise<string[]> {
  const { rows } = await sql<{ message_id: string }>`select message_id from ${sql.table(table)}
    where (body is null) <> (withdrawn_at is not null) or (is_internal = 1 and by_staff = 0)`.execute(db());
  return rows.map(
    ({ message_id: id }) =>
      `The message ${id} has a text although it is withdrawn, or none, or the wrong side.`,
  );
}

import { sql } from 'kysely';
import { db } from '#platform/database/database.server.ts';

/** The count of comments that triggers maintain, compared with the comments; a sentence for each fault. */
export async function verifyComments(): Promise<string[]> {
  const { rows } = await sql<{ document_id: string }>`
    select document_id from documents where comments_count <>
      (select count(*) from comments where comments.document_id = documents.document_id)`.execute(db());
  return rows.map((row) => `${row.document_id} has a wrong comment count`);
}

import { db } from '#platform/database/database.server.ts';

/** Checks that exactly the withdrawn messages have no text, and that internal notes are by staff; a sentence for each fault. */
export async function verifyClientMessages(): Promise<string[]> {
  const rows = await db()
    .selectFrom('client_messages')
    .select('message_id')
    .where((e) =>
      e.or([
        e.and([e('body', 'is', null), e('withdrawn_at', 'is', null)]),
        e.and([e('body', 'is not', null), e('withdrawn_at', 'is not', null)]),
        e.and([e('is_internal', '=', 1), e('by_staff', '=', 0)]),
      ]),
    )
    .execute();
  return rows.map(
    ({ message_id: id }) =>
      `The message ${id} has a text although it is withdrawn, or none, or the wrong side.`,
  );
}

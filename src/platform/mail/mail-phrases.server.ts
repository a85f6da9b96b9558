import { now } from '../runtime/clock.server.ts';
import { db } from '../database/database.server.ts';
import { decryptFrom, encryptFor } from '../security/encryption.server.ts';

/** The phrase that a person chose, by which they recognize emails of the portal; undefined without one. */
export async function loadPhrase(contactId: string | undefined): Promise<string | undefined> {
  if (contactId === undefined) return undefined;
  const row = await db()
    .selectFrom('contact_phrases')
    .select('phrase')
    .where('contact_id', '=', contactId)
    .executeTakeFirst();
  return row && decryptFrom('contact_phrases.phrase', contactId, row.phrase);
}

/** Stores a phrase; an empty one removes it. */
export async function storePhrase(contactId: string, phrase: string): Promise<void> {
  await db().deleteFrom('contact_phrases').where('contact_id', '=', contactId).execute();
  if (phrase === '') return;
  await db()
    .insertInto('contact_phrases')
    .values({
      contact_id: contactId,
      phrase: encryptFor('contact_phrases.phrase', contactId, phrase),
      changed_at: now(),
    })
    .execute();
}

import { randomInt } from 'node:crypto';
import type { Session } from '#features/base/people/people.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import type { Draft, DraftStore, Values } from '#platform/forms/forms.server.ts';

/*
 * Drafts: what somebody typed into a form and did not submit. One for each person, form and subject, encrypted, beside
 * the forms that are kept after the end of a session (saved-forms.server.ts).
 */

const LIFETIME = 30 * DAY;
const MAX_BYTES = 64 * 1024;

/**
 * The draft of a form for the person of this session. `subject` is what the form is about, such as the id of a
 * document. While staff view the portal as a contact, there is none: it would show them what the contact typed.
 */
export function draftOf(session: Session, formId: string, subject: string): DraftStore | undefined {
  if (session.viewing) return undefined;
  const { contactId } = session.actor;
  const key = `draft:${sha256(JSON.stringify([contactId, formId, subject]))}`;
  const row = async () =>
    db()
      .selectFrom('kept_forms')
      .select('fields')
      .where('form_hash', '=', key)
      .where('expires_at', '>', now())
      .executeTakeFirst();
  const open = (fields: string): Draft => JSON.parse(decryptFrom('kept_forms.fields', key, fields)) as Draft;
  const discard = async (): Promise<void> =>
    void (await db().deleteFrom('kept_forms').where('form_hash', '=', key).execute());

  async function save(values: Values, version: number): Promise<number | undefined> {
    const stored = await row();
    const current = stored && open(stored.fields);
    if ((current?.version ?? 0) !== version) return undefined;
    const next = randomInt(1, 2 ** 47); // never one that a discarded draft had
    const packed = JSON.stringify({ values, version: next } satisfies Draft);
    if (Buffer.byteLength(packed) > MAX_BYTES) return version; // too large to keep; what is kept stays
    const fields = encryptFor('kept_forms.fields', key, packed);
    const expires_at = now() + LIFETIME;
    if (!stored) await discard(); // an expired one
    const result = stored
      ? await db()
          .updateTable('kept_forms')
          .set({ fields, expires_at })
          .where('form_hash', '=', key)
          .where('fields', '=', stored.fields) // nobody saved meanwhile
          .executeTakeFirst()
          .then(({ numUpdatedRows }) => numUpdatedRows)
      : await db()
          .insertInto('kept_forms')
          .values({ form_hash: key, contact_id: contactId, path: formId, fields, expires_at })
          .onConflict((conflict) => conflict.column('form_hash').doNothing())
          .executeTakeFirst()
          .then(({ numInsertedOrUpdatedRows }) => numInsertedOrUpdatedRows);
    return result === 1n ? next : undefined;
  }

  return {
    load: async () => {
      const stored = await row();
      return stored && open(stored.fields);
    },
    save,
    discard,
  };
}

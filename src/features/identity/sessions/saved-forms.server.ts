import type { Actor } from '#features/base/people/people.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { encryptFor, decryptFrom } from '#platform/security/encryption.server.ts';

/*
 * Forms submitted after the session had ended, or from a tab of another account of the person, are saved so
 * that nothing is lost (threat-model.md 4.1): for their owner, in the browser that sent them, encrypted, for
 * an hour.
 */

const KEPT = HOUR;
const MAX_BYTES = 64 * 1024;

/**
 * Saves the text fields of a form for the owner of the ended session of this cookie; returns the cookie
 * value, or undefined if the owner is unknown or the form is too large. Passwords, tokens and files are never
 * saved.
 */
export async function saveForm(
  sessionToken: string | undefined,
  path: string,
  form: FormData,
): Promise<string | undefined> {
  const ended = sessionToken
    ? await db()
        .selectFrom('ended_sessions')
        .select('contact_id')
        .where('session_hash', '=', sha256(sessionToken))
        .executeTakeFirst()
    : undefined;
  return ended && saveFormFor(ended.contact_id, path, form);
}

/** Does the same for a known contact. */
export async function saveFormFor(
  contactId: string,
  path: string,
  form: FormData,
): Promise<string | undefined> {
  const fields = [...form].flatMap(([name, value]) =>
    typeof value === 'string' && value.trim() !== '' && !/passw|secret|token|code|pin$/i.test(name)
      ? [[name, value] as const]
      : [],
  );
  const packed = JSON.stringify(fields);
  if (fields.length === 0 || Buffer.byteLength(packed) > MAX_BYTES) return undefined;
  const token = newToken();
  const hash = sha256(token);
  await db()
    .insertInto('kept_forms')
    .values({
      form_hash: hash,
      contact_id: contactId,
      path,
      fields: encryptFor('kept_forms.fields', hash, packed),
      expires_at: now() + KEPT,
    })
    .execute();
  return token;
}

/** Returns the saved form of this person within its hour; undefined for anybody else. */
export async function savedForm(
  actor: Actor,
  token: string | undefined,
): Promise<{ path: string; fields: (readonly [name: string, value: string])[] } | undefined> {
  if (!token) return undefined;
  const hash = sha256(token);
  const row = await db()
    .selectFrom('kept_forms')
    .select(['contact_id', 'path', 'fields'])
    .where('form_hash', '=', hash)
    .where('expires_at', '>', now())
    .executeTakeFirst();
  if (row?.contact_id !== actor.contactId) return undefined;
  return {
    path: row.path,
    fields: JSON.parse(decryptFrom('kept_forms.fields', hash, row.fields)) as [string, string][],
  };
}

export async function sweepSavedForms(): Promise<void> {
  await db().deleteFrom('kept_forms').where('expires_at', '<=', now()).execute();
}

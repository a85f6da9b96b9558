import { emailAddressOrText } from '#platform/inputs/email-address.ts';
import { db, fold } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';

/** The user of an address, as typed or in its plain form: people paste `Ana <ana@firm.example>` to sign in, too. */
export async function userByEmail(email: string) {
  const typed = await blindIndex(fold(email));
  const plain = await blindIndex(fold(emailAddressOrText(email)));
  const users = await db()
    .selectFrom('users')
    .select(['prism_guid', 'password_hash', 'email_key'])
    .where('email_key', 'in', [typed, plain])
    .execute();
  return users.find((user) => user.email_key === typed) ?? users[0];
}

export async function userByGuid(prismGuid: string) {
  const row = await db()
    .selectFrom('users')
    .select(['prism_guid', 'email', 'first_name', 'last_name', 'language'])
    .where('prism_guid', '=', prismGuid)
    .executeTakeFirst();
  return row && { ...row, email: decryptFrom('users.email', prismGuid, row.email) };
}

export async function passwordOf(prismGuid: string): Promise<string | null> {
  return (
    (
      await db()
        .selectFrom('users')
        .select('password_hash')
        .where('prism_guid', '=', prismGuid)
        .executeTakeFirst()
    )?.password_hash ?? null
  );
}

import { db, fold } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { blindIndex } from '#platform/settings.server.ts';

export async function userByEmail(email: string) {
  return db()
    .selectFrom('users')
    .select(['prism_guid', 'password_hash'])
    .where('email_key', '=', await blindIndex(fold(email)))
    .executeTakeFirst();
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

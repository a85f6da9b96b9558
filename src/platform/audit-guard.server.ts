import { sql, type Kysely } from 'kysely';

/** Makes the database itself refuse to change or remove a row of a table: whoever finds a way past the program still leaves a trace. */
export async function insertOnly(db: Kysely<never>, table: 'audit', postgres: boolean): Promise<void> {
  if (!postgres) {
    await sql`create trigger audit_is_not_changed before update on ${sql.table(table)} begin select raise(abort, 'the audit trail is insert-only'); end`.execute(db);
    await sql`create trigger audit_is_not_removed before delete on ${sql.table(table)} begin select raise(abort, 'the audit trail is insert-only'); end`.execute(db);
    // SQLite asks no trigger about the row that an `insert or replace` removes.
    await sql`create trigger audit_is_not_replaced before insert on ${sql.table(table)} when exists (select 1 from ${sql.table(table)} where company_id = new.company_id and seq = new.seq)
      begin select raise(abort, 'the audit trail is insert-only'); end`.execute(db);
    return;
  }
  await sql`create function refuse_change() returns trigger language plpgsql as 'begin raise exception ''the audit trail is insert-only''; end'`.execute(db);
  await sql`create trigger audit_is_insert_only before update or delete or truncate on ${sql.table(table)} for each statement execute function refuse_change()`.execute(db);
}

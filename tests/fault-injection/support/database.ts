import { DatabaseSync } from 'node:sqlite';

/** The rows of a query on the database file of a portal. */
export function rowsIn(file: string, query: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare(query).all();
  database.close();
  return rows;
}

/** Ends the leases of the interrupted jobs of a kind, which would otherwise last two minutes. */
export function releaseJobs(file: string, kind: string): void {
  const database = new DatabaseSync(file);
  database.exec(`update jobs set run_at = 0 where kind = '${kind}' and done_at is null`);
  database.close();
}

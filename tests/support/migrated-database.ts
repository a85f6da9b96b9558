import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { ownPart } from './services.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The database on PostgreSQL that those of the test files are copies of, and its key file. */
    template?: { database: string; keyFile: string };
  }
}

/**
 * Global setup on PostgreSQL: migrates one database, which every test file copies, since to migrate an empty
 * one took more time than most files.
 */
export default async function makeTemplate(project: TestProject): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-template-'));
  const { DATABASE_URL: url } = await ownPart(folder);
  if (url === undefined) return;
  const keyFile = path.join(folder, 'data.key');
  Object.assign(process.env, { DATA_DIR: path.join(folder, 'data'), KEY_FILE: keyFile });
  const { migrateSchema } = await import('#platform/database/database.server.ts');
  const { openPostgres } = await import('#platform/database/postgres.server.ts');
  const database = openPostgres(url);
  await migrateSchema(database, true);
  await database.destroy();
  for (const name of ['DATA_DIR', 'KEY_FILE']) delete process.env[name];
  project.provide('template', { database: new URL(url).pathname.slice(1), keyFile });
}

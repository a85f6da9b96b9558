import { copyFileSync, existsSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect, inject, vi } from 'vitest';
import { ENGINE_FREE } from './database-free.ts';
import { ownPart } from './services.ts';

/* removes the modules of the previous file in this process */
vi.resetModules();
const found = globalThis as { environment?: NodeJS.ProcessEnv };
found.environment ??= { ...process.env };
for (const name of Object.keys(process.env))
  if (!Object.hasOwn(found.environment, name)) delete process.env[name];
Object.assign(process.env, found.environment);

/*
 * Every test file gets its own portal: an empty data folder, a fixed origin, no log output, and a database
 * and bucket prefix if TEST_DATABASE_URL and TEST_S3_URL name services (scripts/services.mjs). Set before any
 * server module is imported, since the configuration is read once.
 */
const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-test-'));
Object.assign(process.env, {
  DATA_DIR: path.join(folder, 'data'),
  PORT: '4999',
  LOG_LEVEL: 'silent',
  MAIL_FROM: 'portal@firm.example',
});
for (const name of ['DEMO', 'DATABASE_URL', 'BLOB_URL']) delete process.env[name];

const template = inject('template');
Object.assign(process.env, await ownPart(folder, template?.database));
if (template) copyFileSync(template.keyFile, path.join(folder, 'data.key'));

afterAll(() => {
  const file = path.relative(process.cwd(), expect.getState().testPath ?? '');
  const opened = existsSync(path.join(folder, 'data', 'portal.db'));
  if (opened && ENGINE_FREE.includes(file))
    throw new Error(
      `${file} opens the database: take it off the list in tests/support/database-free.ts, so that it runs on PostgreSQL too.`,
    );
});

beforeEach(() => {
  vi.spyOn(console, 'error');
});

afterEach(() => {
  expect(vi.mocked(console.error).mock.calls, 'nothing was written to console.error').toEqual([]);
  vi.restoreAllMocks();
});

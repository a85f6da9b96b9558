import { existsSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect, vi } from 'vitest';
import { ENGINE_FREE } from './engine-free.ts';
import { ownPart } from './services.ts';

/* What the file before it in this process left behind is not there any more. */
vi.resetModules();
const found = globalThis as { environment?: NodeJS.ProcessEnv };
found.environment ??= { ...process.env };
for (const name of Object.keys(process.env)) if (!Object.hasOwn(found.environment, name)) delete process.env[name];
Object.assign(process.env, found.environment);

/*
 * Every test file has a portal of its own: an empty data folder, a fixed address, no log, and where TEST_DATABASE_URL and TEST_S3_URL
 * name the services (scripts/services.mjs) a database and a part of the bucket of its own. It is set before any server module is
 * imported, since the configuration is read once.
 */
const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-test-'));
Object.assign(process.env, { DATA_DIR: path.join(folder, 'data'), PORT: '4999', LOG_LEVEL: 'silent', MAIL_FROM: 'portal@firm.example' });
for (const name of ['DEMO', 'DATABASE_URL', 'BLOB_URL']) delete process.env[name];

Object.assign(process.env, await ownPart(folder));

afterAll(() => {
  const file = path.relative(process.cwd(), expect.getState().testPath ?? '');
  const opened = existsSync(path.join(folder, 'data', 'portal.db'));
  if (opened && ENGINE_FREE.includes(file)) throw new Error(`${file} opens the database: take it off the list in tests/kit/engine-free.ts, so that it runs on PostgreSQL too.`);
});

beforeEach(() => {
  vi.spyOn(console, 'error');
});

afterEach(() => {
  expect(vi.mocked(console.error).mock.calls, 'nothing was written to console.error').toEqual([]);
  vi.restoreAllMocks();
});

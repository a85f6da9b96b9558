import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, vi } from 'vitest';

/*
 * Every test file has a portal of its own: an empty data folder, a fixed address, no log, and where TEST_DATABASE_URL and TEST_S3_URL
 * name the services (scripts/services.mjs) a database and a part of the bucket of its own. It is set before any server module is
 * imported, since the configuration is read once.
 */
const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-test-'));
Object.assign(process.env, { DATA_DIR: path.join(folder, 'data'), PORT: '4999', LOG_LEVEL: 'silent', MAIL_FROM: 'portal@firm.example' });
for (const name of ['DEMO', 'DATABASE_URL', 'BLOB_URL']) delete process.env[name];

const { TEST_DATABASE_URL: administrator, TEST_S3_URL: bucket } = process.env;
if (administrator) process.env['DATABASE_URL'] = await freshDatabase(administrator);
if (bucket) process.env['BLOB_URL'] = freshPrefix(bucket);

/** Makes an empty database and answers its URL. */
async function freshDatabase(url: string): Promise<string> {
  const own = new URL(url);
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${name} template template0`);
  await client.end();
  own.pathname = name;
  return own.href;
}

/** An unused part of the bucket. */
function freshPrefix(url: string): string {
  const own = new URL(url);
  own.pathname += `/${randomUUID()}`;
  return own.href;
}

beforeEach(() => {
  vi.spyOn(console, 'error');
});

afterEach(() => {
  expect(vi.mocked(console.error).mock.calls, 'nothing was written to console.error').toEqual([]);
  vi.restoreAllMocks();
});

import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, vi } from 'vitest';

/*
 * Every test file has a portal of its own: an empty data folder, a fixed address, no log. It is set before any server module is
 * imported, since the configuration is read once.
 */
const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-test-'));
Object.assign(process.env, { DATA_DIR: path.join(folder, 'data'), PORT: '4999', LOG_LEVEL: 'silent', MAIL_FROM: 'portal@firm.example' });
delete process.env['DEMO'];

beforeEach(() => {
  vi.spyOn(console, 'error');
});

afterEach(() => {
  expect(vi.mocked(console.error).mock.calls, 'nothing was written to console.error').toEqual([]);
  vi.restoreAllMocks();
});

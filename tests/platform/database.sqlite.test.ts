import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { SECOND } from '#platform/clock.server.ts';
import { config } from '#platform/config.server.ts';
import { db, inTransaction, migrate } from '#platform/database.server.ts';
import { apiAs } from '../kit/api.ts';
import { makeCast } from '../kit/cast.ts';

beforeAll(migrate);

/** Another process that holds the write lock for so long. Answers when it has it; `ended` when it has let go. */
async function lockedFor(milliseconds: number): Promise<{ ended: Promise<unknown> }> {
  const script = `
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(process.env.FILE);
    database.exec('pragma busy_timeout=5000; begin immediate');
    process.stdout.write('held');
    setTimeout(() => database.exec('rollback'), ${milliseconds});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, FILE: path.join(config.dataDir, 'portal.db') } });
  await once(child.stdout, 'data');
  return { ended: once(child, 'exit') };
}
const set = (name: string) => db().insertInto('settings').values({ name, value: 'x' }).execute();
const names = async () => (await db().selectFrom('settings').select('name').execute()).map(({ name }) => name);

test('a lock that another process holds for a second is waited for', async () => {
  const { ended } = await lockedFor(SECOND);
  await inTransaction(() => set('waited'));
  expect(await names()).toContain('waited');
  await ended;
});

test('a lock that lasts is answered with 503 and when to come back, and nothing of the request has happened', { timeout: 30_000 }, async () => {
  const { ada, projectA } = await makeCast();
  const { ended } = await lockedFor(8 * SECOND);
  const began = performance.now();
  const answer = await apiAs(ada)('POST', '/api/storage/v1/folders', { json: { parentType: 'Project', parentId: projectA.id, name: 'Locked out' } });
  expect(performance.now() - began).toBeLessThan(5.5 * SECOND);
  expect(answer.status).toBe(503);
  expect(answer.headers.get('Retry-After')).toBe('1');
  expect(await answer.json()).toMatchObject({ errors: [{ code: 'UNAVAILABLE' }] });
  await ended;
  expect((await db().selectFrom('containers').select('name').execute()).map(({ name }) => name)).not.toContain('Locked out');
  await set('afterwards');
  expect(await names()).toContain('afterwards');
});

import { afterAll, beforeEach, expect, test } from 'vitest';
import { GRACE } from '../support/whole.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';

/*
 * The connection to PostgreSQL breaks while a transaction is committed: before the server has got the commit, or before
 * its answer arrives. The database is reached through a proxy, so modules are imported when its address is known.
 */
const proxy = await startPostgresProxy(String(process.env['DATABASE_URL']));
process.env['DATABASE_URL'] = proxy.url;
const { closeDatabase, db, inTransaction } = await import('#platform/database/database.server.ts');

const statements: string[] = [];
function passAll(): void {
  proxy.decide = (statement) => (statements.push(statement), 'pass');
}
beforeEach(() => {
  statements.length = 0;
  passAll();
});
afterAll(async () => {
  await closeDatabase();
  await proxy.close();
});

const set = (name: string) => db().insertInto('settings').values({ name, value: 'x' }).execute();
const has = async (name: string) =>
  (await db().selectFrom('settings').select('name').where('name', '=', name).executeTakeFirst()) !==
  undefined;

/** Lets the first statement that matches meet its fate, and all others pass. */
function atFirst(pattern: RegExp, fate: 'cut before' | 'cut after' | 'hold'): void {
  let isOver = false;
  proxy.decide = (statement) => {
    if (isOver || !pattern.test(statement)) return 'pass';
    isOver = true;
    return fate;
  };
}

/** Sets a name in a transaction, and counts how often that ran. */
async function setOnce(name: string): Promise<number> {
  let runs = 0;
  await inTransaction(async () => {
    runs += 1;
    await set(name);
  });
  return runs;
}

test('a transaction whose commit was carried out but not answered succeeds and never runs again', async () => {
  for (let round = 0; round < 4; round += 1) {
    atFirst(/commit$/, 'cut after');
    expect(await setOnce(`answer lost ${round}`)).toBe(1);
    expect(await has(`answer lost ${round}`)).toBe(true);
  }
});

test('a transaction whose commit never arrived runs again and is done once', async () => {
  atFirst(/commit$/, 'cut before');
  expect(await setOnce('commit lost')).toBe(2);
  expect(await has('commit lost')).toBe(true);
});

test('a transaction whose connection breaks before its commit runs again, whatever its rollback meets', async () => {
  atFirst(/^insert into "settings"/, 'cut after');
  expect(await setOnce('statement lost')).toBe(2);
  expect(await has('statement lost')).toBe(true);
});

test('a transaction whose outcome cannot be learned is not reported as one that may be tried again', async () => {
  let isLost = false;
  proxy.decide = (statement) => {
    if (isLost) return 'cut before';
    isLost = /commit$/.test(statement);
    return isLost ? 'cut after' : 'pass';
  };
  const failed = await setOnce('unknown').catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'UNAVAILABLE', details: { outcome: 'unknown' } });
  proxy.decide = () => 'pass';
  expect(await has('unknown')).toBe(true);
});

test('a write outside a transaction whose answer is lost is not reported as one that may be tried again', async () => {
  atFirst(/^insert into "settings"/, 'cut after');
  await expect(set('single')).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    details: { outcome: 'unknown' },
  });
  expect(await has('single')).toBe(true);
});

test('a transaction that only reads runs again when its commit is lost', async () => {
  atFirst(/^commit$/, 'cut after');
  expect(await inTransaction(() => has('single'))).toBe(true);
});

test('when the database goes silent without a word, everything in flight ends in time, and what is new works at once', async () => {
  const began = performance.now();
  const gate = Promise.withResolvers<void>();
  const writes = Array.from({ length: 4 }, (_, number) =>
    inTransaction(async () => {
      await set(`silent ${number}`);
      await gate.promise;
      await set(`silent as well ${number}`);
    }).then(
      () => 'done',
      (error: unknown) => error,
    ),
  );
  await expect
    .poll(() => statements.filter((text) => text.startsWith('insert into "settings"')).length)
    .toBe(4);
  proxy.holdAll();
  gate.resolve();
  const reads = Array.from({ length: 3 }, () => has('single'));
  await set('meanwhile');
  expect(performance.now() - began).toBeLessThan(5000 + GRACE);
  expect(await Promise.all(reads)).toEqual([true, true, true]);
  for (const [number, outcome] of (await Promise.all(writes)).entries()) {
    const isDone = await has(`silent as well ${number}`);
    if (outcome === 'done') expect(isDone).toBe(true);
    else {
      expect(outcome).toMatchObject({ code: 'UNAVAILABLE', details: { retryAfter: 1 } });
      expect([isDone, await has(`silent ${number}`)]).toEqual([false, false]);
    }
  }
  expect(performance.now() - began).toBeLessThan(25_000 + GRACE);
});

test('a commit that gets no answer is decided: it has no effect any more, and may be tried again', async () => {
  atFirst(/commit$/, 'hold');
  await expect(setOnce('held')).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { retryAfter: 1 } });
  expect(await has('held')).toBe(false);
});

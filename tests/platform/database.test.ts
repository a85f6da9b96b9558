import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { config } from '#platform/runtime/config.server.ts';
import {
  db,
  fold,
  inTransaction,
  isUniqueViolation,
  migrate,
  outsideTransaction,
  ping,
} from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';

beforeAll(migrate);

const set = (name: string, value: string) => db().insertInto('settings').values({ name, value }).execute();
const get = async (name: string): Promise<string | undefined> =>
  (await db().selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst())?.value;
const tables = () => db().introspection.getTables();

test('a transaction sees its own changes', async () => {
  const seen = await inTransaction(async () => {
    await set('own', 'written');
    return get('own');
  });
  expect(seen).toBe('written');
  expect(await get('own')).toBe('written');
});

test('a failing transaction has no effect', async () => {
  const failing = inTransaction(async () => {
    await set('half', 'written');
    expect(await get('half')).toBe('written');
    throw new Error('the second half failed');
  });
  await expect(failing).rejects.toThrow('the second half failed');
  expect(await get('half')).toBeUndefined();
});

test('a nested transaction succeeds or fails with the outer one', async () => {
  const failing = inTransaction(async () => {
    await set('outer', '1');
    await inTransaction(async () => {
      await set('inner', '1');
      expect(await get('outer')).toBe('1');
    });
    expect(await get('inner')).toBe('1');
    throw new Error('at the end');
  });
  await expect(failing).rejects.toThrow('at the end');
  expect([await get('outer'), await get('inner')]).toEqual([undefined, undefined]);
  await inTransaction(() => inTransaction(() => set('inner', '2')));
  expect(await get('inner')).toBe('2');
});

test('concurrent transactions are isolated', async () => {
  await set('counter', '0');
  const addOne = () =>
    inTransaction(async () => {
      const value = Number(await get('counter'));
      await db()
        .updateTable('settings')
        .set({ value: String(value + 1) })
        .where('name', '=', 'counter')
        .execute();
    });
  await Promise.all(Array.from({ length: 20 }, addOne));
  expect(await get('counter')).toBe('20');
});

test('work that continues after a call is not part of its transaction', async () => {
  let later: Promise<string | undefined> | undefined;
  const failing = inTransaction(async () => {
    await set('later', 'x');
    later = outsideTransaction(() => get('later'));
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  expect(await later).toBeUndefined();
});

test('a unique violation is distinguished from other errors', async () => {
  await set('taken', '1');
  const reason = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(isUniqueViolation(await reason(set('taken', '2')))).toBe(true);
  const job = {
    kind: 'x',
    payload: '{}',
    unique_key: 'one',
    run_at: 0,
    attempts: 0,
    last_error: null,
    created_at: 0,
    done_at: null,
  };
  await db()
    .insertInto('jobs')
    .values({ ...job, job_id: 'job_1' })
    .execute();
  expect(
    isUniqueViolation(
      await reason(
        db()
          .insertInto('jobs')
          .values({ ...job, job_id: 'job_2' })
          .execute(),
      ),
    ),
  ).toBe(true);
  const noFirm = db().insertInto('themes').values({
    company_id: 'nobody',
    header_fill_color: '',
    header_text_color: '',
    button_fill_color: '',
    button_text_color: '',
    header_line1: '',
    login_page_text: '',
    logo_key: null,
    logo_type: null,
    version: '1',
  });
  const foreign = await reason(noFirm.execute());
  expect(foreign).toBeInstanceOf(Error);
  expect(isUniqueViolation(foreign)).toBe(false);
  for (const other of [new Error('UNIQUE constraint failed'), undefined, null, 'x', 2067, { code: '23503' }])
    expect(isUniqueViolation(other)).toBe(false);
  expect(isUniqueViolation({ code: '23505' })).toBe(true);
});

test('migrating twice, or twice concurrently, changes nothing', async () => {
  await set('kept', 'x');
  const before = await tables();
  await migrate();
  await Promise.all([migrate(), migrate()]);
  expect(await tables()).toEqual(before);
  expect(await get('kept')).toBe('x');
});

test('the database responds to a ping', async () => {
  await expect(ping()).resolves.toBeUndefined();
});

test('text is stored unchanged', async () => {
  for (const [index, text] of [
    '',
    "Robert'); DROP TABLE documents;--",
    'Balanço',
    'Balanc\u0327o',
    '👩‍💼',
    '\u202e',
    '%_\\',
  ].entries()) {
    await set(`text ${index}`, text);
    expect(await get(`text ${index}`)).toBe(text);
  }
});

test('a text with a NUL is stored unchanged, or refused as invalid input by an engine that cannot store it', async () => {
  const stored = await set('nul', 'a\0b').then(
    () => get('nul'),
    (error: unknown) => refusal(error)?.code,
  );
  expect(stored).toBe(config.databaseUrl === undefined ? 'a\0b' : 'INVALID');
  if (config.databaseUrl !== undefined) expect(await get('nul')).toBeUndefined();
});

test('a value that a database cannot store is refused with an error message', async () => {
  await expect(set('wrong', true as unknown as string)).rejects.toThrow(
    'A boolean cannot be stored: use text, a number or null.',
  );
});

test.each([
  ['STATEMENT.PDF', 'statement.pdf'],
  ['Declarac\u0327a\u0303o.pdf', 'declaração.pdf'],
  ['ｆｕｌｌ.pdf', 'full.pdf'],
  ['ﬁnal.pdf', 'final.pdf'],
  ['2ª via.pdf', '2a via.pdf'],
  ['ÉTÉ', 'été'],
])('%s and %s are the same name', (a, b) => {
  expect(fold(a)).toBe(fold(b));
});

test.each([
  ['a.pdf', 'b.pdf'],
  ['ano.pdf', 'año.pdf'],
  ['a b.pdf', 'ab.pdf'],
])('%s and %s are different names', (a, b) => {
  expect(fold(a)).not.toBe(fold(b));
});

test('folding a folded name does not change it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (name) => {
      expect(fold(fold(name))).toBe(fold(name));
    }),
    { numRuns: 2000 },
  );
});

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

/** The output of a process that runs `code` with the log module, line by line. */
async function written(code: string, level = 'debug'): Promise<Record<string, unknown>[]> {
  const script = `import { withRequestId, log, redirectConsoleToLog } from '#platform/monitoring/log.server.ts';\n${code}`;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', script],
    { env: { ...process.env, LOG_LEVEL: level } },
  );
  expect(stderr).toBe('');
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('log lines', () => {
  test('a log line contains only allow-listed fields', async () => {
    const [line] = await written(
      `log.info({ event: 'request', id: 'req_1', method: 'GET', route: '/x', status: 200, ms: 3, name: 'Ada Amber', body: { email: 'ada@one.example' } });`,
    );
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/) as string,
      event: 'request',
      id: 'req_1',
      method: 'GET',
      route: '/x',
      status: 200,
      ms: 3,
    });
  });

  test('a log line has the id of its request, also after awaits, and none in a job', async () => {
    const lines = await written(`
      const work = async (n) => { await new Promise((r) => setImmediate(r)); log.warn({ event: 'late.' + n }); log.warn({ event: 'job.failed', kind: 'mail' }); };
      await Promise.all([1, 2].map((n) => withRequestId('req_' + n, () => work(n))));
      log.warn({ event: 'outside' });`);
    expect(lines.map(({ event, id }) => [event, id])).toEqual([
      ['late.1', 'req_1'],
      ['job.failed', undefined],
      ['late.2', 'req_2'],
      ['job.failed', undefined],
      ['outside', undefined],
    ]);
  });

  test('a log line is one line of printable ASCII, so that it cannot inject terminal sequences or lines', async () => {
    const [line] = await written(
      `log.info({ event: 'a\\n{"level":"fatal"}', method: '\\u001b[31mGET\\u0000\\u007f\\u009b\\u2028\\u202e', route: 'x'.repeat(500) });`,
    );
    expect(line).toMatchObject({
      event: 'a?{"level":"fatal"}',
      method: '?[31mGET?????',
      route: 'x'.repeat(200),
    });
  });

  test('log lines are written from LOG_LEVEL on', async () => {
    const every = `for (const level of ['debug', 'info', 'warn', 'error', 'fatal']) log[level]({ event: level });`;
    expect((await written(every, 'warn')).map(({ level }) => level)).toEqual(['warn', 'error', 'fatal']);
    expect(await written(every, 'silent')).toEqual([]);
  });
});

describe('errors in the log', () => {
  test('a logged error has name, codes and stack frames, without its message', async () => {
    const [line] = await written(`
      import { DatabaseSync } from 'node:sqlite';
      const error = (() => { try { new DatabaseSync(':memory:').exec("select canary"); } catch (error) { return error; } })();
      log.error({ event: 'x', err: error });`);
    expect(line?.['err']).toEqual({ name: 'Error', code: 'ERR_SQLITE_ERROR', errcode: 1 });
  });

  test.each([
    [
      'of PostgreSQL',
      `Object.assign(new Error('duplicate key'), { name: 'DatabaseError', code: '23505', constraint: 'users_email_key', detail: 'Key (email)=(canary@x.example)', where: 'canary' })`,
      { name: 'DatabaseError', code: '23505', constraint: 'users_email_key' },
    ],
    [
      'of a mail server',
      `Object.assign(new Error('550 canary@x.example'), { code: 'EENVELOPE', responseCode: 550, response: '550 canary', rejected: ['canary'], command: 'RCPT TO' })`,
      { name: 'Error', code: 'EENVELOPE', responseCode: 550 },
    ],
    [
      'of the network',
      `Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('connect canary'), { code: 'ECONNREFUSED', syscall: 'connect', address: 'canary' }) })`,
      { name: 'TypeError', cause: { name: 'Error', code: 'ECONNREFUSED', syscall: 'connect' } },
    ],
    [
      'with a value where a code belongs',
      `Object.assign(new Error('x'), { code: 'canary@x.example', name: 'canary of somebody', status: 12345678901, syscall: 'Canary Doe' })`,
      { name: 'Error' },
    ],
    ['that is a text', `'canary'`, { name: 'string' }],
    ['that is nothing', `null`, { name: 'null' }],
    [
      'whose message looks like a place',
      `new Error('x\\n    at canary (' + process.cwd() + '/src/canary.ts:1:1)')`,
      { name: 'Error' },
    ],
    [
      'whose cause is itself',
      `(() => { const error = new Error('canary'); error.cause = error; return error; })()`,
      { name: 'Error' },
    ],
  ])('an error %s is logged without its message', async (_, made, expected) => {
    const [line] = await written(`log.error({ event: 'x', err: ${made} });`);
    expect(line?.['err']).toMatchObject(expected);
    expect(JSON.stringify(line).toLowerCase()).not.toContain('canary');
  });

  test('a logged error has the stack frames of our code', async () => {
    const [line] = await written(
      `import { decrypt } from '#platform/security/crypto.server.ts'; try { decrypt('canary', 'place'); } catch (error) { log.error({ event: 'x', err: error }); }`,
    );
    expect(line?.['err']).toMatchObject({
      at: [expect.stringMatching(/^src\/platform\/security\/crypto\.server\.ts:\d+:\d+$/)],
    });
  });
});

test('console output of libraries and uncaught errors become log lines without their messages', async () => {
  const script = `import { log, redirectConsoleToLog } from '#platform/monitoring/log.server.ts';
    redirectConsoleToLog();
    console.error('canary', new TypeError('canary'));
    console.log('canary');
    setTimeout(() => { throw new RangeError('canary'); });`;
  const ended = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, LOG_LEVEL: 'debug' },
  }).then(
    () => undefined,
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  expect(ended).toMatchObject({ code: 1, stderr: '' });
  const lines =
    ended?.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>) ?? [];
  expect(lines).toMatchObject([
    { level: 'warn', event: 'console', err: { name: 'TypeError' } },
    { level: 'debug', event: 'console' },
    { level: 'fatal', event: 'uncaught', err: { name: 'RangeError' } },
  ]);
  expect(ended?.stdout).not.toContain('canary');
});

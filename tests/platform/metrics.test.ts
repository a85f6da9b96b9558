import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { moveClock, MINUTE, now as clock, SECOND } from '#platform/runtime/clock.server.ts';
import type * as Database from '#platform/database/database.server.ts';
import { db, migrate, ping } from '#platform/database/database.server.ts';
import { enqueue, registerJobHandler, runDueJobs } from '#platform/jobs/jobs.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import type * as Metrics from '#platform/monitoring/metrics.server.ts';
import { recordBackup } from '#platform/runtime/settings.server.ts';
import { VERSION } from '#platform/runtime/version.server.ts';

vi.mock('#platform/database/database.server.ts', async (original) => {
  const real = await original<typeof Database>();
  return { ...real, db: vi.fn(real.db), ping: vi.fn(real.ping) };
});

/** A free port on this machine. */
async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

let metrics: typeof Metrics;
let address: string;

beforeAll(async () => {
  const { config } = await import('#platform/runtime/config.server.ts');
  config.metricsPort = await freePort();
  address = `http://127.0.0.1:${config.metricsPort}`;
  await migrate();
  metrics = await import('#platform/monitoring/metrics.server.ts');
  await metrics.startMetrics();
  return () => metrics.stopMetrics();
});

/** The current metrics: `name{labels}` and value. */
async function figures(): Promise<Record<string, number>> {
  const answer = await fetch(`${address}/metrics`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  );
}

describe('the metrics port', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/metrics/'],
    ['GET', '/metric'],
    ['POST', '/metrics'],
    ['DELETE', '/metrics'],
    ['GET', '/clientcenter/en-us/auth'],
  ])('the metrics port answers %s %s with no content', async (method, path) => {
    const answer = await fetch(address + path, { method });
    expect([answer.status, await answer.text()]).toEqual([404, 'Only GET /metrics is available here.\n']);
  });

  test('the metrics port reports process metrics', async () => {
    const now = await figures();
    expect(now['process_resident_memory_bytes']).toBeGreaterThan(10_000_000);
    expect(now['nodejs_eventloop_lag_seconds']).toBeGreaterThanOrEqual(0);
    expect(Object.keys(now)).toContain('process_start_time_seconds');
    if (process.platform === 'linux') expect(now['process_open_fds']).toBeGreaterThan(3);
  });

  test('the metrics port says which version runs', async () => {
    expect((await figures())[`portal_build_info{version="${VERSION}"}`]).toBe(1);
    expect(VERSION).toMatch(/^\d+\.\d+\.\d+/);
  });

  test('a metrics port in use stops the start with an error that names it', async () => {
    const { port } = new URL(address);
    const script = `import { startMetrics } from '#platform/monitoring/metrics.server.ts'; await startMetrics();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, METRICS_PORT: port },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(output).toBe(
      `METRICS_PORT=${port} with METRICS_HOST=127.0.0.1 cannot be used (EADDRINUSE): choose a free port and an address of this machine.\n`,
    );
  });
});

test('requests are counted by route, method and status class, with duration, bytes and those in flight', async () => {
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const server = http.createServer((request, response) => {
    metrics.measure(request, response, request.url === '/held' ? '/held' : '/files/{id}');
    request.resume().on('end', () => {
      if (request.url === '/held') void held.then(() => response.end());
      else response.writeHead(request.url === '/files/none' ? 404 : 200).end('x'.repeat(70_000));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // all on one connection, whose bytes must not be counted twice
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const call = async (method: string, path: string, body = ''): Promise<void> => {
    const request = http.request(origin + path, { method, agent });
    request.end(body);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    await once(response.resume(), 'end');
  };
  await call('POST', '/files/1', 'y'.repeat(100_000));
  await call('POST', '/files/2', 'y'.repeat(50_000));
  await call('GET', '/files/none');
  await call('PROPFIND', '/files/3');
  const gone = http.request(`${origin}/held`).on('error', () => undefined);
  gone.end();
  await expect.poll(async () => (await figures())['portal_http_requests_in_flight']).toBe(1);
  gone.destroy();
  await expect.poll(async () => (await figures())['portal_http_requests_in_flight']).toBe(0);
  goOn();
  const now = await figures();
  expect(now).toMatchObject({
    'portal_http_requests_total{route="/files/{id}",method="POST",status="2xx"}': 2,
    'portal_http_requests_total{route="/files/{id}",method="GET",status="4xx"}': 1,
    'portal_http_requests_total{route="/files/{id}",method="other",status="2xx"}': 1,
    'portal_http_requests_total{route="/held",method="GET",status="cut"}': 1,
    'portal_http_request_duration_seconds_count{route="/files/{id}",method="POST"}': 2,
    'portal_http_request_duration_seconds_bucket{le="+Inf",route="/files/{id}",method="POST"}': 2,
  });
  const [received = 0, sent = 0] = ['received', 'sent'].map(
    (way) => now[`portal_http_${way}_bytes_total{route="/files/{id}"}`],
  );
  expect(received).toBeGreaterThan(150_000);
  expect(received).toBeLessThan(152_000);
  expect(sent).toBeGreaterThan(280_000);
  expect(sent).toBeLessThan(283_000);
  agent.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('job metrics report pending and overdue jobs and outcomes by kind, and the age of mails', async () => {
  registerJobHandler('unlucky', () => Promise.reject(new Error('again')));
  await enqueue('unlucky', {});
  await runDueJobs(); // due again in five seconds
  await enqueue('mail', { to: 'ada@one.example' }, 'mail:ada@one.example');
  await enqueue('mail', {}, 'mail:2');
  moveClock(3 * MINUTE);
  const now = await figures();
  expect(now).toMatchObject({
    'portal_jobs_waiting{kind="unlucky"}': 1,
    'portal_jobs_waiting{kind="mail"}': 2,
    portal_outbox_waiting: 2,
    portal_database_up: 1,
    'portal_jobs_total{kind="unlucky",outcome="failed"}': 1,
  });
  const close = (figure: number | undefined, to: number): void =>
    expect(Math.abs((figure ?? Number.NaN) - to)).toBeLessThan(3);
  close(now['portal_jobs_overdue_seconds{kind="unlucky"}'], (3 * MINUTE - 5 * SECOND) / SECOND);
  close(now['portal_jobs_overdue_seconds{kind="mail"}'], 180);
  close(now['portal_outbox_oldest_seconds'], 180);

  registerJobHandler('unlucky', () => Promise.resolve());
  registerJobHandler('mail', () => Promise.resolve());
  await runDueJobs();
  const then = await figures();
  expect(Object.keys(then).filter((name) => name.startsWith('portal_jobs_waiting'))).toEqual([]);
  expect(then).toMatchObject({ portal_outbox_waiting: 0, portal_outbox_oldest_seconds: 0 });
});

test('job attempts and warnings are counted from the log, independently of LOG_LEVEL', async () => {
  log.info({ event: 'job.done', kind: 'zip', job: 'job_1' });
  log.warn({ event: 'job.failed', kind: 'zip', job: 'job_2', givenUp: true });
  log.error({ event: 'sweep.failed', err: new Error('ada@one.example') });
  expect(await figures()).toMatchObject({
    'portal_jobs_total{kind="zip",outcome="done"}': 1,
    'portal_jobs_total{kind="zip",outcome="given_up"}': 1,
    'portal_log_events_total{level="error",event="sweep.failed"}': 1,
  });
});

test('metric names follow the conventions of Prometheus, as checked by promtool', async () => {
  const text = await (await fetch(`${address}/metrics`)).text();
  const kinds = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', kind = '']) => ({
    name,
    kind,
  }));
  expect(kinds.length).toBeGreaterThan(30);
  const isCounter = ({ name }: { name: string }): boolean => name.endsWith('_total');
  expect(kinds.filter((each) => isCounter(each) !== (each.kind === 'counter'))).toEqual([]);
  expect(
    kinds.filter(({ name }) => /(_count|_sum|_bucket)$|[A-Z:]|_(ms|kb|mb|millis\w*)(_|$)/.test(name)),
  ).toEqual([]);
  expect(kinds.filter(({ name }) => !text.includes(`# HELP ${name} `))).toEqual([]);
});

test('free disk space, stored bytes and the last backup are reported', async () => {
  const row = { wrapped_key: null, created_at: 1 };
  await db()
    .insertInto('blobs')
    .values([
      { ...row, blob_key: 'a', size: 7 },
      { ...row, blob_key: 'b', size: 4_000_000_000 },
    ])
    .execute();
  moveClock(11 * MINUTE); // the sum is at most ten minutes old
  const { config } = await import('#platform/runtime/config.server.ts');
  mkdirSync(config.dataDir, { recursive: true }); // on PostgreSQL nothing created it
  const now = await figures();
  expect(now).toMatchObject({ portal_stored_bytes: 4_000_000_007, portal_last_backup_timestamp_seconds: 0 });
  expect(now['portal_data_disk_free_bytes']).toBeGreaterThan(1_000_000);
  await db().deleteFrom('blobs').where('blob_key', '=', 'b').execute();
  await recordBackup();
  const then = await figures();
  expect(then['portal_stored_bytes'], 'not counted at each scrape').toBe(4_000_000_007);
  expect(Math.abs((then['portal_last_backup_timestamp_seconds'] ?? 0) - clock() / SECOND)).toBeLessThan(3);
  moveClock(11 * MINUTE);
  expect((await figures())['portal_stored_bytes']).toBe(7);
  config.dataDir = `${config.dataDir}-elsewhere`;
  expect(await figures(), 'a portal that keeps nothing on this disk').not.toHaveProperty(
    'portal_data_disk_free_bytes',
  );
  expect(Object.keys(await figures()).filter((name) => name.includes('metrics.disk'))).toEqual([]);
});

test('virus scans are counted by result', async () => {
  for (const verdict of ['clean', 'clean', 'infected', 'unscanned']) log.info({ event: `scan.${verdict}` });
  expect(await figures()).toMatchObject({
    'portal_scans_total{verdict="clean"}': 2,
    'portal_scans_total{verdict="infected"}': 1,
    'portal_scans_total{verdict="unscanned"}': 1,
  });
});

test('an unresponsive database is reported together with the other metrics', async () => {
  const away = (): never => {
    throw new Error('the database is away');
  };
  vi.mocked(db).mockImplementation(away);
  vi.mocked(ping).mockImplementation(away);
  const now = await figures();
  expect(now['portal_database_up']).toBe(0);
  expect(Object.keys(now).filter((name) => name.startsWith('portal_jobs_waiting'))).toEqual([]);
  expect(now, 'not told as none').not.toHaveProperty('portal_last_backup_timestamp_seconds');
  expect(now).not.toHaveProperty('portal_stored_bytes');
  expect(now['process_resident_memory_bytes']).toBeGreaterThan(0);
});

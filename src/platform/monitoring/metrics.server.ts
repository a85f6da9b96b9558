import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import http from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { MINUTE, now, SECOND } from '../runtime/clock.server.ts';
import { clockDifference } from '../runtime/clock-check.server.ts';
import { config } from '../runtime/config.server.ts';
import { db, ping } from '../database/database.server.ts';
import { log, watchLog } from './log.server.ts';
import { storeIsUp, unknownMigrations } from '../runtime/readiness.server.ts';
import { backupAt } from '../runtime/settings.server.ts';
import { ConfigurationError } from '../runtime/startup.server.ts';
import { VERSION } from '../runtime/version.server.ts';

/*
 * Metrics for Prometheus, on a separate port that is open only with METRICS_PORT. Labels are routes, kinds
 * and events from the code, never ids or personal data. Counters are per process; the database is queried at
 * each scrape.
 */

const registers = [new Registry()];
const register = registers[0] as Registry;

new Gauge({
  name: 'portal_build_info',
  help: 'Always 1; the label is the version of the portal.',
  labelNames: ['version'],
  registers,
}).set({ version: VERSION }, 1);

const requests = new Counter({
  name: 'portal_http_requests_total',
  help: 'Requests by route, method and response status class.',
  labelNames: ['route', 'method', 'status'],
  registers,
});
const durations = new Histogram({
  name: 'portal_http_request_duration_seconds',
  help: 'Time from the request headers to the last byte of the response.',
  labelNames: ['route', 'method'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600],
  registers,
});
const inFlight = new Gauge({
  name: 'portal_http_requests_in_flight',
  help: 'Requests in flight.',
  registers,
});
const received = new Counter({
  name: 'portal_http_received_bytes_total',
  help: 'Bytes received with requests, headers included.',
  labelNames: ['route'],
  registers,
});
const sent = new Counter({
  name: 'portal_http_sent_bytes_total',
  help: 'Bytes sent with responses, headers included.',
  labelNames: ['route'],
  registers,
});
const faults = new Counter({
  name: 'portal_log_events_total',
  help: 'Log lines of level warn or higher, by event.',
  labelNames: ['level', 'event'],
  registers,
});
const databaseUp = new Gauge({
  name: 'portal_database_up',
  help: '1 if the database responded to this scrape within 3 seconds, else 0.',
  registers,
});

const byKind = (name: string, help: string) => new Gauge({ name, help, labelNames: ['kind'], registers });
const waiting = byKind('portal_jobs_waiting', 'Pending jobs.');
const overdue = byKind(
  'portal_jobs_overdue_seconds',
  'How long the oldest due job has been waiting; 0 when there is none.',
);
const outboxWaiting = new Gauge({
  name: 'portal_outbox_waiting',
  help: 'Mails not sent yet.',
  registers,
});
const outboxAge = new Gauge({
  name: 'portal_outbox_oldest_seconds',
  help: 'Age of the oldest mail not sent yet; 0 when there is none.',
  registers,
});
const stored = new Gauge({
  name: 'portal_stored_bytes',
  help: 'Bytes of all stored files, trash included; updated every ten minutes.',
  registers,
});
const backup = new Gauge({
  name: 'portal_last_backup_timestamp_seconds',
  help: 'Unix time of the last verified backup; 0 when there was none.',
  registers,
});
const free = new Gauge({
  name: 'portal_data_disk_free_bytes',
  help: 'Free bytes on the disk of DATA_DIR.',
  registers,
});
new Gauge({
  name: 'portal_clock_difference_seconds',
  help: 'How far the clock of this machine is ahead of the database’s; only with PostgreSQL.',
  registers,
  collect() {
    this.remove();
    const difference = clockDifference();
    if (difference !== undefined) this.set(difference / SECOND);
  },
});
new Gauge({
  name: 'portal_store_up',
  help: '1 if the file store took, returned and removed a file within the last minute, else 0.',
  registers,
  collect() {
    this.set(storeIsUp() ? 1 : 0);
  },
});
new Gauge({
  name: 'portal_schema_newer',
  help: 'Migrations of a newer version in the database, which this one does not know.',
  registers,
  collect() {
    this.set(unknownMigrations().length);
  },
});
const retries = new Counter({
  name: 'portal_transaction_retries_total',
  help: 'Transactions that ran again after a conflict or a lost connection.',
  registers,
});
const ofDatabase = [outboxWaiting, outboxAge, stored, backup];
const jobs = new Counter({
  name: 'portal_jobs_total',
  help: 'Job attempts by outcome: done, failed (will be retried) or given_up.',
  labelNames: ['kind', 'outcome'],
  registers,
});

const signIns = new Counter({
  name: 'portal_sign_ins_refused_total',
  help: 'Failed sign-ins by method and reason: failed (wrong credentials), locked (too many attempts) or refused.',
  labelNames: ['how', 'outcome'],
  registers,
});

const pageLoads = new Histogram({
  name: 'portal_page_load_seconds',
  help: 'Load times of pages in browsers, of the sampled page views, by the class of the device.',
  labelNames: ['route', 'device'],
  buckets: [0.3, 0.6, 0.8, 1.4, 2.5, 5, 10, 20],
  registers,
});
const openStreams = new Gauge({
  name: 'portal_live_streams_open',
  help: 'Pages that are told at once when their counts change.',
  registers,
});
const pageErrors = new Counter({
  name: 'portal_page_errors_total',
  help: 'Uncaught errors of the scripts of pages, as browsers report them.',
  labelNames: ['route'],
  registers,
});
new Gauge({
  name: 'portal_page_load_sample_percent',
  help: 'The share of page views whose load time is measured (MONITORING_SAMPLE_RATE).',
  registers,
}).set(config.monitoringSampleRate);

const scans = new Counter({
  name: 'portal_scans_total',
  help: 'Virus scans by result: clean, infected or unscanned (too large).',
  labelNames: ['verdict'],
  registers,
});

const damagedBlobs = new Counter({
  name: 'portal_blobs_damaged_total',
  help: 'Stored files found damaged or missing when read, each counted once.',
  registers,
});
const knownDamage = new Set<string>();

/** Counts each damaged blob once: clients retry, and read in ranges. */
function countDamage(blob: string): void {
  if (knownDamage.has(blob)) return;
  knownDamage.add(blob);
  damagedBlobs.inc();
}

watchLog((level, { event, kind = 'unknown', givenUp, how = 'unknown', blob }) => {
  if (event === 'blob.damaged' && blob !== undefined) countDamage(blob);
  if (level === 'warn' || level === 'error' || level === 'fatal') faults.inc({ level, event });
  if (event.startsWith('sign-in.')) signIns.inc({ how, outcome: event.slice('sign-in.'.length) });
  if (event.startsWith('scan.')) scans.inc({ verdict: event.slice('scan.'.length) });
  if (event === 'database.retried') retries.inc();
  if (event === 'job.done') jobs.inc({ kind, outcome: 'done' });
  if (event === 'job.failed') jobs.inc({ kind, outcome: givenUp === true ? 'given_up' : 'failed' });
});

/** Says how many pages are told when their counts change. */
export const observeStreams = (open: number): void => openStreams.set(open);

/** Counts the load time of a page view in a browser. */
export function observePageLoad(labels: { route: string; device: string }, seconds: number): void {
  if (config.metricsPort !== undefined) pageLoads.observe(labels, seconds);
}

/** Counts an uncaught error of a page. */
export function countPageError(route: string): void {
  if (config.metricsPort !== undefined) pageErrors.inc({ route });
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const countedBytes = new WeakMap<Socket, { read: number; written: number }>();

/**
 * Measures a request until its end, under its route name (route-names.server.ts). A stream lasts as long as somebody looks
 * at a page, so it neither has a duration nor is in flight.
 */
export function measure(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  route: string,
  { isStream = false } = {},
): void {
  if (config.metricsPort === undefined) return;
  const { socket } = request;
  const method = METHODS.has(request.method ?? '') ? String(request.method) : 'other';
  const stop = isStream ? undefined : durations.startTimer({ route, method });
  if (stop) inFlight.inc();
  response.once('close', () => {
    if (stop) inFlight.dec();
    stop?.();
    // a client that left before the response started has no status
    requests.inc({
      route,
      method,
      status: response.headersSent ? `${Math.floor(response.statusCode / 100)}xx` : 'cut',
    });
    // a connection serves several requests: this one gets the bytes since the previous one
    const before = countedBytes.get(socket) ?? { read: 0, written: 0 };
    const after = { read: socket.bytesRead, written: socket.bytesWritten };
    countedBytes.set(socket, after);
    received.inc({ route }, Math.max(0, after.read - before.read));
    sent.inc({ route }, Math.max(0, after.written - before.written));
  });
}

/** Pending jobs by kind: count, age of the oldest, and since when the oldest has been due. */
const waitingJobs = () =>
  db()
    .selectFrom('jobs')
    .select(({ fn }) => [
      'kind',
      fn.countAll<number>().as('count'),
      fn.min('created_at').as('oldest'),
      sql<number | null>`min(case when run_at <= ${now()} then run_at end)`.as('due'),
    ])
    .where('done_at', 'is', null) // uses a partial index
    .groupBy('kind')
    .execute();

const CACHE_TIME = 10 * MINUTE;
const PAGE = 10_000;
let count: { bytes: Promise<number>; at: number } | undefined;

/** The total size of all files, cached, since it is a sum over every row. */
function storedBytes(): Promise<number> {
  if (count && Math.abs(now() - count.at) < CACHE_TIME) return count.bytes;
  const bytes = sumOfBlobs();
  count = { bytes, at: now() };
  bytes.catch(() => (count = undefined));
  return bytes;
}

/** Sums in pages, so that other requests are served in between: the embedded database blocks the process. */
async function sumOfBlobs(): Promise<number> {
  let bytes = 0;
  for (let last: string | null = ''; last !== null; await setImmediate()) {
    const after: string = last;
    const page = db()
      .selectFrom('blobs')
      .select((e) => [
        'blob_key',
        e.case().when('part_count', '=', 0).then(e.ref('size')).else(0).end().as('size'),
      ])
      .where('blob_key', '>', after)
      .orderBy('blob_key')
      .limit(PAGE);
    const sum = await db()
      .selectFrom(page.as('page'))
      .select(({ fn }) => [
        fn.sum<number | null>('size').as('bytes'),
        fn.max<string | null>('blob_key').as('last'),
      ])
      .executeTakeFirstOrThrow();
    bytes += Number(sum.bytes ?? 0);
    ({ last } = sum);
  }
  return bytes;
}

async function updateStoredBytes(): Promise<void> {
  try {
    stored.set(await withTimeout(3 * SECOND, storedBytes())); // a longer count is reported by the next scrape
  } catch (error) {
    log.warn({ err: error, event: 'metrics.stored' });
  }
}

async function updateFreeSpace(): Promise<void> {
  free.remove();
  if (!existsSync(config.dataDir)) return; // everything is in PostgreSQL and S3
  try {
    const { bavail, bsize } = await withTimeout(3 * SECOND, statfs(config.dataDir));
    free.set(bavail * bsize);
  } catch (error) {
    log.error({ err: error, event: 'metrics.disk' });
  }
}

async function updateDatabaseMetrics(): Promise<void> {
  for (const gauge of [waiting, overdue]) gauge.reset();
  for (const gauge of ofDatabase) gauge.remove(); // without labels, reset() would report 0
  try {
    await withTimeout(3 * SECOND, ping());
    const rows = await withTimeout(3 * SECOND, waitingJobs());
    const since = (moment: number | null | undefined): number =>
      moment == null ? 0 : Math.max(0, now() - moment) / SECOND;
    for (const { kind, count, due } of rows) {
      waiting.set({ kind }, count);
      overdue.set({ kind }, since(due));
    }
    const mails = rows.find(({ kind }) => kind === 'mail');
    outboxWaiting.set(mails?.count ?? 0);
    outboxAge.set(since(mails?.oldest));
    backup.set((await withTimeout(3 * SECOND, backupAt())) / SECOND);
    databaseUp.set(1);
    await updateStoredBytes();
  } catch (error) {
    log.error({ err: error, event: 'metrics.database' });
    databaseUp.set(0);
  }
}

/** Rejects with code TIMEOUT when `promise` takes longer than `ms`. */
async function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(Object.assign(new Error('the database did not answer'), { code: 'TIMEOUT' })),
      ms,
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The current metrics in Prometheus' text format. */
export async function scrape(): Promise<string> {
  await Promise.all([updateDatabaseMetrics(), updateFreeSpace()]);
  return register.metrics();
}

/** Gauges of prom-client that are named like counters (`_total`), though they can decrease. */
const NAMED_AS_COUNTERS = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`);

let server: http.Server | undefined;

/** Serves metrics on METRICS_PORT, if set. */
export async function startMetrics(): Promise<void> {
  const { metricsPort: port, metricsHost: host } = config;
  if (port === undefined) return;
  collectDefaultMetrics({ register });
  for (const gauge of NAMED_AS_COUNTERS) register.removeSingleMetric(gauge);
  server = http.createServer({ requestTimeout: 10_000 }, (request, response) => {
    void answer(request, response);
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw new ConfigurationError(
      `METRICS_PORT=${port} with METRICS_HOST=${host} cannot be used (${(error as NodeJS.ErrnoException).code}): choose a free port and an address of this machine.`,
    );
  });
}

async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  try {
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics')
      return void response
        .writeHead(404, { 'Content-Type': 'text/plain' })
        .end('Only GET /metrics is available here.\n');
    const metrics = await scrape();
    response
      .writeHead(200, { 'Content-Type': register.contentType, 'Cache-Control': 'no-store' })
      .end(metrics);
  } catch (error) {
    log.error({ err: error, event: 'metrics.failed' });
    response.writeHead(500).end();
  }
}

export async function stopMetrics(): Promise<void> {
  if (!server) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

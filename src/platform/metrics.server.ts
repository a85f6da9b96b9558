import { once } from 'node:events';
import http from 'node:http';
import type { Socket } from 'node:net';
import { sql } from 'kysely';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { now, SECOND } from './clock.server.ts';
import { config } from './config.server.ts';
import { db, ping } from './database.server.ts';
import { log, watchLog } from './log.server.ts';
import { ConfigurationError } from './startup.server.ts';

/*
 * Figures for Prometheus, on a port of their own that is closed unless METRICS_PORT opens it. Labels are routes, kinds and events: words
 * of the code, never a value of a person or an id. Counts are of this process; what lives in the database is asked at each scrape.
 */

const registers = [new Registry()];
const register = registers[0] as Registry;

const requests = new Counter({ name: 'portal_http_requests_total', help: 'Requests, by the route they asked for and how they were answered.', labelNames: ['route', 'method', 'status'], registers });
const durations = new Histogram({
  name: 'portal_http_request_duration_seconds',
  help: 'From the headers of a request to the last byte of its answer.',
  labelNames: ['route', 'method'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600],
  registers,
});
const inFlight = new Gauge({ name: 'portal_http_requests_in_flight', help: 'Requests that are being answered now.', registers });
const received = new Counter({ name: 'portal_http_received_bytes_total', help: 'Bytes that came in with requests, headers included.', labelNames: ['route'], registers });
const sent = new Counter({ name: 'portal_http_sent_bytes_total', help: 'Bytes that went out with answers, headers included.', labelNames: ['route'], registers });
const faults = new Counter({ name: 'portal_log_events_total', help: 'Lines of the log that warn or worse, by their event.', labelNames: ['level', 'event'], registers });
const databaseUp = new Gauge({ name: 'portal_database_up', help: '1 when the database answered this scrape within 3 seconds, else 0.', registers });

const byKind = (name: string, help: string) => new Gauge({ name, help, labelNames: ['kind'], registers });
const waiting = byKind('portal_jobs_waiting', 'Jobs that are not done.');
const overdue = byKind('portal_jobs_overdue_seconds', 'For how long the oldest job has been due that nobody took; 0 when none is.');
const outboxWaiting = new Gauge({ name: 'portal_outbox_waiting', help: 'Mails that have not left.', registers });
const outboxAge = new Gauge({ name: 'portal_outbox_oldest_seconds', help: 'Age of the oldest mail that has not left; 0 when there is none.', registers });
const ofDatabase = [waiting, overdue, outboxWaiting, outboxAge];
const jobs = new Counter({ name: 'portal_jobs_total', help: 'Tries of jobs, by how they ended: done, failed (there will be another try) or given_up.', labelNames: ['kind', 'outcome'], registers });

watchLog((level, { event, kind = 'unknown', givenUp }) => {
  if (level === 'warn' || level === 'error' || level === 'fatal') faults.inc({ level, event });
  if (event === 'job.done') jobs.inc({ kind, outcome: 'done' });
  if (event === 'job.failed') jobs.inc({ kind, outcome: givenUp === true ? 'given_up' : 'failed' });
});

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const counted = new WeakMap<Socket, { read: number; written: number }>();

/** Counts a request from now to its end, under the name of its route (route-names.server.ts). */
export function measure(request: http.IncomingMessage, response: http.ServerResponse, route: string): void {
  if (config.metricsPort === undefined) return;
  const { socket } = request;
  const method = METHODS.has(request.method ?? '') ? String(request.method) : 'other';
  const stop = durations.startTimer({ route, method });
  inFlight.inc();
  response.once('close', () => {
    inFlight.dec();
    stop();
    // A caller who goes away before the answer began has been told nothing.
    requests.inc({ route, method, status: response.headersSent ? `${Math.floor(response.statusCode / 100)}xx` : 'cut' });
    // A connection carries one request after the other: what it carried since the last one belongs to this one.
    const before = counted.get(socket) ?? { read: 0, written: 0 };
    const after = { read: socket.bytesRead, written: socket.bytesWritten };
    counted.set(socket, after);
    received.inc({ route }, Math.max(0, after.read - before.read));
    sent.inc({ route }, Math.max(0, after.written - before.written));
  });
}

/** Of each kind that has jobs waiting: how many, when the oldest was made, and since when the oldest has been due. */
const waitingJobs = () =>
  db()
    .selectFrom('jobs')
    .select(({ fn }) => ['kind', fn.countAll<number>().as('count'), fn.min('created_at').as('oldest'), sql<number | null>`min(case when run_at <= ${now()} then run_at end)`.as('due')])
    .where('done_at', 'is', null) // read from an index that holds only these
    .groupBy('kind')
    .execute();

async function askDatabase(): Promise<void> {
  for (const gauge of ofDatabase) gauge.reset();
  try {
    await within(3 * SECOND, ping());
    const rows = await within(3 * SECOND, waitingJobs());
    const since = (moment: number | null | undefined): number => (moment == null ? 0 : Math.max(0, now() - moment) / SECOND);
    for (const { kind, count, due } of rows) {
      waiting.set({ kind }, count);
      overdue.set({ kind }, since(due));
    }
    const mails = rows.find(({ kind }) => kind === 'mail');
    outboxWaiting.set(mails?.count ?? 0);
    outboxAge.set(since(mails?.oldest));
    databaseUp.set(1);
  } catch (error) {
    log.error({ err: error, event: 'metrics.database' });
    databaseUp.set(0);
  }
}

/** What `promise` gives, or an error with the code TIMEOUT after `ms`. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('the database did not answer'), { code: 'TIMEOUT' })), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** All figures of this moment, in Prometheus' text form. */
export async function scrape(): Promise<string> {
  await askDatabase();
  return register.metrics();
}

let server: http.Server | undefined;

/** Opens the port of the figures, when METRICS_PORT names one. */
export async function startMetrics(): Promise<void> {
  const { metricsPort: port, metricsHost: host } = config;
  if (port === undefined) return;
  collectDefaultMetrics({ register });
  server = http.createServer({ requestTimeout: 10_000 }, (request, response) => {
    void answer(request, response);
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw new ConfigurationError(`METRICS_PORT=${port} with METRICS_HOST=${host} cannot be used (${(error as NodeJS.ErrnoException).code}): choose a free port, and an address of this machine.`);
  });
}

async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  try {
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') return void response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Only GET /metrics is answered here.\n');
    const figures = await scrape();
    response.writeHead(200, { 'Content-Type': register.contentType, 'Cache-Control': 'no-store' }).end(figures);
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

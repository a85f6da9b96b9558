import '#platform/startup.server.ts';
import http from 'node:http';
import path from 'node:path';
import { constants } from 'node:zlib';
import { getRequestListener } from '@hono/node-server';
import compression from 'compression';
import sirv from 'sirv';
import { fillDemoWorld, isDemo, startDemo, stopDemo, welcomeText } from '#features/demo/demo.server.ts';
import { purgeOldTrash, sweepUploads } from '#features/documents/documents.server.ts';
import { firmBanner, firmLogo, previewStylesheet, themeStylesheet } from '#features/firms/firms.server.ts';
import { answerOidc, firstOwnerLink, setOwnAddress, sweepSignIns } from '#features/identity/identity.server.ts';
import { sweepExports } from '#features/exports/exports.server.ts';
import type { RequestState } from '#features/people/people.server.ts';
import { cutOffLocked, findSession, findTokenSession, longTokenIn, sweepSessions, underWayFor } from '#features/session/session.server.ts';
import { cutOffEnded, sweepShares } from '#features/sharing/sharing.server.ts';
import { appLinkFile } from '#platform/app-links.server.ts';
import { noteLook } from '#features/staff/staff.server.ts';
import { writeAnchors } from '#platform/audit-anchors.server.ts';
import { calledBy } from '#platform/audit.server.ts';
import { sweepBlobs } from '#platform/blobs.server.ts';
import { HOUR, now } from '#platform/clock.server.ts';
import { answered } from '#platform/collector.server.ts';
import { config } from '#platform/config.server.ts';
import { readCookie } from '#platform/cookies.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { closeDatabase, migrate, ping } from '#platform/database.server.ts';
import { refusal } from '#platform/errors.server.ts';
import { ASSET_HEADERS, isCrossSite, judgeHost, networkOf, ownForwarding, SAFE_HEADERS } from '#platform/front-door.server.ts';
import { withinGuardTime } from '#platform/guard-time.server.ts';
import { startJobs, stopJobs } from '#platform/jobs.server.ts';
import { sweepLimits } from '#platform/limits.server.ts';
import { inRequest, log, takeOverOutput } from '#platform/log.server.ts';
import { measure, startMetrics, stopMetrics } from '#platform/metrics.server.ts';
import { sweepNotices } from '#platform/notices.server.ts';
import { routeNames } from '#platform/route-names.server.ts';
import { ROOT } from '#platform/root.server.ts';
import { sendStream } from '#platform/send-file.server.ts';
import { assertKeyFits, assertRestored } from '#platform/settings.server.ts';
import { ConfigurationError } from '#platform/startup.server.ts';
import { api } from './api.server.ts';
import { API_ROUTES, FRONT_DOOR, PAGES } from './routes.ts';

type Portal = http.IncomingMessage & { portal: RequestState };
type Answer = (request: Portal, response: http.ServerResponse) => void | Promise<void>;
type Pages = (request: http.IncomingMessage, response: http.ServerResponse, next: undefined, locals: object) => Promise<void>;

const DRAIN = 20_000;
const SILENCE = 25_000;
const LOCK_NOTICED = 2000;
const LINK_END_NOTICED = 1000;

// Beside the built pages, which bring every module of theirs, it would have each twice: two connections to the database, two memories of who is signed in.
if (import.meta.filename.endsWith('.ts')) throw new ConfigurationError('Run `npm start`, or dist/server/server.mjs after `npm run build`: the portal runs as it was built, together with its pages.');

await migrate();
await assertKeyFits();
await assertRestored();
await fillDemoWorld();
await startMetrics();

const { handler: pages } = (await import(path.join(ROOT, 'dist/server/entry.mjs'))) as { handler: Pages };
const assets = sirv(path.join(ROOT, 'dist/client'), {
  brotli: true,
  gzip: true,
  etag: true,
  setHeaders: (response, name) => {
    response.setHeader('Cache-Control', name.startsWith('/_astro/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600');
  },
});
const compress = compression({ brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } } }); // a list of 100 documents: 14.6 kB instead of 16.0, for 0.3 ms more
/** The library speaks of Express; it uses only what node:http has. */
const compressed = (request: Portal, response: http.ServerResponse, next: () => void): void => compress(request as never, response as never, next) as void;
const answerApi = getRequestListener((request, env) => api.fetch(request, env), { overrideGlobalObjects: false });

const ANSWERS: Record<keyof typeof FRONT_DOOR, Answer> = {
  '/healthz': (_, response) => void response.end('ok\n'),
  '/readyz': ready,
  '/oidc/': answerOidc,
  '/theme/': theme,
  '/.well-known/': appLinks,
  '/api/': (request, response) => compressed(request, response, () => void answerApi(request, response)),
};

const routeOf = routeNames({ patterns: API_ROUTES.map(({ path }) => path), beginnings: [...Object.keys(FRONT_DOOR), '/_astro/', '/icons.svg', '/favicon.svg', '/api-docs.css'], pages: Object.keys(PAGES) });

const server = http.createServer({ requestTimeout: 0, headersTimeout: 15_000, keepAliveTimeout: 65_000, maxHeaderSize: 16_384 }, (request, response) => {
  const started = performance.now();
  const id = newId('req');
  const route = routeOf(request.url ?? '');
  measure(request, response, route);
  response.on('close', () => {
    log.info({ event: 'request', id, method: request.method ?? '', route, status: response.headersSent ? response.statusCode : 0, ms: Math.round(performance.now() - started) });
    if (!['/healthz', '/readyz'].includes(route)) answered();
  });
  inRequest(id, () => {
    admit(request as Portal, response, id).catch((error: unknown) => fail(request, response, error));
  });
});

// Behind another request Node would write "go on" between the head and the body of the answer: there the caller goes on without, when it has waited (RFC 9110 section 10.1.1).
server.on('checkContinue', (request, response: http.ServerResponse) => {
  if (response.socket) response.writeContinue(); // it is its turn
  server.emit('request', request, response);
});

// Nothing read and nothing written for so long: whoever is there has gone, or means no good.
server.setTimeout(SILENCE);

/** Every request comes through here: host, proxy, headers, cross-site guard, session; then whoever answers this address. */
async function admit(request: Portal, response: http.ServerResponse, requestId: string): Promise<void> {
  const url = request.url ?? '/';
  const isAsset = /^\/(_astro\/|icons\.svg|favicon\.svg)/.test(url);
  response.setHeaders(new Map(Object.entries(isAsset ? ASSET_HEADERS : { ...SAFE_HEADERS, 'X-Request-Id': requestId })));
  if (!url.startsWith('/') || request.method === 'TRACE' || (request.headersDistinct['host'] ?? []).length > 1) return refuse(response, 400, 'No browser sends such a request.');
  const host = judgeHost(request.headers.host);
  if (host === 'alias' && request.method === 'GET') return void response.writeHead(307, { Location: config.origin + url }).end();
  if (host !== 'ours' && !url.startsWith('/healthz') && !url.startsWith('/readyz')) return refuse(response, 421, 'This portal does not answer to that name.');
  if (url.length > 8192) return refuse(response, 414, 'The address is too long.');
  const network = networkOf(request);
  ownForwarding(request);
  const longToken = url.startsWith('/api/') ? longTokenIn(request.headers) : undefined;
  // No other site can put a token into a header; with a cookie the request is judged by it all the same.
  const isProgram = longToken !== undefined && request.headers.cookie === undefined;
  if (!isProgram && isCrossSite(request)) return refuse(response, 403, 'This request came from another site and was not carried out.');

  const assigned = Object.entries(ANSWERS).find(([prefix]) => url.startsWith(prefix));
  const wantsSession = assigned === undefined || assigned[0] === '/api/';
  let lockedOut = false;
  const session = wantsSession && !isAsset ? await withinGuardTime(sessionOf(request, longToken, () => void (lockedOut = true))) : undefined;
  const belongsTo = underWayFor(response);
  if (session) belongsTo(session.actor.companyId);
  request.portal = { requestId, network, session, lockedOut, belongsTo };
  await calledBy({ network, viewedBy: session?.viewing?.staff.contactId }, () => answer(request, response, assigned?.[1]));
}

async function answer(request: Portal, response: http.ServerResponse, assigned: Answer | undefined): Promise<void> {
  const { session } = request.portal;
  const url = request.url ?? '/';
  if (session?.viewing) await noteLook(session, { method: request.method ?? '', route: routeOf(url), address: url });
  if (assigned) await assigned(request, response);
  else assets(request, response, () => compressed(request, response, () => void page(request, response).catch((error: unknown) => fail(request, response, error))));
}

/** Who is here: by a long token where one was sent, else by the cookie. What a page asks by itself says so (`X-Background: 1`) and keeps no session alive. */
function sessionOf({ headers }: Portal, longToken: string | undefined, onLockOut: () => void) {
  return longToken === undefined ? findSession(readCookie(headers.cookie, 'sid'), { inBackground: headers['x-background'] === '1', onLockOut }) : findTokenSession(longToken);
}

/** Answers a request that failed before a page or a call could say so itself. */
function fail(request: http.IncomingMessage, response: http.ServerResponse, error: unknown): void {
  const no = refusal(error);
  if (no?.code !== 'UNAVAILABLE') log.error({ err: error, event: 'request.failed' });
  if (response.headersSent) return void response.end();
  const { code, status } = no ?? { code: 'INTERNAL', status: 500 };
  const isCall = request.url?.startsWith('/api/') ?? false;
  if (status === 503) response.setHeader('Retry-After', '1');
  response.writeHead(status, { 'Content-Type': isCall ? 'application/json' : 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' });
  response.end(isCall ? JSON.stringify({ errors: [{ code, reason: code }] }) : status === 503 ? 'The portal cannot answer at this moment. Try again soon.\n' : '');
}

function page(request: Portal, response: http.ServerResponse): Promise<void> {
  const { session, network, lockedOut } = request.portal;
  return pages(request, response, undefined, { session, network, lockedOut, demo: isDemo() });
}

function refuse(response: http.ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(`${sentence}\n`);
}

async function ready(_: Portal, response: http.ServerResponse): Promise<void> {
  await ping();
  response.end('ready\n');
}

/** A firm's stylesheet, logo and banner, at an address that changes when they do. */
async function theme(request: Portal, response: http.ServerResponse): Promise<void> {
  const [, , companyId = '', version = '', name] = (request.url ?? '').split('?', 1)[0]?.split('/') ?? [];
  const imageOf = name === 'banner' ? firmBanner : firmLogo;
  try {
    const type = name === 'theme.css' ? 'text/css; charset=utf-8' : (await imageOf(companyId)).type;
    // A mail program shows the logo on a page that is not ours.
    response.setHeaders(new Map(Object.entries({ 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable', 'Cross-Origin-Resource-Policy': 'cross-origin' })));
    if (name === 'theme.css') response.end(previewStylesheet(version) ?? (await themeStylesheet(companyId)));
    else await sendStream((await imageOf(companyId)).bytes, response);
  } catch (error) {
    if (refusal(error)?.code !== 'NOT_FOUND') throw error;
    refuse(response, 404, 'There is no such file.');
  }
}

/** What tells a phone which app opens the portal's deep links (spec 1 section 2). */
function appLinks(request: Portal, response: http.ServerResponse): void {
  const file = appLinkFile((request.url ?? '').split('?', 1)[0]?.split('/')[2] ?? '', config);
  if (!file) return refuse(response, 404, 'There is no such file.');
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=3600' }).end(JSON.stringify(file));
}

/** The sweep under way, or the last one. */
let swept = Promise.resolve();

function sweepNow(): void {
  swept = sweep().catch((error: unknown) => log.error({ err: error, event: 'sweep.failed' }));
}

async function sweep(): Promise<void> {
  await Promise.all([sweepSessions(), sweepSignIns(), sweepShares(), sweepExports(), sweepUploads(), sweepLimits(), sweepNotices()]);
  await purgeOldTrash();
  await sweepBlobs(now() - HOUR);
  await writeAnchors();
}

server.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EADDRINUSE') throw error;
  throw new ConfigurationError(`PORT=${config.port} cannot be used: another program listens there already. Stop it, or choose another port.`);
});
server.listen(config.port, config.host, () => {
  takeOverOutput(); // up to here a fault is a sentence for whoever starts the portal
  const address = server.address();
  setOwnAddress(`http://${config.host.includes(':') ? `[${config.host}]` : config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${typeof address === 'object' && address ? address.port : config.port}`);
  void startDemo().then(async () => {
    const ownerLink = isDemo() ? undefined : await firstOwnerLink();
    startJobs();
    process.stdout.write(welcomeText(ownerLink));
  });
  sweepNow();
});
const sweeping = setInterval(sweepNow, HOUR);
const cutting = setInterval(() => void cutOffLocked().catch((error: unknown) => log.error({ err: error, event: 'cut-off.failed' })), LOCK_NOTICED);
const ending = setInterval(() => void cutOffEnded().catch((error: unknown) => log.error({ err: error, event: 'cut-off.failed' })), LINK_END_NOTICED);

let stopping = false;

/** Lets what is under way finish, for at most 20 s, then closes everything in order. */
async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  process.stdout.write('Stopping: what is under way may finish.\n');
  clearInterval(sweeping);
  clearInterval(cutting);
  clearInterval(ending);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const late = setTimeout(() => server.closeAllConnections(), DRAIN);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
  await swept;
  await stopJobs();
  await stopDemo();
  await stopMetrics();
  await closeDatabase();
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());
process.on('unhandledRejection', (error) => {
  log.fatal({ err: error, event: 'unhandled' });
  process.exitCode = 1;
  void stop();
});

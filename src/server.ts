import '#platform/runtime/startup.server.ts';
import http from 'node:http';
import path from 'node:path';
import { getRequestListener } from '@hono/node-server';
import compression from 'compression';
import { fillDemoWorld, isDemo, startDemo, stopDemo, welcomeText } from '#features/demo/demo/demo.server.ts';
import { appFile } from '#features/base/firms/app.server.ts';
import {
  firmBanner,
  firmLogo,
  previewStylesheet,
  themeStylesheet,
} from '#features/base/firms/firms.server.ts';
import { answerOidc } from '#features/identity/sign-in/provider.server.ts';
import { firstOwnerLink } from '#features/identity/invitations/first-owner.server.ts';
import { setOwnAddress } from '#features/identity/sign-in/sign-in.server.ts';
import type { RequestState } from '#features/base/people/people.server.ts';
import { findSession } from '#features/identity/sessions/sessions.server.ts';
import { findTokenSession, apiTokenIn } from '#features/identity/sessions/tokens.server.ts';
import { inFlightFor } from '#features/identity/sessions/cut-off.server.ts';
import { appLinkFile } from '#platform/http/app-links.server.ts';
import { endStreams, startStreams } from '#features/office/live/streams.server.ts';
import { SESSION_HEADER } from '#features/office/offline/offline.ts';
import { sessionKey } from '#features/office/offline/offline.server.ts';
import { serviceWorker } from '#features/office/offline/worker.server.ts';
import { noteImpersonatedRequest } from '#features/office/staff/view-as.server.ts';
import { startAnchoring, stopAnchoring } from '#platform/security/audit-anchors.server.ts';
import { withCaller } from '#platform/security/audit.server.ts';
import { now, SECOND } from '#platform/runtime/clock.server.ts';
import { startComparingClocks, stopComparingClocks } from '#platform/runtime/clock-check.server.ts';
import { responseFinished } from '#platform/runtime/garbage-collection.server.ts';
import { config, misspelledAtStartup } from '#platform/runtime/config.server.ts';
import { guardConnections, admitsProxiedRequest } from '#platform/http/connections.server.ts';
import { compressWhole } from '#platform/http/compression.server.ts';
import { loadStyles } from '#platform/http/first-view.server.ts';
import { readCookie } from '#platform/http/cookies.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { closeDatabase, migrate, withFirm } from '#platform/database/database.server.ts';
import { isOutcomeUnknown, refusal } from '#platform/runtime/errors.server.ts';
import { errorPage } from '#platform/http/error-page.server.ts';
import {
  ASSET_HEADERS,
  isCrossSite,
  isForeignProxy,
  classifyHost,
  networkOf,
  overwriteForwardedHeaders,
  SAFE_HEADERS,
} from '#platform/http/http-security.server.ts';
import { withSharedReads } from '#platform/database/shared-reads.server.ts';
import { withSessionLookupTimeout } from '#platform/http/session-lookup-timeout.server.ts';
import { startJobs, stopJobs } from '#platform/jobs/jobs.server.ts';
import { isLang, preferredLanguage } from '#platform/text/languages.ts';
import { withRequestId, log, redirectConsoleToLog } from '#platform/monitoring/log.server.ts';
import { measure, startMetrics, stopMetrics } from '#platform/monitoring/metrics.server.ts';
import { joinNodes, leaveNodes } from '#platform/runtime/nodes.server.ts';
import {
  assertStoreWorks,
  readiness,
  startDraining,
  startWatching,
  stopWatching,
} from '#platform/runtime/readiness.server.ts';
import { readFilesForm } from '#platform/http/multipart.server.ts';
import type { QueueUser } from '#platform/jobs/fair-queue.server.ts';
import { networksAround } from '#platform/http/networks.server.ts';
import { requestTurns } from '#platform/http/request-turns.server.ts';
import { routeNames } from '#platform/http/route-names.server.ts';
import { securityTxt } from '#platform/http/security-txt.server.ts';
import { sendStream } from '#platform/http/send-file.server.ts';
import {
  assertKeyMatches,
  assertRestored,
  assertStorable,
  recordForeignProxy,
} from '#platform/runtime/settings.server.ts';
import { ConfigurationError } from '#platform/runtime/startup.server.ts';
import { staticFiles } from '#platform/http/static-files.server.ts';
import { pageOfShortLink } from '#platform/mail/short-links.server.ts';
import { startSweeps } from '#platform/jobs/sweeps.server.ts';
import { messagesScript } from '#platform/text/translations.server.ts';
import { VERSION } from '#platform/runtime/version.server.ts';
import { api, API_ROUTES } from './api.server.ts';
import './app.server.ts';
import { FEATURES } from './features/all.server.ts';
import { FRONT_DOOR, PAGES } from './routes.ts';

type Portal = http.IncomingMessage & { portal: RequestState };
type Answer = (request: Portal, response: http.ServerResponse) => void | Promise<void>;
type Pages = (
  request: http.IncomingMessage,
  response: http.ServerResponse,
  next: undefined,
  locals: object,
) => Promise<void>;

/** After a signal to stop: until when requests and jobs may finish, and when the process ends whatever is left (ms). */
const REQUESTS_END = 16 * SECOND;
const JOBS_END = 17 * SECOND;
const HARD_END = 19.5 * SECOND;
/** The build that this process was started from: a newer one may stand in dist/ by now. */
const HERE = import.meta.dirname;

// From source it would load every module twice, here and in the built pages: two database connections, two
// session caches.
if (import.meta.filename.endsWith('.ts'))
  throw new ConfigurationError(
    'Run `npm start`, or dist/server/server.mjs after `npm run build`: the portal runs as it was built, together with its pages.',
  );

for (const sentence of misspelledAtStartup) process.stderr.write(`${sentence}\n`);
assertStorable();
await migrate();
await startComparingClocks();
await assertKeyMatches();
await assertRestored();
await assertStoreWorks();
await fillDemoWorld();
await startMetrics();

const { handler: pages } = (await import(path.join(HERE, 'entry.mjs'))) as { handler: Pages };
const assets = staticFiles(path.join(HERE, '../client'));
loadStyles(path.join(HERE, '../client'));
const answerWorker = serviceWorker(path.join(HERE, '../client/sw.js'));
// for clients without brotli, and other answers than pages and calls
const compress = compression();
/** Adapts the types of a middleware for Express, which uses nothing beyond node:http. */
const compressed = (request: Portal, response: http.ServerResponse, next: () => void): void =>
  compress(request as never, response as never, next) as void;
const answerApi = getRequestListener(
  async (request, env) => compressWhole(request, await api.fetch(request, env)),
  { overrideGlobalObjects: false },
);

const ANSWERS: Record<keyof typeof FRONT_DOOR, Answer> = {
  '/healthz': (_, response) => void response.end('ok\n'),
  '/readyz': ready,
  '/oidc/': answerOidc,
  '/theme/': theme,
  '/messages/': (request, response) => compressed(request, response, () => islandMessages(request, response)),
  '/.well-known/': wellKnown,
  '/sw.js': (request, response) => compressed(request, response, () => answerWorker(request, response)),
  '/m/': shortLink,
  '/api/': (request, response) => compressed(request, response, () => void answerApi(request, response)),
};

const routeOf = routeNames({
  patterns: API_ROUTES.map(({ path }) => path),
  prefixes: [...Object.keys(FRONT_DOOR), '/_astro/', '/icons.svg', '/favicon.svg', '/api-docs.css'],
  pages: Object.keys(PAGES),
});

const STREAMS = new Set(API_ROUTES.filter(({ isStream }) => isStream).map(({ path }) => path));

const server = http.createServer(
  { requestTimeout: 0, headersTimeout: 15_000, keepAliveTimeout: 65_000, maxHeaderSize: 16_384 },
  (request, response) => {
    const started = performance.now();
    const id = newId('req');
    const route = routeOf(request.url ?? '');
    measure(request, response, route, { isStream: STREAMS.has(route) });
    connections.trackRequest(request, response);
    response.on('close', () => {
      const { session } = (request as Partial<Portal>).portal ?? {};
      log.info({
        event: 'request',
        id,
        method: request.method ?? '',
        route,
        ...(session && { actor: session.actor.contactId }),
        ...(session?.viewing && { viewedBy: session.viewing.staff.contactId }),
        status: response.headersSent ? response.statusCode : 0,
        ms: Math.round(performance.now() - started),
      });
      if (!['/healthz', '/readyz'].includes(route)) responseFinished();
    });
    withRequestId(id, () => {
      admit(request as Portal, response, id).catch((error: unknown) => fail(request, response, error));
    });
  },
);

// While an earlier request of the connection is in flight, Node would write "100 Continue" into its response.
// Without it, the client sends the body after a timeout (RFC 9110 section 10.1.1).
server.on('checkContinue', (request, response: http.ServerResponse) => {
  if (response.socket) response.writeContinue(); // no earlier request is in flight
  server.emit('request', request, response);
});

const turnOf = requestTurns();
const connections = guardConnections(server);
const guarding = setInterval(connections.checkRates, SECOND);

/** Admits every request: checks host, proxy, origin and session, sets security headers, then passes it on. */
async function admit(request: Portal, response: http.ServerResponse, requestId: string): Promise<void> {
  const url = request.url ?? '/';
  const isAsset = /^\/(_astro\/|icons\.svg|favicon\.svg)/.test(url);
  response.setHeaders(
    new Map(Object.entries(isAsset ? ASSET_HEADERS : { ...SAFE_HEADERS, 'X-Request-Id': requestId })),
  );
  // connections of HTTP/1.1 persist without a word; Node would say so in every response
  if (request.httpVersion === '1.1') response.removeHeader('Connection');
  if (
    !url.startsWith('/') ||
    request.method === 'TRACE' ||
    (request.headersDistinct['host'] ?? []).length > 1
  )
    return refuse(response, 400, 'No browser sends such a request.');
  const host = classifyHost(request.headers.host);
  if (host === 'alias' && request.method === 'GET')
    return void response.writeHead(307, { Location: config.origin + url }).end();
  if (host !== 'ours' && !url.startsWith('/healthz') && !url.startsWith('/readyz'))
    return refuse(response, 421, 'This portal does not answer to that name.');
  if (url.length > 8192) return refuse(response, 414, 'The address is too long.');
  const network = networkOf(request);
  if (isForeignProxy(request))
    void recordForeignProxy().catch((error: unknown) => log.warn({ event: 'proxy.not-noted', err: error }));
  overwriteForwardedHeaders(request);
  const longToken = url.startsWith('/api/') ? apiTokenIn(request.headers) : undefined;
  // Other sites cannot set the Authorization header; with a cookie, a request is checked like any other.
  const isProgram = longToken !== undefined && request.headers.cookie === undefined;
  if (!isProgram && isCrossSite(request))
    return refuse(response, 403, 'This request came from another site and was not carried out.');

  const assigned = Object.entries(ANSWERS).find(([prefix]) => url.startsWith(prefix));
  const wantsSession = assigned === undefined || assigned[0] === '/api/';
  let lockedOut = false;
  const session =
    wantsSession && !isAsset
      ? await withSessionLookupTimeout(sessionOf(request, longToken, () => void (lockedOut = true)))
      : undefined;
  const belongsTo = inFlightFor(response);
  if (session) {
    const { viewedBy, contactId } = session.actor;
    if (!connections.markSignedIn(request, viewedBy ?? contactId)) return tooManyConnections(response);
    belongsTo(session.actor.companyId);
  } else if (!admitsProxiedRequest(request, network, response)) {
    response.setHeader('Retry-After', '5');
    return refuse(response, 429, 'Too many requests from your network wait for an answer. Try again soon.');
  }
  request.portal = { requestId, network, session, lockedOut, belongsTo };
  if (wantsSession && !isAsset && !DRAWN_IN_TURN.test(routeOf(url))) {
    await turnOf(askerOf(session, network, isProgram), request, response);
    if (response.closed) return; // they left while it waited
  }
  const respond = () => answer(request, response, assigned?.[1]);
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  await withCaller({ network, viewedBy: session?.viewing?.staff.contactId }, () =>
    withFirm(session?.actor.companyId, () => (isReading ? withSharedReads(respond) : respond())),
  );
}

/** Calls whose work waits in a queue of its own, and of which a page makes many at once. */
const DRAWN_IN_TURN = /\/pages\/\{page\}$/;

/** Whose turn a request takes: staff who view as a contact act as themselves, and programs apart from their person. */
function askerOf(session: Portal['portal']['session'], network: string, isProgram: boolean): QueueUser {
  if (!session) {
    const { prefix } = networksAround(network);
    return { person: prefix, firm: `visitors ${prefix}` };
  }
  const { companyId, contactId, viewedBy = contactId } = session.actor;
  return { person: isProgram ? `${viewedBy} by program` : viewedBy, firm: companyId };
}

async function answer(
  request: Portal,
  response: http.ServerResponse,
  assigned: Answer | undefined,
): Promise<void> {
  const { session } = request.portal;
  const url = request.url ?? '/';
  if (session?.viewing)
    await noteImpersonatedRequest(session, {
      method: request.method ?? '',
      route: routeOf(url),
      address: url,
    });
  if (assigned) await assigned(request, response);
  else
    assets(request, response, () =>
      compressed(
        request,
        response,
        () => void page(request, response).catch((error: unknown) => fail(request, response, error)),
      ),
    );
}

/**
 * Finds the session by API token if there is one, else by cookie. Requests that a page makes by itself
 * (`X-Background: 1`), and streams, do not extend the session.
 */
function sessionOf({ headers, url = '' }: Portal, longToken: string | undefined, onLockOut: () => void) {
  return longToken === undefined
    ? findSession(readCookie(headers.cookie, 'sid'), {
        inBackground: headers['x-background'] === '1' || STREAMS.has(routeOf(url)),
        onLockOut,
      })
    : findTokenSession(longToken);
}

/** Responds to a request that failed outside of pages and calls. */
function fail(request: http.IncomingMessage, response: http.ServerResponse, error: unknown): void {
  const expected = refusal(error);
  if (expected?.code !== 'UNAVAILABLE' && expected?.code !== 'TOO_MANY')
    log.error({ err: error, event: 'request.failed' });
  if (response.headersSent) return void response.end();
  const { code, status } = expected ?? { code: 'INTERNAL', status: 500 };
  const isCall = request.url?.startsWith('/api/') ?? false;
  if (status === 503 && !isOutcomeUnknown(error)) response.setHeader('Retry-After', '1');
  if (status === 429) response.setHeader('Retry-After', '5');
  response.writeHead(status, {
    'Content-Type': isCall ? 'application/json' : 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
  });
  const segment = request.url?.split('/')[2];
  const lang = isLang(segment) ? segment : preferredLanguage(request.headers['accept-language']);
  response.end(isCall ? JSON.stringify({ errors: [{ code, reason: code }] }) : errorPage(lang, error));
}

function page(request: Portal, response: http.ServerResponse): Promise<void> {
  const { session, network, lockedOut } = request.portal;
  // only the service worker reads it, which asks for pages this way
  if (session && request.headers['service-worker-navigation-preload'] !== undefined)
    response.setHeader(SESSION_HEADER, sessionKey(session));
  return pages(request, response, undefined, {
    optionalSession: session,
    network,
    lockedOut,
    demo: isDemo(),
    readFilesForm: (maxFileBytes: number) => readFilesForm(request, maxFileBytes),
  });
}

function refuse(response: http.ServerResponse, status: number, sentence: string): void {
  response
    .writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' })
    .end(`${sentence}\n`);
}

function tooManyConnections(response: http.ServerResponse): void {
  response.setHeader('Retry-After', '5');
  refuse(response, 429, 'You have too many connections open. Close some, and try again.');
}

async function ready(_: Portal, response: http.ServerResponse): Promise<void> {
  const { isReady, sentences } = await readiness();
  if (!isReady) {
    response.setHeader('Retry-After', '1');
    return refuse(response, 503, sentences.join('\n'));
  }
  response.end(['ready', ...sentences, ''].join('\n'));
}

/** Serves a firm's stylesheet, logo or banner, or its app, at an address that changes with the content. */
async function theme(request: Portal, response: http.ServerResponse): Promise<void> {
  const [, , companyId = '', version = '', name = ''] =
    (request.url ?? '').split('?', 1)[0]?.split('/') ?? [];
  const imageOf = name === 'banner' ? firmBanner : firmLogo;
  try {
    const app = await appFile(companyId, name);
    const type =
      name === 'theme.css' ? 'text/css; charset=utf-8' : (app?.type ?? (await imageOf(companyId)).type);
    // Mail programs load the logo from other origins.
    response.setHeaders(
      new Map(
        Object.entries({
          'Content-Type': type,
          'Cache-Control': 'public, max-age=31536000, immutable',
          'Cross-Origin-Resource-Policy': 'cross-origin',
        }),
      ),
    );
    if (app) response.end(app.content);
    else if (name === 'theme.css')
      response.end(previewStylesheet(version) ?? (await themeStylesheet(companyId)));
    else await sendStream((await imageOf(companyId)).bytes, response);
  } catch (error) {
    if (refusal(error)?.code !== 'NOT_FOUND') throw error;
    refuse(response, 404, 'There is no such file.');
  }
}

/** Leads a link of an email to its page, which asks who the reader is; an unknown one to the page that says so. */
async function shortLink(request: Portal, response: http.ServerResponse): Promise<void> {
  const target = await pageOfShortLink(request.url ?? '');
  if (target === undefined)
    return compressed(
      request,
      response,
      () => void page(request, response).catch((error: unknown) => fail(request, response, error)),
    );
  response.writeHead(303, { Location: target, 'Cache-Control': 'no-store' }).end();
}

/** Serves the texts of an island, which it loads with its scripts. */
function islandMessages({ url = '' }: Portal, response: http.ServerResponse): void {
  const found = messagesScript(url);
  if (!found) return refuse(response, 404, 'There is no such file.');
  response
    .writeHead(200, {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': found.isCurrent ? 'public, max-age=31536000, immutable' : 'no-store',
    })
    .end(found.script);
}

/**
 * Serves files under /.well-known/: the apps that may open deep links (spec 1 section 2), and security.txt.
 */
function wellKnown(request: Portal, response: http.ServerResponse): void {
  const name = (request.url ?? '').split('?', 1)[0]?.split('/').slice(2).join('/') ?? '';
  const text = name === 'security.txt' ? securityTxt(config, now()) : undefined;
  const file = text === undefined ? appLinkFile(name, config) : undefined;
  if (text === undefined && !file) return refuse(response, 404, 'There is no such file.');
  const type = text === undefined ? 'application/json' : 'text/plain; charset=utf-8';
  response
    .writeHead(200, { 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' })
    .end(text ?? JSON.stringify(file));
}

server.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EADDRINUSE') throw error;
  throw new ConfigurationError(
    `PORT=${config.port} cannot be used: another program listens there already. Stop it, or choose another port.`,
  );
});
server.listen(config.port, config.host, () => {
  log.info({ event: 'started', version: VERSION });
  redirectConsoleToLog(); // until now, errors are printed for the person who starts the portal
  const address = server.address();
  setOwnAddress(
    `http://${config.host.includes(':') ? `[${config.host}]` : config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${typeof address === 'object' && address ? address.port : config.port}`,
  );
  void startDemo().then(async () => {
    const ownerLink = isDemo() ? undefined : await firstOwnerLink();
    await joinNodes();
    startJobs();
    startStreams();
    process.stdout.write(welcomeText(ownerLink));
  });
  stopSweeps = startSweeps(FEATURES.flatMap(({ sweeps = [] }) => sweeps));
});
startAnchoring();
startWatching();
let stopSweeps = (): Promise<void> => Promise.resolve();
let stopping = false;

/**
 * Ends within 20 seconds. First /readyz says no, while requests are still taken until load balancers have noticed
 * (DRAIN_SECONDS); no job and no sweep is begun any more. Then requests in flight may finish. A job that takes longer is
 * given back, and another node begins it at once.
 */
async function stop(drainSeconds = 0): Promise<void> {
  if (stopping) return;
  stopping = true;
  const began = performance.now();
  const left = (until: number): number => Math.max(0, until - (performance.now() - began));
  setTimeout(() => process.exit(), HARD_END).unref();
  process.stdout.write('Stopping: what is under way may finish.\n');
  startDraining();
  const streamsEnded = endStreams();
  stopAnchoring();
  stopWatching();
  stopComparingClocks();
  clearInterval(guarding);
  const swept = stopSweeps();
  const jobsStopped = stopJobs(JOBS_END);
  await new Promise((resolve) => setTimeout(resolve, drainSeconds * SECOND));
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const late = setTimeout(() => server.closeAllConnections(), left(REQUESTS_END));
  await closed;
  clearInterval(idle);
  clearTimeout(late);
  await Promise.all([swept, jobsStopped, streamsEnded]);
  for (const feature of FEATURES) await feature.stop?.();
  await stopDemo();
  await stopMetrics();
  await leaveNodes();
  await closeDatabase();
}

process.on('SIGTERM', () => void stop(config.drainSeconds));
process.on('SIGINT', () => void stop());
process.on('unhandledRejection', (error) => {
  log.fatal({ err: error, event: 'unhandled' });
  process.exitCode = 1;
  void stop();
});

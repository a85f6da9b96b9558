import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { declarePages } from '#features/base/logging/page-names.server.ts';
import { isDemo } from '#features/demo/demo/demo.server.ts';
import type { ApiRoute } from '#features/base/people/people.ts';
import { stateOf, type Env } from '#features/base/people/people.server.ts';
import { errorResponse } from '#platform/http/api.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { isOutcomeUnknown, notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { carryOutOnce, type StoredAnswer } from '#platform/http/idempotency.server.ts';
import { describeApi } from './api-description.server.ts';
import { docsPage } from './api-docs.server.ts';
import './app.server.ts';
import { FEATURES } from './features/all.server.ts';
import { denialReason, PAGES } from './routes.ts';

const MAX_JSON = 256 * 1024;

/** Every call and who may make it; `visitor` needs no session (threat-model.md T84). */
export const API_ROUTES: readonly ApiRoute[] = [
  { method: 'get', path: '/api/openapi.json', who: 'visitor' },
  { method: 'get', path: '/api/docs', who: 'visitor' },
  ...FEATURES.flatMap(({ api: calls }) => calls?.routes ?? []),
];

declarePages(Object.keys(PAGES));

export const api = new OpenAPIHono<Env>();

api.onError(errorResponse);
api.notFound((c) => errorResponse(notFound(), c));

const FILE_ROUTES = API_ROUTES.filter((route) => route.takesFiles !== undefined).map(({ method, path }) => ({
  method: method.toUpperCase(),
  path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));
const takesFiles = ({ req }: Context<Env, string>): boolean =>
  FILE_ROUTES.some(({ method, path }) => method === req.method && path.test(req.path));
// Files are streamed past this limit; every other body is read into memory and must be small.
api.use('/api/*', async (c: Context<Env, string>, next) => {
  if (!takesFiles(c)) await limitBody(c);
  await next();
});

/**
 * Limits the body of a call. Hono's own limiter wraps the Request in a new one, which its Node adapter does
 * not support for a body without Content-Length.
 */
async function limitBody(c: Context<Env, string>): Promise<void> {
  const declaredLength = c.req.header('content-length');
  const chunks: Uint8Array[] = [];
  let size = Number(declaredLength ?? 0);
  const refuseTooLarge = (): void => {
    if (size > MAX_JSON) throw new PortalError('TOO_LARGE', { most: MAX_JSON });
  };
  refuseTooLarge();
  if (declaredLength !== undefined || !c.req.raw.body) return;
  for await (const piece of c.req.raw.body) {
    size += piece.length;
    refuseTooLarge();
    chunks.push(piece);
  }
  c.req.raw = new Request(c.req.url, {
    method: c.req.method,
    headers: c.req.raw.headers,
    body: size > 0 ? Buffer.concat(chunks) : null,
  });
}

/** Translates a declared path into Hono's syntax. */
function patternOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

for (const route of API_ROUTES) {
  api.on(route.method.toUpperCase(), patternOf(route.path), async (c, next) => {
    const code = denialReason(route, stateOf(c).session, { method: c.req.method, isDemo: isDemo() });
    if (code)
      throw new PortalError(code === 'UNAUTHENTICATED' && stateOf(c).lockedOut ? 'FIRM_LOCKED_OUT' : code);
    await next();
  });
}

const KEY = /^[\x21-\x7e]{1,255}$/;
const MAX_STORED = 1024 ** 2;

// A write with an Idempotency-Key is carried out once: the same key gets the first answer again for a day.
api.use('/api/*', async (c: Context<Env, string>, next) => {
  const key = c.req.header('idempotency-key');
  if (key === undefined || ['GET', 'HEAD', 'OPTIONS'].includes(c.req.method)) return next();
  if (!KEY.test(key))
    throw new PortalError('INVALID', { issues: [{ path: 'Idempotency-Key', message: 'not a key' }] });
  const { search, pathname } = new URL(c.req.url);
  const { session } = stateOf(c);
  const request = {
    // links of visitors have secrets of their own
    owner: session ? session.actor.contactId : pathname,
    key,
    // files are streamed: they are not known yet
    content: sha256(
      JSON.stringify([c.req.method, pathname + search, takesFiles(c) ? '' : sha256(await c.req.text())]),
    ),
  };
  const done = await carryOutOnce(
    request,
    async () => {
      await next();
      if (isOutcomeUnknown(c.error)) throw c.error;
      return c.res;
    },
    async (response) => (response.status < 400 ? stored(response) : undefined),
  );
  if (!done.isRepeated) return undefined;
  const { status, headers, body } = done.answer;
  return new Response(status === 204 ? null : Buffer.from(body, 'base64'), {
    status,
    headers: [...headers.map(([name, value]): [string, string] => [name, value]), [REPEATED, 'true']],
  });
});

/** Tells a program that the answer is that of an earlier request. */
const REPEATED = 'Idempotency-Replayed';

/** What is stored of an answer, unless it is a file. */
async function stored(response: Response): Promise<StoredAnswer | undefined> {
  const body = Buffer.from(await response.clone().arrayBuffer());
  const headers = ['content-type', 'location'].flatMap((name): [string, string][] => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return body.length > MAX_STORED
    ? undefined
    : { status: response.status, headers, body: body.toString('base64') };
}

for (const { api: calls } of FEATURES) if (calls) api.route('/', calls.app);

let described: ReturnType<typeof describeApi> | undefined;
const description = () => (described ??= describeApi(api, API_ROUTES));
api.get('/api/openapi.json', (c) => c.json(description()));
api.get('/api/docs', (c) => {
  c.header(
    'Content-Security-Policy',
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  return c.html(docsPage(description()));
});

/**
 * Denies by default: the portal does not start with a call that no feature declares, as it would have no
 * access check.
 */
const known = new Set(API_ROUTES.map(({ method, path }) => `${method} ${patternOf(path)}`));
for (const { method, path } of api.routes) {
  if (method !== 'ALL' && !known.has(`${method.toLowerCase()} ${path}`))
    throw new Error(
      `${method} ${path} is mounted but nobody declared who may call it: add it to the routes in the feature.server.ts of its feature.`,
    );
}

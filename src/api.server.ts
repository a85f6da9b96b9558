import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { isDemo } from '#features/demo/demo.server.ts';
import type { ApiRoute } from '#features/people/people.ts';
import { stateOf, type Env } from '#features/people/people.server.ts';
import { errorResponse } from '#platform/api.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import { describeApi } from './api-description.server.ts';
import { docsPage } from './api-docs.server.ts';
import { FEATURES } from './app.server.ts';
import { denialReason } from './routes.ts';

const MAX_JSON = 256 * 1024;

/** Every call and who may make it; `visitor` needs no session (threat-model.md T84). */
export const API_ROUTES: readonly ApiRoute[] = [
  { method: 'get', path: '/api/openapi.json', who: 'visitor' },
  { method: 'get', path: '/api/docs', who: 'visitor' },
  ...FEATURES.flatMap(({ api: calls }) => calls?.routes ?? []),
];

export const api = new OpenAPIHono<Env>();

api.onError(errorResponse);
api.notFound((c) => errorResponse(notFound(), c));

const FILE_ROUTES = API_ROUTES.filter((route) => route.takesFiles).map(({ method, path }) => ({
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

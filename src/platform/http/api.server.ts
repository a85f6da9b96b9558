import type { IncomingMessage } from 'node:http';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { routePath } from 'hono/route';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ZodError, ZodType } from 'zod';
import { PortalError, refusal } from '../runtime/errors.server.ts';
import { errorPage } from './error-page.server.ts';
import { isLang, preferredLanguage, type Lang } from '../text/languages.ts';
import { log } from '../monitoring/log.server.ts';

/**
 * The error body of every call: one entry per reason, with `reason` and `code` alike (spec 1 section 7). Named, so
 * that the OpenAPI document has it once.
 */
const problem = z
  .object({ errors: z.array(z.looseObject({ code: z.string(), reason: z.string() })) })
  .openapi('Problem');

const json = <S extends ZodType>(schema: S, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

/** Request body and response envelope of a call (spec 1 section 7). */
export const jsonBody = <S extends ZodType>(schema: S) => ({
  required: true,
  content: { 'application/json': { schema } },
});
export const data = <S extends ZodType>(schema: S) => z.strictObject({ data: schema });

/** The responses of a call for its OpenAPI description: success, and the errors any call may return. */
export const responses = <S extends ZodType>(schema: S, description: string) => ({
  200: json(schema, description),
  401: json(problem, 'Not signed in'),
  403: json(problem, 'Cross-site request, or not permitted'),
  404: json(problem, 'Not found, or not visible to you'),
  409: json(problem, 'The name is taken; `suggestion` is available'),
  413: json(problem, 'Too large'),
  415: json(problem, 'This type is not allowed'),
  422: json(problem, 'Invalid input; `issues` lists the fields'),
  423: json(problem, 'Locked by the firm'),
  429: json(problem, 'Too many attempts; retry after `retryAfter` seconds'),
});

/** The response of a call that returns a file: its bytes, of any content type. */
export const fileResponse = (description: string) => ({
  description,
  content: { '*/*': { schema: z.string().meta({ format: 'binary' }) } },
});
export const rangeResponses = {
  206: fileResponse('The requested range'),
  416: { description: 'Range not satisfiable' },
};

/** A resource that existed and has expired. */
export const goneResponse = json(problem, 'Gone');

/** Throws INVALID for input that does not match the contract. */
export function invalidInput(result: { success: boolean; error?: ZodError }): void {
  if (!result.error) return;
  throw new PortalError('INVALID', {
    issues: result.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })),
  });
}

/**
 * A response that is not JSON of the contract, such as a file or a redirect: bypasses the typed JSON
 * responses.
 */
export const untyped = (response: Response): never => response as never;

/** Turns any error into a JSON response, or into an HTML page where a person followed a link that failed. */
export function errorResponse(error: unknown, c: Context): Response {
  const refused =
    (error instanceof HTTPException && error.status < 500) || isHangUp(error, c)
      ? new PortalError('INVALID')
      : refusal(error);
  if (!refused) log.error({ err: error, event: 'request.failed', route: routePath(c) });
  const code = refused?.code ?? 'INTERNAL';
  const status = (refused?.status ?? 500) as ContentfulStatusCode;
  const retryAfter = refused?.details['retryAfter'];
  if (typeof retryAfter === 'number') c.header('Retry-After', String(retryAfter));
  if (status >= 500 && isFollowedLink(c)) return c.html(errorPage(languageOfLink(c), error), status);
  return c.json({ errors: [{ code, reason: code, ...refused?.details }] }, status);
}

/** True when a browser navigated here, for example to a download: API clients do not ask for HTML. */
const isFollowedLink = (c: Context): boolean =>
  c.req.method === 'GET' && (c.req.header('accept')?.includes('text/html') ?? false);

/** The language of the page with the link, else the one the browser prefers. */
function languageOfLink(c: Context): Lang {
  const segment = URL.parse(c.req.header('referer') ?? '')?.pathname.split('/')[2];
  return isLang(segment) ? segment : preferredLanguage(c.req.header('accept-language'));
}

/**
 * True when the client disconnected before the request body was complete. Not our error, and nobody reads the
 * response.
 */
function isHangUp(error: unknown, c: Context): boolean {
  const { incoming } = c.env as { incoming?: Partial<IncomingMessage> };
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ECONNRESET' &&
    incoming?.destroyed === true &&
    incoming.complete === false
  );
}

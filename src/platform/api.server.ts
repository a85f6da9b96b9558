import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { routePath } from 'hono/route';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z, type ZodError, type ZodType } from 'zod';
import { PortalError, refusal } from './errors.server.ts';
import { log } from './log.server.ts';

/** How every call says no: one entry per reason, `reason` and `code` alike (spec 1 section 7: errors list, each with a reason). */
const problem = z.object({ errors: z.array(z.looseObject({ code: z.string(), reason: z.string() })) });

const json = <S extends ZodType>(schema: S, description: string) => ({ description, content: { 'application/json': { schema } } });

/** The body of a call, and what it gives, as the spec wraps it (spec 1 section 7). */
export const jsonBody = <S extends ZodType>(schema: S) => ({ required: true, content: { 'application/json': { schema } } });
export const data = <S extends ZodType>(schema: S) => z.strictObject({ data: schema });

/** The answers of a call for its OpenAPI description: what it gives, and the refusals every call may give. */
export const answers = <S extends ZodType>(schema: S, description: string) => ({
  200: json(schema, description),
  401: json(problem, 'Nobody is signed in'),
  403: json(problem, 'The request came from another site, or you may not do this'),
  404: json(problem, 'There is no such thing for you'),
  409: json(problem, 'The name is taken; `suggestion` is a free one'),
  413: json(problem, 'Too large'),
  415: json(problem, 'This type is not allowed'),
  422: json(problem, 'The input is not right; `issues` says where'),
  429: json(problem, 'Too many tries; `retryAfter` says how many seconds to wait'),
});

/** The answer of a call that gives a file: its bytes, of whatever type it is. */
export const fileAnswer = (description: string) => ({ description, content: { '*/*': { schema: z.string().meta({ format: 'binary' }) } } });
export const rangeAnswers = { 206: fileAnswer('The range asked for'), 416: { description: 'No such range' } };

/** What was there and is over. */
export const goneAnswer = json(problem, 'It is over');

/** The refusal of input that does not fit the contract. */
export function invalidInput(result: { success: boolean; error?: ZodError }): void {
  if (!result.error) return;
  throw new PortalError('INVALID', { issues: result.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })) });
}

/** An answer that is no JSON of the contract, such as a file or a redirect: it goes past the types that describe the JSON. */
export const untyped = (response: Response): never => response as never;

/** The one place that turns an error into a JSON answer. */
export function answerError(error: unknown, c: Context): Response {
  const no = (error instanceof HTTPException && error.status < 500) || isHangUp(error, c) ? new PortalError('INVALID') : refusal(error);
  if (!no) log.error({ err: error, event: 'request.failed', route: routePath(c) });
  const code = no?.code ?? 'INTERNAL';
  const retryAfter = no?.details['retryAfter'];
  if (typeof retryAfter === 'number') c.header('Retry-After', String(retryAfter));
  return c.json({ errors: [{ code, reason: code, ...no?.details }] }, (no?.status ?? 500) as ContentfulStatusCode);
}

/** True when the caller went away in the middle of what they sent: nobody hears the answer, and it is no fault of ours. */
function isHangUp(error: unknown, c: Context): boolean {
  const { incoming } = c.env as { incoming?: Partial<IncomingMessage> };
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && incoming?.destroyed === true && incoming.complete === false;
}

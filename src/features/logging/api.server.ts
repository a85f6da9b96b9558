import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { stateOf, type Env } from '#features/people/people.server.ts';
import { invalidInput, jsonBody, responses } from '#platform/api.server.ts';
import { logExceptions } from './logging.server.ts';
import { logged, logRequest } from './logging.ts';

export const loggingApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

loggingApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/logging/v1/log',
    tags: ['Logging'],
    summary: 'Report uncaught errors of a page',
    request: { body: jsonBody(logRequest) },
    responses: responses(logged, 'How many were logged'),
  }),
  async (c) => c.json({ logged: await logExceptions(stateOf(c).network, c.req.valid('json')) }, 200),
);

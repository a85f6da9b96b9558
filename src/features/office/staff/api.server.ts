import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { sessionIn, stateOf, type Env } from '#features/base/people/people.server.ts';
import { responses, invalidInput, jsonBody } from '#platform/http/api.server.ts';
import { setCookie } from '#platform/http/cookies.server.ts';
import { mountGrid } from '#features/base/grids/grid-api.server.ts';
import { auditGrid } from './audit-log.server.ts';
import { viewAnswer, viewRequest } from './staff.ts';
import { endViewing, startViewing } from './view-as.server.ts';

export const staffApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Staff'];
const path = '/api/security/v1/view-as';

staffApi.openapi(
  createRoute({
    method: 'post',
    path,
    tags,
    summary: 'Look as a contact of the own firm',
    request: { body: jsonBody(viewRequest) },
    responses: responses(viewAnswer, 'The session looks as the contact from now on, and cannot write'),
  }),
  async (c) => {
    const { token, until } = await startViewing(sessionIn(c), c.req.valid('json'));
    c.header('Set-Cookie', setCookie('sid', token));
    return c.json({ until: new Date(until).toISOString() }, 200);
  },
);

staffApi.openapi(
  createRoute({
    method: 'delete',
    path,
    tags,
    summary: 'Look no longer as a contact',
    responses: responses(z.strictObject({ ended: z.boolean() }), 'Whether anybody was looking'),
  }),
  async (c) => {
    const { session } = stateOf(c);
    const token = session && (await endViewing(session));
    if (token !== undefined) c.header('Set-Cookie', setCookie('sid', token));
    return c.json({ ended: token !== undefined }, 200);
  },
);

mountGrid(staffApi, auditGrid);

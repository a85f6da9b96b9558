import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { responses, invalidInput, jsonBody } from '#platform/http/api.server.ts';
import { flagAnswer, flagList, newValue } from './access.ts';
import { listFlags, setFlag } from './access.server.ts';

export const accessApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Access'];

accessApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/client-center/v1/flags',
    tags,
    summary: 'The feature flags',
    responses: responses(flagList, 'Every flag as it holds for the caller'),
  }),
  (c) => c.json({ data: listFlags(actorIn(c)) }, 200),
);

accessApi.openapi(
  createRoute({
    method: 'put',
    path: '/api/client-center/v1/flags/{flag}',
    tags,
    summary: 'Set a feature flag for the whole firm',
    request: { params: z.object({ flag: z.string().max(60) }), body: jsonBody(newValue) },
    responses: responses(flagAnswer, 'The flag as it is now'),
  }),
  async (c) =>
    c.json({ data: await setFlag(actorIn(c), c.req.valid('param').flag, c.req.valid('json').value) }, 200),
);

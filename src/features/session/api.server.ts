import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { themeOf } from '#features/firms/firms.server.ts';
import { themeInfo } from '#features/firms/firms.ts';
import { actorIn, stateOf, type Env } from '#features/people/people.server.ts';
import { answers, invalidInput } from '#platform/api.server.ts';
import { dropCookie } from '#platform/cookies.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { describeSession, endSession } from './session.server.ts';
import { sessionInfo } from './session.ts';

export const sessionApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Session'];
const path = '/api/security/v1/session';

sessionApi.openapi(createRoute({ method: 'get', path, tags, summary: 'Who is signed in, and with which rights', responses: answers(sessionInfo, 'Session bindings') }), (c) => {
  const { session } = stateOf(c);
  if (!session) throw new PortalError('UNAUTHENTICATED');
  return c.json(describeSession(session), 200);
});

sessionApi.openapi(createRoute({ method: 'delete', path, tags, summary: 'Sign out', responses: answers(z.strictObject({ ended: z.boolean() }), 'The session is over on the server') }), async (c) => {
  const { session } = stateOf(c);
  if (session) await endSession(session.id);
  c.header('Set-Cookie', dropCookie('sid'));
  c.header('Clear-Site-Data', '"cache", "storage"');
  return c.json({ ended: session !== undefined }, 200);
});

sessionApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/profile/v1/themes/{companyId}',
    tags,
    summary: 'The look of your firm',
    request: { params: z.strictObject({ companyId: z.string().max(60) }) },
    responses: answers(themeInfo, 'The theme'),
  }),
  async (c) => c.json(await themeOf(actorIn(c), c.req.valid('param').companyId), 200),
);

import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { stateOf, type Env } from '#features/people/people.server.ts';
import { answers, invalidInput } from '#platform/api.server.ts';
import { dropCookie } from '#platform/cookies.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { ownSession } from './devices.ts';
import { describeSession, endOtherSessions, endSession, listSessions } from './session.server.ts';
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

const own = '/api/security/v1/sessions';

sessionApi.openapi(createRoute({ method: 'get', path: own, tags, summary: 'The devices on which you are signed in', responses: answers(z.strictObject({ data: z.array(ownSession) }), 'Your sessions, the one last used first') }), async (c) => {
  const { session } = stateOf(c);
  if (!session) throw new PortalError('UNAUTHENTICATED');
  return c.json({ data: await listSessions(session) }, 200);
});

sessionApi.openapi(createRoute({ method: 'delete', path: own, tags, summary: 'Sign out everywhere but here', responses: answers(z.strictObject({ ended: z.int() }), 'How many sessions ended') }), async (c) => {
  const { session } = stateOf(c);
  if (!session) throw new PortalError('UNAUTHENTICATED');
  return c.json({ ended: await endOtherSessions(session) }, 200);
});

import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { sessionIn, type Env } from '#features/base/people/people.server.ts';
import { invalidInput, responses, untyped } from '#platform/http/api.server.ts';
import { readCookie } from '#platform/http/cookies.server.ts';
import { openStream } from './streams.server.ts';

export const liveApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

liveApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/notifications/v1/stream',
    tags: ['Notifications'],
    summary: 'Follow what is counted for a person, as server-sent events',
    description:
      'For pages of the portal. An event “counts” has numbers as JSON, and `v`, which is another one after each change; “bye” says that the session has ended. A stream lasts 15 minutes, does not extend the session, and tells programs nothing.',
    responses: {
      ...responses(z.string(), ''),
      200: {
        description: 'The events, until either side ends.',
        content: { 'text/event-stream': { schema: z.string() } },
      },
      204: { description: 'No stream for a program, or too many are open: ask again after some minutes.' },
    },
  }),
  async (c) => {
    const { incoming, outgoing } = c.env;
    if (!outgoing || c.req.method === 'HEAD') return untyped(new Response(null, { status: 204 }));
    await openStream(outgoing, sessionIn(c), readCookie(incoming.headers.cookie, 'sid'));
    return untyped(new Response(null, { headers: { 'x-hono-already-sent': 'true' } }));
  },
);

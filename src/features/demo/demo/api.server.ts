import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import type { Env } from '#features/base/people/people.server.ts';
import { responses, invalidInput } from '#platform/http/api.server.ts';
import { readMail } from './mailbox.server.ts';

export const demoApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

/** A mail as a mail program would show it, sandboxed from our own origin. */
const MAIL_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation; default-src 'none'; img-src 'self'; style-src 'unsafe-inline'";

demoApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/demo/v1/mails/{id}',
    tags: ['Demo'],
    summary: 'A mail of the demo, drawn',
    request: { params: z.object({ id: z.string().max(60) }) },
    responses: {
      ...responses(z.string(), 'HTML'),
      200: { description: 'The mail', content: { 'text/html': { schema: z.string() } } },
    },
  }),
  async (c) => {
    const mail = await readMail(c.req.valid('param').id);
    c.header('Content-Security-Policy', MAIL_POLICY);
    return c.html(mail.html);
  },
);

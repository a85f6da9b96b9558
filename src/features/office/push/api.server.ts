import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { sessionIn, type Env } from '#features/base/people/people.server.ts';
import { invalidInput, jsonBody, responses } from '#platform/http/api.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { newSubscription, subscriptionState } from './push.ts';
import { subscribe } from './subscriptions.server.ts';

export const pushApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const MAX_AN_HOUR = 60;

pushApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/notifications/v1/push-subscriptions',
    tags: ['Notifications'],
    summary: 'Get push notifications in this browser',
    description:
      'With what `PushManager.subscribe()` returns for the public key on the page of notifications. A renewal (`isRenewal`) subscribes nobody: it says that the browser is still in use, and answers whether it is subscribed. `renewWith` is the public key of the portal with which a browser that knows an earlier one subscribes anew, to send what it gets as a renewal that `replaces` the old endpoint.',
    request: { body: jsonBody(newSubscription) },
    responses: responses(subscriptionState, 'Whether this browser gets push notifications of the caller'),
  }),
  async (c) => {
    const session = sessionIn(c);
    await consume(`push:${session.actor.contactId}`, MAX_AN_HOUR, HOUR);
    const state = await subscribe(session, c.req.valid('json'), {
      language: languageOf(session.actor.language) ?? DEFAULT_LANG,
      userAgent: c.req.header('user-agent') ?? '',
    });
    return c.json(state, 200);
  },
);

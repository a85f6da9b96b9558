import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { sessionIn, stateOf, type Env } from '#features/base/people/people.server.ts';
import { renewSession } from '#features/identity/sessions/devices.server.ts';
import { invalidInput, jsonBody, responses } from '#platform/http/api.server.ts';
import { dropCookie, readCookie, setCookie } from '#platform/http/cookies.server.ts';
import { challengeFor } from './passkeys.server.ts';
import { proveAgain } from './second-factors.server.ts';
import { passkeyChallenge, proof, provedAgain } from './second-factors.ts';

export const secondFactorsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Session'];

const challenge = createRoute({
  method: 'post',
  path: '/api/security/v1/passkeys/challenge',
  tags,
  summary: 'A challenge for a passkey, for one use by this browser',
  responses: responses(passkeyChallenge, 'The challenge, base64url'),
});
secondFactorsApi.openapi(challenge, async (c) => {
  const { challenge: fresh, cookie } = await challengeFor(stateOf(c).network);
  c.header('Set-Cookie', cookie);
  return c.json({ challenge: fresh }, 200);
});

const stepUp = createRoute({
  method: 'post',
  path: '/api/security/v1/step-up',
  tags,
  summary: 'Prove once more who you are: for five minutes, calls that answered STEP_UP work',
  request: { body: jsonBody(proof) },
  responses: responses(provedAgain, 'Proved; the session goes on under a new cookie'),
});
secondFactorsApi.openapi(stepUp, async (c) => {
  const session = sessionIn(c);
  const how = await proveAgain(
    session.actor.prismGuid,
    c.req.valid('json'),
    readCookie(c.req.header('cookie'), 'passkey'),
  );
  const { token, authenticatedAt } = await renewSession(session, how);
  c.header('Set-Cookie', setCookie('sid', token));
  c.header('Set-Cookie', dropCookie('passkey'), { append: true });
  return c.json({ authenticatedAt: new Date(authenticatedAt).toISOString() }, 200);
});

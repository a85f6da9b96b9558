import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, sessionIn, stateOf, type Env } from '#features/people/people.server.ts';
import type { Session } from '#features/people/people.ts';
import { responses, invalidInput, jsonBody } from '#platform/api.server.ts';
import { dropCookie, readCookie, setCookie } from '#platform/cookies.server.ts';
import { challengeFor, proveAgain } from './identity.server.ts';
import {
  invitation,
  invitationRequest,
  invitations,
  passkeyChallenge,
  proof,
  provedAgain,
} from './identity.ts';
import { invite, listInvitations, revokeInvitation } from './invitations.server.ts';

/** Notes the proof in the session and gives it a new name; the feature `session` does it. */
export type Renew = (
  session: Session,
  how: readonly string[],
) => Promise<{ token: string; authenticatedAt: number }>;

export function identityApi(renew: Renew): OpenAPIHono<Env> {
  const api = new OpenAPIHono<Env>({ defaultHook: invalidInput });
  const tags = ['Session'];

  const challenge = createRoute({
    method: 'post',
    path: '/api/security/v1/passkeys/challenge',
    tags,
    summary: 'A challenge for a passkey, for one use by this browser',
    responses: responses(passkeyChallenge, 'The challenge, base64url'),
  });
  api.openapi(challenge, async (c) => {
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
  api.openapi(stepUp, async (c) => {
    const session = sessionIn(c);
    const how = await proveAgain(
      session.actor.prismGuid,
      c.req.valid('json'),
      readCookie(c.req.header('cookie'), 'passkey'),
    );
    const { token, authenticatedAt } = await renew(session, how);
    c.header('Set-Cookie', setCookie('sid', token));
    c.header('Set-Cookie', dropCookie('passkey'), { append: true });
    return c.json({ authenticatedAt: new Date(authenticatedAt).toISOString() }, 200);
  });

  const path = '/api/security/v1/invitations';

  api.openapi(
    createRoute({
      method: 'get',
      path,
      tags: ['Invitations'],
      summary: 'Whom the firm invited',
      responses: responses(invitations, 'The newest first, 200 at most'),
    }),
    async (c) => c.json({ invitations: await listInvitations(actorIn(c)) }, 200),
  );

  api.openapi(
    createRoute({
      method: 'post',
      path,
      tags: ['Invitations'],
      summary: 'Invite a contact by e-mail',
      request: { body: jsonBody(invitationRequest) },
      responses: responses(invitation, 'The invitation; one for the same address that was open is revoked'),
    }),
    async (c) => c.json(await invite(actorIn(c), c.req.valid('json')), 200),
  );

  api.openapi(
    createRoute({
      method: 'delete',
      path: `${path}/{id}`,
      tags: ['Invitations'],
      summary: 'Revoke an invitation',
      request: { params: z.object({ id: z.string().max(60) }) },
      responses: responses(invitation, 'The invitation; one that was accepted stays'),
    }),
    async (c) => c.json(await revokeInvitation(actorIn(c), c.req.valid('param').id), 200),
  );
  return api;
}

import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/people/people.server.ts';
import { answers, invalidInput } from '#platform/api.server.ts';
import { invitation, invitationRequest, invitations } from './identity.ts';
import { invite, listInvitations, revokeInvitation } from './invitations.server.ts';

export const identityApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Invitations'];
const path = '/api/security/v1/invitations';

identityApi.openapi(createRoute({ method: 'get', path, tags, summary: 'Whom the firm invited', responses: answers(invitations, 'The newest first, 200 at most') }), async (c) =>
  c.json({ invitations: await listInvitations(actorIn(c)) }, 200),
);

identityApi.openapi(
  createRoute({
    method: 'post',
    path,
    tags,
    summary: 'Invite a contact by e-mail',
    request: { body: { required: true, content: { 'application/json': { schema: invitationRequest } } } },
    responses: answers(invitation, 'The invitation; one for the same address that was open is revoked'),
  }),
  async (c) => c.json(await invite(actorIn(c), c.req.valid('json')), 200),
);

identityApi.openapi(
  createRoute({ method: 'delete', path: `${path}/{id}`, tags, summary: 'Revoke an invitation', request: { params: z.object({ id: z.string().max(60) }) }, responses: answers(invitation, 'The invitation; one that was accepted stays') }),
  async (c) => c.json(await revokeInvitation(actorIn(c), c.req.valid('param').id), 200),
);

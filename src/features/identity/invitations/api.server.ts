import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { invalidInput, jsonBody, responses } from '#platform/http/api.server.ts';
import { invite, listInvitations, revokeInvitation } from './invitations.server.ts';
import { invitation, invitationRequest, invitations } from './invitations.ts';

export const invitationsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const path = '/api/security/v1/invitations';

invitationsApi.openapi(
  createRoute({
    method: 'get',
    path,
    tags: ['Invitations'],
    summary: 'Whom the firm invited',
    responses: responses(invitations, 'The newest first, 200 at most'),
  }),
  async (c) => c.json({ invitations: await listInvitations(actorIn(c)) }, 200),
);

invitationsApi.openapi(
  createRoute({
    method: 'post',
    path,
    tags: ['Invitations'],
    summary: 'Invite a contact by email',
    request: { body: jsonBody(invitationRequest) },
    responses: responses(invitation, 'The invitation; one for the same address that was open is revoked'),
  }),
  async (c) => c.json(await invite(actorIn(c), c.req.valid('json')), 200),
);

invitationsApi.openapi(
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

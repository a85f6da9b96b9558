import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { responses, data, invalidInput, jsonBody } from '#platform/http/api.server.ts';
import { TYPE_IN_PATH } from '#features/documents/folders/addresses.ts';
import { containerTypes } from '#features/documents/folders/folders.ts';
import { newLock, newRole, rights, type Rights } from '../rights.ts';
import { rightsOf, setLocked } from '../rights.server.ts';
import { giveRole, type Role } from '#features/documents/folders/roles.server.ts';

export const rightsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Rights'];
const item = z.object({ id: z.string().max(60) });
const named = item.extend({ contactId: z.string().max(60) });
const outcome = responses(data(rights), 'Who may do what with it now');

async function changeRole(
  actor: Actor,
  type: Rights['type'],
  id: string,
  contactId: string,
  role: Role | undefined,
): Promise<Rights> {
  await rightsOf(actor, id, type);
  await giveRole(actor, id, contactId, role);
  return rightsOf(actor, id, type);
}

async function changeLock(actor: Actor, type: Rights['type'], id: string, locked: boolean): Promise<Rights> {
  await rightsOf(actor, id, type);
  await setLocked(actor, id, locked);
  return rightsOf(actor, id, type);
}

const freezing = {
  tags,
  summary: 'Freeze an item, or release it',
  description:
    'A Read lock of level Master: what is frozen, and all that is in it, is neither changed nor deleted by anybody; adding stays allowed. The first lock stays as it is when it is set again.',
};

for (const type of containerTypes) {
  rightsApi.openapi(
    createRoute({
      method: 'get',
      path: `/api/storage/v1/${type}/{id}/roles`,
      tags,
      summary: 'Who may do what in a container',
      request: { params: item },
      responses: responses(data(rights), "The client's contacts with their roles, and what is locked"),
    }),
    async (c) =>
      c.json({ data: await rightsOf(actorIn(c), c.req.valid('param').id, TYPE_IN_PATH[type]) }, 200),
  );

  rightsApi.openapi(
    createRoute({
      method: 'put',
      path: `/api/storage/v1/${type}/{id}/roles/{contactId}`,
      tags,
      summary: 'Give a contact a role in a container and below it',
      request: { params: named, body: jsonBody(newRole) },
      responses: outcome,
    }),
    async (c) =>
      c.json(
        {
          data: await changeRole(
            actorIn(c),
            TYPE_IN_PATH[type],
            c.req.valid('param').id,
            c.req.valid('param').contactId,
            c.req.valid('json').role,
          ),
        },
        200,
      ),
  );

  rightsApi.openapi(
    createRoute({
      method: 'delete',
      path: `/api/storage/v1/${type}/{id}/roles/{contactId}`,
      tags,
      summary: 'Take a role back',
      description:
        'The contact then is what they are in the container above, without one there a Contributor.',
      request: { params: named },
      responses: outcome,
    }),
    async (c) =>
      c.json(
        {
          data: await changeRole(
            actorIn(c),
            TYPE_IN_PATH[type],
            c.req.valid('param').id,
            c.req.valid('param').contactId,
            undefined,
          ),
        },
        200,
      ),
  );

  rightsApi.openapi(
    createRoute({
      method: 'put',
      path: `/api/storage/v1/${type}/{id}/lock`,
      ...freezing,
      request: { params: item, body: jsonBody(newLock) },
      responses: outcome,
    }),
    async (c) =>
      c.json(
        {
          data: await changeLock(
            actorIn(c),
            TYPE_IN_PATH[type],
            c.req.valid('param').id,
            c.req.valid('json').locked,
          ),
        },
        200,
      ),
  );
}

rightsApi.openapi(
  createRoute({
    method: 'put',
    path: '/api/storage/v1/documents/{id}/lock',
    ...freezing,
    request: { params: item, body: jsonBody(newLock) },
    responses: outcome,
  }),
  async (c) =>
    c.json(
      { data: await changeLock(actorIn(c), 'Document', c.req.valid('param').id, c.req.valid('json').locked) },
      200,
    ),
);

import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { messageQuery, newMessage } from '#features/clients/threads/threads.ts';
import { data, invalidInput, jsonBody, responses } from '#platform/http/api.server.ts';
import { clientMessage, clientMessagePage } from './client-messages.ts';
import { addClientMessage, listClientMessages, withdrawClientMessage } from './messages.server.ts';

export const clientMessagesApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Clients'];
const path = '/api/client-center/v1/clients/{clientId}/messages';
const id = z.string().max(60);

clientMessagesApi.openapi(
  createRoute({
    method: 'get',
    path,
    tags,
    summary: 'The messages with a client, 100 a page',
    description: 'Internal notes are returned to staff only. The call does not mark messages as read.',
    request: { params: z.object({ clientId: id }), query: messageQuery },
    responses: responses(data(clientMessagePage), 'The oldest first; deleted ones have no text'),
  }),
  async (c) =>
    c.json(
      { data: await listClientMessages(actorIn(c), c.req.valid('param').clientId, c.req.valid('query')) },
      200,
    ),
);

clientMessagesApi.openapi(
  createRoute({
    method: 'post',
    path,
    tags,
    summary: 'Write a message to a client, or as a client to the firm',
    description:
      'Plain text. Everyone who can see the client sees the message, and the other side is notified by email, at most once an hour for each client. With `isInternal`, for staff only, just the firm sees it and nobody is notified. At most 60 an hour. CLOSED for an archived client.',
    request: { params: z.object({ clientId: id }), body: jsonBody(newMessage) },
    responses: responses(data(clientMessage), 'The message, which its author may delete for 15 minutes'),
  }),
  async (c) =>
    c.json(
      { data: await addClientMessage(actorIn(c), c.req.valid('param').clientId, c.req.valid('json')) },
      200,
    ),
);

clientMessagesApi.openapi(
  createRoute({
    method: 'delete',
    path: `${path}/{messageId}`,
    tags,
    summary: 'Delete a message of your own',
    description:
      'Within 15 minutes; after that the message is part of the records, and the call is refused with FORBIDDEN. The message stays in the list, without its text.',
    request: { params: z.object({ clientId: id, messageId: id }) },
    responses: responses(data(z.strictObject({ id: z.string() })), 'The text was deleted'),
  }),
  async (c) => {
    const { clientId, messageId } = c.req.valid('param');
    await withdrawClientMessage(actorIn(c), clientId, messageId);
    return c.json({ data: { id: messageId } }, 200);
  },
);

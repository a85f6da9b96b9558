import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { data, invalidInput, jsonBody, responses } from '#platform/http/api.server.ts';
import { addTaskMessage, listTaskMessages, withdrawTaskMessage } from './messages.server.ts';
import { messageQuery, newMessage } from '#features/clients/threads/threads.ts';
import { taskMessage, taskMessagePage } from './task-messages.ts';

export const taskMessagesApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Tasks'];
const path = '/api/client-center/v3/tasks/{taskId}/messages';
const id = z.string().max(60);

taskMessagesApi.openapi(
  createRoute({
    method: 'get',
    path,
    tags,
    summary: 'The messages on a task, 100 a page',
    description: 'Internal notes are returned to staff only. The call does not mark messages as read.',
    request: { params: z.object({ taskId: id }), query: messageQuery },
    responses: responses(data(taskMessagePage), 'The oldest first; deleted ones have no text'),
  }),
  async (c) =>
    c.json(
      {
        data: await listTaskMessages(actorIn(c), c.req.valid('param').taskId, c.req.valid('query')),
      },
      200,
    ),
);

taskMessagesApi.openapi(
  createRoute({
    method: 'post',
    path,
    tags,
    summary: 'Write a message on a task',
    description:
      'Plain text, in any state of the task. Everyone who can see the task sees the message, and the other side is notified by email, at most once an hour for each task. With `isInternal`, for staff only, just the firm sees it and nobody is notified. At most 60 an hour.',
    request: { params: z.object({ taskId: id }), body: jsonBody(newMessage) },
    responses: responses(data(taskMessage), 'The message, which its author may delete for 15 minutes'),
  }),
  async (c) =>
    c.json({ data: await addTaskMessage(actorIn(c), c.req.valid('param').taskId, c.req.valid('json')) }, 200),
);

taskMessagesApi.openapi(
  createRoute({
    method: 'delete',
    path: `${path}/{messageId}`,
    tags,
    summary: 'Delete a message of your own',
    description:
      'Within 15 minutes; after that the message is part of the records, and the call is refused with FORBIDDEN. The message stays in the list, without its text.',
    request: { params: z.object({ taskId: id, messageId: id }) },
    responses: responses(data(z.strictObject({ id: z.string() })), 'The text was deleted'),
  }),
  async (c) => {
    const { taskId, messageId } = c.req.valid('param');
    await withdrawTaskMessage(actorIn(c), taskId, messageId);
    return c.json({ data: { id: messageId } }, 200);
  },
);

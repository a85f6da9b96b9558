import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/people/people.server.ts';
import { data, invalidInput, jsonBody, responses } from '#platform/api.server.ts';
import { addTaskMessage, listTaskMessages, withdrawTaskMessage } from './messages.server.ts';
import { messagePage, messageQuery, newTaskMessage, taskMessage } from './task-messages.ts';

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
    description: 'Notes of the firm are for staff only. The call does not mark messages as read.',
    request: { params: z.object({ taskId: id }), query: messageQuery },
    responses: responses(data(messagePage), 'The oldest first; deleted ones have no text'),
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
      'Plain text, in any state of the task. Who sees the task sees it, the other side is told by e-mail, at most once an hour for a task. With `isInternal`, which is for staff, only the firm sees it, and nobody is told. At most 60 an hour.',
    request: { params: z.object({ taskId: id }), body: jsonBody(newTaskMessage) },
    responses: responses(data(taskMessage), 'The message; for 15 minutes its author may delete it'),
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
      'Within 15 minutes; after that it is part of the records and is refused with FORBIDDEN. Its place stays, without the text.',
    request: { params: z.object({ taskId: id, messageId: id }) },
    responses: responses(data(z.strictObject({ id: z.string() })), 'Its text is gone'),
  }),
  async (c) => {
    const { taskId, messageId } = c.req.valid('param');
    await withdrawTaskMessage(actorIn(c), taskId, messageId);
    return c.json({ data: { id: messageId } }, 200);
  },
);

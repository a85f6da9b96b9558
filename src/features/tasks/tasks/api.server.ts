import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { data, invalidInput, jsonBody, responses } from '#platform/http/api.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { createTask, createTasksUnder } from './creating.server.ts';
import { patchStep, patchTask } from './editing.server.ts';
import { groupNamed, listGroups, taskOf, tasksOfClients } from './reading.server.ts';
import { deleteTask, deleteTasksOf } from './removing.server.ts';
import {
  MAX_STEPS,
  MAX_TASKS,
  newTask,
  readOptions,
  removal,
  stepChange,
  task,
  taskChange,
  taskGroup,
} from './tasks.ts';

export const tasksApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Tasks'];
const BASE = '/api/client-center/v3/tasks';
const MAX_CLIENTS = 20;

const id = z.string().max(60);
/** One id, or several joined by commas. */
const ids = z.string().max(61 * MAX_CLIENTS);
const clientIdsIn = (text: string): string[] => {
  const found = [...new Set(text.split(','))];
  if (found.length > MAX_CLIENTS) throw new PortalError('INVALID', { field: 'clientId' });
  return found;
};

tasksApi.openapi(
  createRoute({
    method: 'post',
    path: BASE,
    tags,
    summary: 'Create a task',
    description:
      'For staff. Without `taskGroupId` the task gets a group of its own. Tasks to sign, pay or review documents are asked for on their pages, with the document, the amount or the documents: here they are refused with INVALID and what they need.',
    request: { body: jsonBody(newTask) },
    responses: responses(data(task), 'The task'),
  }),
  async (c) => c.json({ data: await createTask(actorIn(c), c.req.valid('json')) }, 200),
);

tasksApi.openapi(
  createRoute({
    method: 'post',
    path: `${BASE}/{taskId}/tasks`,
    tags,
    summary: 'Create tasks in the group of a task, after it',
    description:
      'All of them or none: if one is refused, the answer has the messages of all refused ones, joined by ". ".',
    request: {
      params: z.object({ taskId: id }),
      body: jsonBody(z.array(z.unknown()).min(1).max(MAX_TASKS)),
    },
    responses: responses(data(z.array(task)), 'The tasks'),
  }),
  async (c) =>
    c.json(
      { data: await createTasksUnder(actorIn(c), c.req.valid('param').taskId, c.req.valid('json')) },
      200,
    ),
);

tasksApi.openapi(
  createRoute({
    method: 'get',
    path: `${BASE}/groups`,
    tags,
    summary: 'The task groups of all clients of the caller, by due date',
    request: { query: readOptions },
    responses: responses(data(z.array(taskGroup)), 'The groups with at least one task'),
  }),
  async (c) => c.json({ data: await listGroups(actorIn(c), undefined, c.req.valid('query')) }, 200),
);

tasksApi.openapi(
  createRoute({
    method: 'get',
    path: `${BASE}/groups/clients/{clientId}`,
    tags,
    summary: 'The task groups of a client, or of several, their ids joined by commas',
    request: { params: z.object({ clientId: ids }), query: readOptions },
    responses: responses(data(z.array(taskGroup)), 'The groups with their tasks, by due date'),
  }),
  async (c) => {
    const { clientId } = c.req.valid('param');
    const groups = await listGroups(actorIn(c), clientIdsIn(clientId), c.req.valid('query'));
    return c.json({ data: groups }, 200);
  },
);

tasksApi.openapi(
  createRoute({
    method: 'get',
    path: `${BASE}/groups/{taskGroupId}`,
    tags,
    summary: 'A task group with its tasks',
    request: { params: z.object({ taskGroupId: id }), query: readOptions },
    responses: responses(data(taskGroup), 'The group'),
  }),
  async (c) => {
    const { taskGroupId } = c.req.valid('param');
    const group = await groupNamed(actorIn(c), taskGroupId, c.req.valid('query'));
    return c.json({ data: group }, 200);
  },
);

tasksApi.openapi(
  createRoute({
    method: 'get',
    path: `${BASE}/clients/{clientId}`,
    tags,
    summary: 'The tasks of a client, or of several, their ids joined by commas',
    request: { params: z.object({ clientId: ids }), query: readOptions },
    responses: responses(data(z.array(task)), 'The tasks, in their order'),
  }),
  async (c) => {
    const { clientId } = c.req.valid('param');
    const tasks = await tasksOfClients(actorIn(c), clientIdsIn(clientId), c.req.valid('query'));
    return c.json({ data: tasks }, 200);
  },
);

tasksApi.openapi(
  createRoute({
    method: 'delete',
    path: `${BASE}/clients/{clientId}`,
    tags,
    summary: 'Delete all tasks of a client',
    description: 'For staff. The tasks can be restored for 30 days.',
    request: { params: z.object({ clientId: id }) },
    responses: responses(data(z.strictObject({ deleted: z.number().int() })), 'How many were deleted'),
  }),
  async (c) => {
    const deleted = await deleteTasksOf(actorIn(c), c.req.valid('param').clientId);
    return c.json({ data: { deleted } }, 200);
  },
);

tasksApi.openapi(
  createRoute({
    method: 'get',
    path: `${BASE}/{taskId}`,
    tags,
    summary: 'A task',
    request: { params: z.object({ taskId: id }), query: readOptions },
    responses: responses(data(task), 'The task, with its data and steps if they are asked for'),
  }),
  async (c) => {
    const { taskId } = c.req.valid('param');
    const found = await taskOf(actorIn(c), taskId, c.req.valid('query'));
    return c.json({ data: found }, 200);
  },
);

tasksApi.openapi(
  createRoute({
    method: 'patch',
    path: `${BASE}/{taskId}`,
    tags,
    summary: 'Change a task',
    description:
      'A status stands for an action: contacts start (WIP), submit (DONE, RECEIVED), take back (WIP) or set a task to "does not apply" (CANCELLED, with `doesNotApplyComment`), staff accept (DONE), reopen (WIP) or cancel (CANCELLED) it. `data` is merged with what is there, unless `replace` is set. An empty comment clears it. With `version`, a change of another version is refused with EDIT_CONFLICT and the current task.',
    request: { params: z.object({ taskId: id }), body: jsonBody(taskChange) },
    responses: responses(data(task), 'The task with the status that it has now'),
  }),
  async (c) =>
    c.json({ data: await patchTask(actorIn(c), c.req.valid('param').taskId, c.req.valid('json')) }, 200),
);

tasksApi.openapi(
  createRoute({
    method: 'patch',
    path: `${BASE}/{taskId}/steps/{stepNumber}`,
    tags,
    summary: 'Change a step of a task',
    description: 'An empty comment clears it. Steps are numbered from 1.',
    request: {
      params: z.object({ taskId: id, stepNumber: z.coerce.number().int().min(1).max(MAX_STEPS) }),
      body: jsonBody(stepChange),
    },
    responses: responses(data(task), 'The task'),
  }),
  async (c) => {
    const { taskId, stepNumber } = c.req.valid('param');
    return c.json({ data: await patchStep(actorIn(c), taskId, stepNumber, c.req.valid('json')) }, 200);
  },
);

tasksApi.openapi(
  createRoute({
    method: 'delete',
    path: `${BASE}/{taskId}`,
    tags,
    summary: 'Delete a task',
    description:
      'For staff. It can be restored for 30 days. With `delete=true` it is removed for good, which is refused for tasks that were submitted.',
    request: { params: z.object({ taskId: id }), query: removal },
    responses: responses(data(z.strictObject({ taskId: z.string() })), 'It is deleted'),
  }),
  async (c) => {
    const { taskId } = c.req.valid('param');
    await deleteTask(actorIn(c), taskId, { isFinal: c.req.valid('query').delete });
    return c.json({ data: { taskId } }, 200);
  },
);

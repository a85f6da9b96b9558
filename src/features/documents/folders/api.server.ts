import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { responses, data, invalidInput, jsonBody } from '#platform/http/api.server.ts';
import { TYPE_IN_PATH } from './addresses.ts';
import {
  container,
  containerTypes,
  newFolder,
  newProject,
  projectsQuery,
  rootsQuery,
  treeQuery,
} from './folders.ts';
import { createFolder, startProject } from './folders.server.ts';
import { containerTree, descendants, listProjects, roots } from './tree.server.ts';

export const foldersApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Documents'];

foldersApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/storage/v1/folders',
    tags,
    summary: 'Make a folder',
    request: { body: jsonBody(newFolder) },
    responses: responses(data(container), 'The new folder'),
  }),
  async (c) => c.json({ data: await createFolder(actorIn(c), c.req.valid('json')) }, 200),
);

foldersApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/storage/v1/projects',
    tags,
    summary: 'Create a project of a client',
    request: { body: jsonBody(newProject) },
    responses: responses(data(container), 'The new project'),
  }),
  async (c) => c.json({ data: await startProject(actorIn(c), c.req.valid('json')) }, 200),
);

foldersApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/containers/tree',
    tags,
    summary: "A client's containers, parents before children",
    request: { query: treeQuery },
    responses: responses(data(z.array(container)), 'Every container, with its depth'),
  }),
  async (c) => c.json({ data: await containerTree(actorIn(c), c.req.valid('query')) }, 200),
);

foldersApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/containers',
    tags,
    summary: 'The containers at the top, of one client or of all',
    request: { query: rootsQuery },
    responses: responses(
      data(z.strictObject({ items: z.array(container), pageIndex: z.number().int(), hasMore: z.boolean() })),
      'One page of containers',
    ),
  }),
  async (c) => c.json({ data: await roots(actorIn(c), c.req.valid('query')) }, 200),
);

foldersApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/projects',
    tags,
    summary: "A client's projects",
    request: { query: projectsQuery },
    responses: responses(
      data(z.array(container)),
      'The projects by name; of the type ClientContactFolder there is one at most',
    ),
  }),
  async (c) => c.json({ data: await listProjects(actorIn(c), c.req.valid('query')) }, 200),
);

for (const type of containerTypes) {
  foldersApi.openapi(
    createRoute({
      method: 'get',
      path: `/api/storage/v1/${type}/{id}/descendants`,
      tags,
      summary: 'All containers below one',
      request: { params: z.object({ id: z.string().max(60) }) },
      responses: responses(data(z.array(container)), 'Parents before children, each level by name'),
    }),
    async (c) =>
      c.json({ data: await descendants(actorIn(c), TYPE_IN_PATH[type], c.req.valid('param').id) }, 200),
  );
}

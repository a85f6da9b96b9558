import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { document } from '#features/documents/documents/documents.ts';
import { TYPE_IN_PATH } from '#features/documents/folders/addresses.ts';
import { container } from '#features/documents/folders/folders.ts';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { data, invalidInput, jsonBody, responses } from '#platform/http/api.server.ts';
import { copyItems } from './copying.server.ts';
import { chosenItems, filedAnswer, newFolderName, newName } from './filing.ts';
import { moveItems } from './moving.server.ts';
import { renameDocument, renameFolder } from './renaming.server.ts';

export const filingApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Documents'];
const params = z.object({ id: z.string().max(60) });

filingApi.openapi(
  createRoute({
    method: 'put',
    path: '/api/storage/v1/documents/{id}/name',
    tags,
    summary: 'Rename a document',
    description:
      'Its extension stays: a name without it gets it appended. Staff may change it with `changeExtension` to one that fits the content. A taken name is refused with NAME_CONFLICT and a `suggestion`.',
    request: { params, body: jsonBody(newName) },
    responses: responses(data(document), 'The document with its new name'),
  }),
  async (c) =>
    c.json({ data: await renameDocument(actorIn(c), c.req.valid('param').id, c.req.valid('json')) }, 200),
);

for (const type of ['projects', 'folders'] as const) {
  filingApi.openapi(
    createRoute({
      method: 'put',
      path: `/api/storage/v1/${type}/{id}/name`,
      tags,
      summary: 'Rename a folder',
      description:
        'A taken name is refused with NAME_CONFLICT and a `suggestion`. Projects are renamed by staff.',
      request: { params, body: jsonBody(newFolderName) },
      responses: responses(data(container), 'The folder with its new name'),
    }),
    async (c) => {
      const { name } = c.req.valid('json');
      const { id } = c.req.valid('param');
      return c.json({ data: await renameFolder(actorIn(c), TYPE_IN_PATH[type], id, name) }, 200);
    },
  );
}

filingApi.openapi(
  createRoute({
    method: 'put',
    path: '/api/storage/v1/items/move',
    tags,
    summary: 'Move documents and folders within a client',
    description: 'All possible ones at once. A name that is taken there gets the next free one.',
    request: { body: jsonBody(chosenItems) },
    responses: responses(data(filedAnswer), 'What became of each, documents first'),
  }),
  async (c) => c.json({ data: { items: await moveItems(actorIn(c), c.req.valid('json')) } }, 200),
);

filingApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/storage/v1/items/copy',
    tags,
    summary: 'Copy documents and folders, also to another client',
    description:
      'A copy is a new document, with a confirmation of its own. A name that is taken there gets the next free one. A folder with many documents is STARTED: they are copied in the background, into the folder `newId`.',
    request: { body: jsonBody(chosenItems) },
    responses: responses(data(filedAnswer), 'What became of each, documents first'),
  }),
  async (c) => c.json({ data: { items: await copyItems(actorIn(c), c.req.valid('json')) } }, 200),
);

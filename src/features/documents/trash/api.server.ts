import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { responses, data, invalidInput, jsonBody } from '#platform/http/api.server.ts';
import { TYPE_IN_PATH } from '#features/documents/folders/addresses.ts';
import { container, containerTypes } from '#features/documents/folders/folders.ts';
import { listDeletedFolders, restoreFolder, trashFolder } from './folder-trash.server.ts';
import {
  batchDelete,
  chosenDocuments,
  deletedAnswer,
  deletedFolder,
  placedDocument,
  purgedAnswer,
  restoredAnswer,
  trashedDocument,
  trashPage,
  trashQuery,
} from './trash.ts';
import {
  listTrash,
  purgeDocuments,
  restoreDocuments,
  trashDocument,
  trashDocuments,
} from './trash.server.ts';

export const trashApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Trash'];

trashApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/documents/trash',
    tags,
    summary: "A client's deleted documents, 100 a page",
    description: 'Staff see all that was deleted, contacts what they uploaded or deleted themselves.',
    request: { query: trashQuery },
    responses: responses(data(trashPage), 'One page of the trash, what was deleted last first'),
  }),
  async (c) => {
    const { clientId, from } = c.req.valid('query');
    return c.json({ data: await listTrash(actorIn(c), clientId, from) }, 200);
  },
);

trashApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/storage/v1/documents/trash',
    tags,
    summary: 'Delete a document',
    description:
      'It goes to the trash and can be restored. Staff and Owners of the container may delete every document, other contacts those that they uploaded: the rest is refused with FORBIDDEN, what is frozen with LOCKED.',
    request: { body: jsonBody(placedDocument) },
    responses: responses(data(trashedDocument), 'It is in the trash'),
  }),
  async (c) => {
    const { Id, ContainerId, ContainerType } = c.req.valid('json');
    return c.json(
      {
        data: await trashDocument(actorIn(c), { containerType: ContainerType, containerId: ContainerId }, Id),
      },
      200,
    );
  },
);

for (const type of containerTypes) {
  trashApi.openapi(
    createRoute({
      method: 'delete',
      path: `/api/storage/v1/${type}/{id}/documents/{documentId}`,
      tags,
      summary: 'Delete a document, at its deleteEndPoint',
      request: { params: z.object({ id: z.string().max(60), documentId: z.string().max(60) }) },
      responses: responses(data(trashedDocument), 'It is in the trash'),
    }),
    async (c) => {
      const { id, documentId } = c.req.valid('param');
      return c.json(
        {
          data: await trashDocument(
            actorIn(c),
            { containerType: TYPE_IN_PATH[type], containerId: id },
            documentId,
          ),
        },
        200,
      );
    },
  );
}

for (const type of ['projects', 'folders'] as const) {
  trashApi.openapi(
    createRoute({
      method: 'delete',
      path: `/api/storage/v1/${type}/{id}`,
      tags,
      summary: 'Delete a folder with everything in it',
      description:
        'It goes to the trash as one thing. What contains something that the caller may not delete is refused with FORBIDDEN, or LOCKED. Projects are deleted by staff.',
      request: { params: z.object({ id: z.string().max(60) }) },
      responses: responses(data(trashedDocument), 'It is in the trash'),
    }),
    async (c) =>
      c.json({ data: await trashFolder(actorIn(c), TYPE_IN_PATH[type], c.req.valid('param').id) }, 200),
  );
}

trashApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/folders/trash',
    tags,
    summary: "A client's deleted folders",
    description: 'Staff see all, contacts those that they deleted; the newest 200.',
    request: { query: trashQuery.pick({ clientId: true }) },
    responses: responses(data(z.array(deletedFolder)), 'What was deleted last first'),
  }),
  async (c) => c.json({ data: await listDeletedFolders(actorIn(c), c.req.valid('query').clientId) }, 200),
);

trashApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/storage/v1/folders/{id}/restore',
    tags,
    summary: 'Restore a deleted folder with what was deleted with it',
    request: { params: z.object({ id: z.string().max(60) }) },
    responses: responses(data(container), 'The folder; its name has a number if it was taken meanwhile'),
  }),
  async (c) => c.json({ data: await restoreFolder(actorIn(c), c.req.valid('param').id) }, 200),
);

trashApi.openapi(
  createRoute({
    method: 'put',
    path: '/api/storage/v1/documents/batch-delete',
    tags,
    summary: 'Delete several documents',
    description:
      'At most 1,000. What may not be deleted is answered with FORBIDDEN or LOCKED and stays; so is everything in `staffUploads`.',
    request: { body: jsonBody(batchDelete) },
    responses: responses(data(deletedAnswer), 'What became of each, in their order'),
  }),
  async (c) => c.json({ data: { items: await trashDocuments(actorIn(c), c.req.valid('json')) } }, 200),
);

trashApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/storage/v1/documents/restore',
    tags,
    summary: 'Restore documents from the trash',
    description:
      'Each goes back to its folder, or to that of the uploads where its folder is gone. A name that is taken meanwhile gets a number.',
    request: { body: jsonBody(chosenDocuments) },
    responses: responses(data(restoredAnswer), 'What became of each, in their order'),
  }),
  async (c) => c.json({ data: { items: await restoreDocuments(actorIn(c), c.req.valid('json').ids) } }, 200),
);

trashApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/storage/v1/documents/purge',
    tags,
    summary: 'Remove documents of the trash for good',
    description:
      'This cannot be undone. Contacts may do it with what they deleted themselves, staff with everything; what lay in a folder that is frozen now stays.',
    request: { body: jsonBody(chosenDocuments) },
    responses: responses(data(purgedAnswer), 'What became of each, in their order'),
  }),
  async (c) => c.json({ data: { items: await purgeDocuments(actorIn(c), c.req.valid('json').ids) } }, 200),
);

import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { responses, data, invalidInput, jsonBody } from '#platform/http/api.server.ts';
import {
  metadataAnswer,
  metadataFilter,
  metadataItems,
  metadataToRemove,
  metadataToSet,
} from '../metadata.ts';
import { findByMetadata, removeMetadata, setMetadata } from '../metadata.server.ts';

export const metadataApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Metadata'];
const path = '/api/storage/v1/itemmetadata';

metadataApi.openapi(
  createRoute({
    method: 'put',
    path,
    tags,
    summary: 'Note something about documents',
    description:
      'The named keys are set, the others stay; at most 20 a document, not `clientId`. It takes the right to update the document.',
    request: { body: jsonBody(metadataToSet) },
    responses: responses(data(metadataAnswer), 'What became of each, in their order'),
  }),
  async (c) => c.json({ data: { items: await setMetadata(actorIn(c), c.req.valid('json')) } }, 200),
);

metadataApi.openapi(
  createRoute({
    method: 'post',
    path: `${path}/filter`,
    tags,
    summary: "A client's documents by what is noted about them",
    request: { body: jsonBody(metadataFilter) },
    responses: responses(
      data(metadataItems),
      'Those with all of these values, the newest first, 500 at most',
    ),
  }),
  async (c) => c.json({ data: await findByMetadata(actorIn(c), c.req.valid('json')) }, 200),
);

metadataApi.openapi(
  createRoute({
    method: 'post',
    path: `${path}/remove`,
    tags,
    summary: 'Remove what is noted about documents',
    description: 'The named keys, or without `Keys` all of them.',
    request: { body: jsonBody(metadataToRemove) },
    responses: responses(data(metadataAnswer), 'What became of each, in their order'),
  }),
  async (c) => c.json({ data: { items: await removeMetadata(actorIn(c), c.req.valid('json')) } }, 200),
);

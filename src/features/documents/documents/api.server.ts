import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { data, invalidInput, jsonBody, responses } from '#platform/http/api.server.ts';
import { TYPE_IN_PATH } from '#features/documents/folders/addresses.ts';
import { constraintsAnswer, documentPage, documentQuery, narrowing } from './documents.ts';
import { containerTypes } from '#features/documents/folders/folders.ts';
import { clientOfQuery, listDocuments, listDocumentsIn } from './documents.server.ts';
import { constraints } from './file-types.server.ts';
import { existing } from './adding.server.ts';
import { metadataApi } from './internal/metadata-api.server.ts';
import { readingApi } from './internal/reading-api.server.ts';
import { rightsApi } from './internal/rights-api.server.ts';

export const documentsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });
for (const part of [rightsApi, readingApi, metadataApi]) documentsApi.route('/', part);

const tags = ['Documents'];
const place = z.object({ id: z.string().max(60) });

documentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/documents/constraints',
    tags,
    summary: 'The file types that may be uploaded',
    responses: responses(
      data(constraintsAnswer),
      'Extensions without a dot: those that the portal can show, and the others',
    ),
  }),
  (c) => c.json({ data: constraints() }, 200),
);

documentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/containers/documents',
    tags,
    summary: "A client's documents, 100 a page",
    description:
      'Of the client named by `clientId` or by `customFields` (`clientId:<id>`), else of that of the first of `parentIds`. With `customFields=<key>:<value>` those with this metadata, among the newest 1,000 of the client that have it.',
    request: { query: documentQuery },
    responses: responses(data(documentPage), 'One page of documents'),
  }),
  async (c) => {
    const query = c.req.valid('query');
    const actor = actorIn(c);
    return c.json({ data: await listDocuments(actor, await clientOfQuery(actor, query), query) }, 200);
  },
);

for (const type of containerTypes) {
  documentsApi.openapi(
    createRoute({
      method: 'get',
      path: `/api/storage/v1/${type}/{id}/documents`,
      tags,
      summary: 'The documents in one container',
      request: { params: place, query: narrowing },
      responses: responses(data(documentPage), 'One page of documents'),
    }),
    async (c) =>
      c.json(
        {
          data: await listDocumentsIn(
            actorIn(c),
            TYPE_IN_PATH[type],
            c.req.valid('param').id,
            c.req.valid('query'),
          ),
        },
        200,
      ),
  );

  documentsApi.openapi(
    createRoute({
      method: 'post',
      path: `/api/storage/v1/${type}/{id}/documents/exists`,
      tags,
      summary: 'Which names are taken',
      request: { params: place, body: jsonBody(z.array(z.string().max(1000)).max(1000)) },
      responses: responses(
        data(z.array(z.strictObject({ exists: z.boolean() }))),
        'One answer per name, in their order',
      ),
    }),
    async (c) => {
      const taken = await existing(
        actorIn(c),
        TYPE_IN_PATH[type],
        c.req.valid('param').id,
        c.req.valid('json'),
      );
      return c.json({ data: taken.map((exists) => ({ exists })) }, 200);
    },
  );
}

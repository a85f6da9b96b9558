import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { responses, data, invalidInput, jsonBody } from '#platform/http/api.server.ts';
import { readingAnswer, readingInput } from '../documents.ts';
import { setReading } from '../reading.server.ts';

export const readingApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

readingApi.openapi(
  createRoute({
    method: 'put',
    path: '/api/storage/v1/documents/read',
    tags: ['Documents'],
    summary: 'Mark documents as read, or as not read',
    description:
      'For contacts with the access control ShowClientDocsReadToggle. A document that is not yours to see is NOT_FOUND, and stops none of the others.',
    request: { body: jsonBody(readingInput) },
    responses: responses(data(readingAnswer), 'What became of each, in their order'),
  }),
  async (c) => c.json({ data: { items: await setReading(actorIn(c), c.req.valid('json')) } }, 200),
);

import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { sessionIn, type Env } from '#features/base/people/people.server.ts';
import { invalidInput, untyped } from '#platform/http/api.server.ts';
import {
  imageQuery,
  imageResponses,
  orEmptyPreview,
  pageNumber,
  sendPageImage,
} from './page-images.server.ts';
import { pageImage } from './viewer.server.ts';

export const viewerApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

viewerApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/documents/{documentId}/pages/{page}',
    tags: ['Documents'],
    summary: 'A page of a document as an image',
    description:
      'For PDFs and images; pages count from 1. Drawn anew as WebP, so that nothing of the file itself reaches the ' +
      'browser. A small preview that cannot be drawn is an empty image.',
    request: {
      params: z.object({ documentId: z.string().max(60), page: pageNumber }),
      query: imageQuery,
    },
    responses: imageResponses,
  }),
  async (c) => {
    const { documentId, page } = c.req.valid('param');
    const { width } = c.req.valid('query');
    const reads = c.req.method === 'GET';
    return untyped(
      await orEmptyPreview(width, async () =>
        sendPageImage(c.req.raw, await pageImage(sessionIn(c), documentId, { page, width, reads })),
      ),
    );
  },
);

import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { sessionIn, type Env } from '#features/people/people.server.ts';
import { responses, fileResponse, invalidInput, untyped } from '#platform/api.server.ts';
import { IMAGE_WIDTHS, type Width } from './viewer.ts';
import { pageImage } from './viewer.server.ts';

export const viewerApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const width = z.enum(IMAGE_WIDTHS.map(String) as [`${Width}`]).transform((text) => Number(text) as Width);

viewerApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/documents/{documentId}/pages/{page}',
    tags: ['Documents'],
    summary: 'A page of a document as an image',
    description:
      'For PDFs and images; pages count from 1. Drawn anew as WebP, so that nothing of the file itself reaches the browser.',
    request: {
      params: z.object({
        documentId: z.string().max(60),
        page: z.coerce.number().int().min(1).max(1_000_000),
      }),
      query: z.strictObject({ width }),
    },
    responses: {
      ...responses(z.string(), ''),
      200: fileResponse('The image'),
      304: { description: 'It is the one that the caller has' },
    },
  }),
  async (c) => {
    const { documentId, page } = c.req.valid('param');
    const { etag, draw } = await pageImage(sessionIn(c), documentId, {
      page,
      width: c.req.valid('query').width,
      reads: c.req.method === 'GET',
    });
    const headers = {
      'Content-Type': 'image/webp',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "sandbox; default-src 'none'",
      // A document never changes, but the right to see it may: the browser revalidates each time, also after
      // the session has ended.
      'Cache-Control': 'private, no-cache',
      ETag: `"${etag}"`,
    };
    if (c.req.header('if-none-match') === headers.ETag)
      return untyped(new Response(null, { status: 304, headers }));
    return untyped(new Response(new Uint8Array(await draw()), { headers }));
  },
);

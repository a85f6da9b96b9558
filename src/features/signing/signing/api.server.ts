import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import { orStepUp, sessionIn, type Env } from '#features/base/people/people.server.ts';
import { sendPageImage } from '#features/documents/viewer/page-images.server.ts';
import { WIDTHS } from '#features/documents/viewer/viewer.ts';
import { fileResponse, invalidInput, rangeResponses, responses, untyped } from '#platform/http/api.server.ts';
import { readCookie } from '#platform/http/cookies.server.ts';
import { requestedPart, sendFile } from '#platform/http/send-file.server.ts';
import { fetchCopy, pageImage, viewedBy, viewedThrough } from './viewing.server.ts';

export const signingApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const path = '/api/client-center/v3/signing';
const tags = ['Signing'];
const page = z.coerce.number().int().min(1).max(10_000);
const signingId = z.string().max(60);
const token = z.string().max(100);
const width = z.strictObject({
  width: z
    .enum(WIDTHS.map(String) as [`${(typeof WIDTHS)[number]}`])
    .transform((text) => Number(text) as (typeof WIDTHS)[number]),
});

const imageResponses = {
  ...responses(z.string(), ''),
  200: fileResponse('The image'),
  304: { description: 'It is the one that the caller has' },
};
const copyResponses = {
  ...responses(z.string(), ''),
  200: fileResponse(
    'The sealed document, the prepared one until all have signed; with `version=original` the document as it was sent, which is kept if it bears digital signatures',
  ),
  ...rangeResponses,
};

type Viewed = Awaited<ReturnType<typeof viewedBy>>;

/** The original is kept if it bears digital signatures, which the signed document does not. */
const version = z.strictObject({ version: z.literal('original').optional() });

async function sendCopy(c: Context<Env>, viewed: Viewed, wanted: z.infer<typeof version>): Promise<Response> {
  const { name, size, sha256, open } = await fetchCopy(
    viewed,
    (file) => requestedPart(c.req.raw, file),
    wanted.version,
  );
  return sendFile(c.req.raw, { name, size, type: 'application/pdf', etag: sha256, open }, c.env.outgoing);
}

signingApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/{signingId}/pages/{page}`,
    tags,
    summary: 'A page of a document to be signed, as an image',
    request: { params: z.object({ signingId, page }), query: width },
    responses: imageResponses,
  }),
  async (c) => {
    const { signingId: id, page: number } = c.req.valid('param');
    const viewed = await viewedBy(sessionIn(c), id);
    const reads = c.req.method === 'GET';
    const image = pageImage(viewed, { page: number, width: c.req.valid('query').width, reads });
    return untyped(await sendPageImage(c.req.raw, image));
  },
);

signingApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/{signingId}/document`,
    tags,
    summary: 'The document with its signatures and the seal of the firm, or the original',
    request: { params: z.object({ signingId }), query: version },
    responses: copyResponses,
  }),
  async (c) =>
    orStepUp(c, async () =>
      untyped(
        await sendCopy(c, await viewedBy(sessionIn(c), c.req.valid('param').signingId), c.req.valid('query')),
      ),
    ),
);

signingApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/links/{token}/pages/{page}`,
    tags,
    summary: 'A page of a document to be signed, through an opened link',
    request: { params: z.object({ token, page }), query: width },
    responses: imageResponses,
  }),
  async (c) => {
    const { token: link, page: number } = c.req.valid('param');
    const viewed = await viewedThrough(link, readCookie(c.req.header('cookie'), 'visit'));
    const reads = c.req.method === 'GET';
    const image = pageImage(viewed, { page: number, width: c.req.valid('query').width, reads });
    return untyped(await sendPageImage(c.req.raw, image));
  },
);

signingApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/links/{token}/document`,
    tags,
    summary:
      'The document with its signatures and the seal of the firm, or the original, through an opened link',
    request: { params: z.object({ token }), query: version },
    responses: copyResponses,
  }),
  async (c) =>
    untyped(
      await sendCopy(
        c,
        await viewedThrough(c.req.valid('param').token, readCookie(c.req.header('cookie'), 'visit')),
        c.req.valid('query'),
      ),
    ),
);

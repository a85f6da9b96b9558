import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import { actorIn, type Env } from '#features/people/people.server.ts';
import { WIDTHS } from '#features/viewer/viewer.ts';
import { fileResponse, invalidInput, rangeResponses, responses, untyped } from '#platform/api.server.ts';
import { readCookie } from '#platform/cookies.server.ts';
import { sendFile } from '#platform/send-file.server.ts';
import { copyOf, pageImage, viewedBy, viewedThrough } from './viewing.server.ts';

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
  200: fileResponse('The sealed document; the prepared one until all have signed'),
  ...rangeResponses,
};

type Viewed = Awaited<ReturnType<typeof viewedBy>>;

/** The right to see a page may end: the browser asks again each time. */
async function sendImage(
  c: Context<Env>,
  viewed: Viewed,
  wanted: { page: number; width: (typeof WIDTHS)[number] },
): Promise<Response> {
  const { etag, draw } = pageImage(viewed, wanted.page, wanted.width);
  const headers = {
    'Content-Type': 'image/webp',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Cache-Control': 'private, no-cache',
    ETag: `"${etag}"`,
  };
  if (c.req.header('if-none-match') === headers.ETag) return new Response(null, { status: 304, headers });
  return new Response(new Uint8Array(await draw()), { headers });
}

async function sendCopy(c: Context<Env>, viewed: Viewed): Promise<Response> {
  const { name, size, sha256, open } = await copyOf(viewed);
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
    const viewed = await viewedBy(actorIn(c), id);
    return untyped(await sendImage(c, viewed, { page: number, ...c.req.valid('query') }));
  },
);

signingApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/{signingId}/document`,
    tags,
    summary: 'The document with its signatures and the seal of the firm',
    request: { params: z.object({ signingId }) },
    responses: copyResponses,
  }),
  async (c) => untyped(await sendCopy(c, await viewedBy(actorIn(c), c.req.valid('param').signingId))),
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
    return untyped(await sendImage(c, viewed, { page: number, ...c.req.valid('query') }));
  },
);

signingApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/links/{token}/document`,
    tags,
    summary: 'The document with its signatures and the seal of the firm, through an opened link',
    request: { params: z.object({ token }) },
    responses: copyResponses,
  }),
  async (c) =>
    untyped(
      await sendCopy(
        c,
        await viewedThrough(c.req.valid('param').token, readCookie(c.req.header('cookie'), 'visit')),
      ),
    ),
);

import type { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import { document } from '#features/documents/documents.ts';
import { actorIn, orStepUp, sessionIn, stateOf, type Env } from '#features/people/people.server.ts';
import { eachFile } from '#features/uploads/multipart.server.ts';
import { bodyOf } from '#features/uploads/request-body.server.ts';
import { sendPageImage } from '#features/viewer/page-images.server.ts';
import { WIDTHS } from '#features/viewer/viewer.ts';
import {
  data,
  fileResponse,
  invalidInput,
  rangeResponses,
  responses,
  untyped,
} from '#platform/api.server.ts';
import { config } from '#platform/config.server.ts';
import { readCookie } from '#platform/cookies.server.ts';
import { PortalError, refusal } from '#platform/errors.server.ts';
import { flashCookie } from '#platform/flash.server.ts';
import { redirectTo } from '#platform/redirect.server.ts';
import { safeRedirect } from '#platform/safe-redirect.ts';
import { requestedPart, sendFile } from '#platform/send-file.server.ts';
import { uploadProblem } from './forms.server.ts';
import { assertMayAsk, keepRequest, MAX_REQUEST_FIELDS, uploadToSign } from './uploading.server.ts';
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
  200: fileResponse('The sealed document; the prepared one until all have signed'),
  ...rangeResponses,
};

type Viewed = Awaited<ReturnType<typeof viewedBy>>;

async function sendCopy(c: Context<Env>, viewed: Viewed): Promise<Response> {
  const { name, size, sha256, open } = await fetchCopy(viewed, (file) => requestedPart(c.req.raw, file));
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
    summary: 'The document with its signatures and the seal of the firm',
    request: { params: z.object({ signingId }) },
    responses: copyResponses,
  }),
  async (c) =>
    orStepUp(c, async () =>
      untyped(await sendCopy(c, await viewedBy(sessionIn(c), c.req.valid('param').signingId))),
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

// Documented, but not validated by the library, which would buffer the whole body first.
signingApi.openAPIRegistry.registerPath(
  createRoute({
    method: 'post',
    path: `${path}/clients/{clientId}/documents`,
    tags,
    summary: 'Upload a PDF that a client is asked to sign',
    description:
      'Multipart, field `file`: at most 50 MB and 500 pages, neither protected by a password nor damaged. It is filed in the folder of the firm, and nobody is notified. With `r` it answers with a redirect to that page, which shows the other fields again.',
    request: {
      params: z.object({ clientId: z.string().max(60) }),
      query: z.object({ r: z.string().max(2000).optional() }),
      body: {
        required: true,
        content: {
          'multipart/form-data': { schema: z.object({ file: z.string().meta({ format: 'binary' }) }) },
        },
      },
    },
    responses: {
      ...responses(data(document), 'The document'),
      303: { description: 'With `r`: back to that page' },
    },
  }),
);
signingApi.post(`${path}/clients/:clientId/documents`, async (c) => {
  const actor = actorIn(c);
  const clientId = c.req.param('clientId');
  const page = c.req.query('r');
  await assertMayAsk(actor, clientId);
  const typed = new FormData();
  const uploaded: z.infer<typeof document>[] = [];
  let problem: PortalError | undefined;
  const take = async (name: string, bytes: Readable): Promise<void> => {
    try {
      if (uploaded.length > 0) throw new PortalError('TOO_MANY_FILES');
      uploaded.push(await uploadToSign(actor, clientId, { name, bytes }));
    } catch (error) {
      problem = refusal(error);
      if (!problem || page === undefined || uploadProblem(problem) === undefined) throw error;
    }
  };
  await eachFile(bodyOf(c), c.req.header('content-type') ?? '', take, {
    takeField: (name, value) => void typed.append(name, value),
    fields: { most: MAX_REQUEST_FIELDS, size: 4096 },
  });
  const [stored] = uploaded;
  if (page === undefined) {
    if (!stored) throw new PortalError('EMPTY');
    return c.json({ data: stored }, 200);
  }
  const { session } = stateOf(c);
  if (session) await keepRequest(session, clientId, { typed, documentId: stored?.id });
  const key = problem ? uploadProblem(problem) : stored ? 'documentUploaded' : 'documentMissingFile';
  return redirectTo(safeRedirect(page, config.origin, `/${config.base}/`), [
    flashCookie({
      type: stored && !problem ? 'success' : 'danger',
      namespace: 'signing',
      key: key ?? 'documentFailed',
      vars: { name: stored?.name ?? '' },
    }),
  ]);
});

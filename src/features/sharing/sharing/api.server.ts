import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorIn, sessionIn, stateOf, type Env } from '#features/base/people/people.server.ts';
import {
  imageQuery,
  imageResponses,
  pageNumber,
  orEmptyPreview,
  sendPageImage,
} from '#features/documents/viewer/page-images.server.ts';
import {
  responses,
  fileResponse,
  goneResponse,
  invalidInput,
  jsonBody,
  rangeResponses,
  untyped,
} from '#platform/http/api.server.ts';
import { archiveNameOn } from '#platform/storage/archive-names.ts';
import { archivePaths } from '#platform/storage/archive-paths.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { readCookie } from '#platform/http/cookies.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { requestedPart, sendFile } from '#platform/http/send-file.server.ts';
import { zipLength, zipStream } from '#platform/storage/zip.server.ts';
import { extension, sentShare, sharePage, shareQuery } from './my-shares.ts';
import { shareAnswer, shareRequest } from './sharing.ts';
import { extendShare, listShares, revokeRecipient, revokeShare } from './my-shares.server.ts';
import { sharedBytes } from './recipient.server.ts';
import { shareDocuments } from './sending.server.ts';
import { noteUnderWay } from './in-flight.server.ts';
import { sharedPageImage } from './viewing.server.ts';

export const sharingApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Sharing'];
const token = z.string().regex(/^[\w-]{43}$/);

sharingApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/storage/v2/sharing/share',
    tags,
    summary: 'Share documents by email',
    request: { body: jsonBody(shareRequest) },
    responses: responses(shareAnswer, 'The share; each recipient gets a link of their own'),
  }),
  async (c) => {
    const request = c.req.valid('json');
    const lang =
      languageOf(request.locale ?? request.language ?? '') ?? languageOf(actorIn(c).language) ?? DEFAULT_LANG;
    return c.json(await shareDocuments(actorIn(c), request, lang, sessionIn(c)), 200);
  },
);

const through = (outgoing: Env['Bindings']['outgoing']) => (recipientId: string) =>
  void (outgoing && noteUnderWay(outgoing, recipientId));
const shareId = z.string().max(60);
const path = '/api/storage/v2/sharing/shares';

sharingApi.openapi(
  createRoute({
    method: 'get',
    path,
    tags,
    summary: 'What you sent of a client, for staff what the firm sent',
    request: { query: shareQuery },
    responses: responses(sharePage, 'The newest first'),
  }),
  async (c) => c.json(await listShares(actorIn(c), c.req.valid('query')), 200),
);

sharingApi.openapi(
  createRoute({
    method: 'post',
    path: `${path}/{shareId}/extend`,
    tags,
    summary: 'Let the links of a share work longer',
    request: { params: z.object({ shareId }), body: jsonBody(extension) },
    responses: {
      ...responses(sentShare, 'The share; it never works shorter than before'),
      410: goneResponse,
    },
  }),
  async (c) =>
    c.json(
      await extendShare(actorIn(c), c.req.valid('param').shareId, c.req.valid('json').expirationPeriod),
      200,
    ),
);

sharingApi.openapi(
  createRoute({
    method: 'delete',
    path: `${path}/{shareId}/recipients/{recipientId}`,
    tags,
    summary: 'End the link of one recipient',
    request: { params: z.object({ shareId, recipientId: z.string().max(60) }) },
    responses: responses(sentShare, 'The share; the links of the others go on'),
  }),
  async (c) =>
    c.json(
      await revokeRecipient(actorIn(c), c.req.valid('param').shareId, c.req.valid('param').recipientId),
      200,
    ),
);

sharingApi.openapi(
  createRoute({
    method: 'delete',
    path: `${path}/{shareId}`,
    tags,
    summary: 'End all links of a share',
    request: { params: z.object({ shareId }) },
    responses: responses(sentShare, 'The share; its links are over'),
  }),
  async (c) => c.json(await revokeShare(actorIn(c), c.req.valid('param').shareId), 200),
);

sharingApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v2/sharing/links/{token}/documents/{documentId}',
    tags,
    summary: 'Download one document of an opened link',
    request: { params: z.object({ token, documentId: z.string().max(60) }) },
    responses: {
      ...responses(z.string(), ''),
      200: fileResponse('The bytes, as an attachment; ranges are answered'),
      ...rangeResponses,
      410: goneResponse,
    },
  }),
  async (c) => {
    const { token: link, documentId } = c.req.valid('param');
    const [file] = await sharedBytes(link, readCookie(c.req.header('cookie'), 'visit'), documentId, {
      requestedPart: (found) => requestedPart(c.req.raw, found),
      belongsTo: stateOf(c).belongsTo,
      through: through(c.env.outgoing),
    });
    if (!file) throw notFound();
    return untyped(
      await sendFile(c.req.raw, { ...file, type: file.mimeType, etag: file.sha256 }, c.env.outgoing),
    );
  },
);

sharingApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v2/sharing/links/{token}/documents/{documentId}/pages/{page}',
    tags,
    summary: 'A page of a document of an opened link, as an image',
    description:
      'For PDFs and images of links without a limit of downloads. It counts as no download, but is audited as a view. ' +
      'A small preview that cannot be drawn is an empty image.',
    request: {
      params: z.object({ token, documentId: z.string().max(60), page: pageNumber }),
      query: imageQuery,
    },
    responses: {
      ...imageResponses,
      410: goneResponse,
    },
  }),
  async (c) => {
    const { token: link, documentId, page } = c.req.valid('param');
    const visits = readCookie(c.req.header('cookie'), 'visit');
    const { width } = c.req.valid('query');
    const reads = c.req.method === 'GET';
    return untyped(
      await orEmptyPreview(width, async () => {
        const image = await sharedPageImage(link, visits, documentId, { page, width, reads });
        stateOf(c).belongsTo?.(image.companyId);
        return sendPageImage(c.req.raw, image);
      }),
    );
  },
);

sharingApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v2/sharing/links/{token}/documents.zip',
    tags,
    summary: 'Download all documents of an opened link as one archive',
    request: { params: z.object({ token }) },
    responses: {
      ...responses(z.string(), ''),
      200: fileResponse('The archive, streamed; its length is known from the start'),
      410: goneResponse,
    },
  }),
  async (c) => {
    let sender = '';
    const files = await sharedBytes(
      c.req.valid('param').token,
      readCookie(c.req.header('cookie'), 'visit'),
      undefined,
      {
        requestedPart: () => (c.req.method === 'GET' ? 'whole' : 'headers'),
        belongsTo: (companyId) => {
          sender = companyId;
          stateOf(c).belongsTo?.(companyId);
        },
        through: through(c.env.outgoing),
      },
    );
    const names = archivePaths(files);
    const entries = files.map((file, i) => ({
      name: names[i] ?? file.name,
      size: file.size,
      crc32: file.crc32,
      modifiedAt: file.modifiedAt,
      open: () => file.open(),
    }));
    const { timeZone } = await firmOf(sender);
    const name = archiveNameOn(now(), timeZone);
    return untyped(
      await sendFile(
        c.req.raw,
        { name, type: 'application/zip', size: zipLength(entries), open: () => zipStream(entries) },
        c.env.outgoing,
      ),
    );
  },
);

import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, stateOf, type Env } from '#features/people/people.server.ts';
import { answers, fileAnswer, goneAnswer, invalidInput, rangeAnswers, untyped } from '#platform/api.server.ts';
import { archiveNames } from '#platform/archive-names.ts';
import { now } from '#platform/clock.server.ts';
import { readCookie } from '#platform/cookies.server.ts';
import { notFound } from '#platform/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/languages.ts';
import { isBeginning, sendFile } from '#platform/send-file.server.ts';
import { zipLength, zipStream } from '#platform/zip.server.ts';
import { shareAnswer, shareRequest } from './sharing.ts';
import { sharedBytes, shareDocuments } from './sharing.server.ts';

export const sharingApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Sharing'];
const token = z.string().regex(/^[\w-]{43}$/);

sharingApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/storage/v2/sharing/share',
    tags,
    summary: 'Send documents by e-mail',
    request: { body: { required: true, content: { 'application/json': { schema: shareRequest } } } },
    responses: answers(shareAnswer, 'The share; each recipient gets a link of their own'),
  }),
  async (c) => {
    const request = c.req.valid('json');
    const lang = languageOf(request.locale ?? request.language ?? '') ?? languageOf(actorIn(c).language) ?? DEFAULT_LANG;
    return c.json(await shareDocuments(actorIn(c), request, lang), 200);
  },
);

sharingApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v2/sharing/links/{token}/documents/{documentId}',
    tags,
    summary: 'Download one document of an opened link',
    request: { params: z.object({ token, documentId: z.string().max(60) }) },
    responses: { ...answers(z.string(), ''), 200: fileAnswer('The bytes, as an attachment; ranges are answered'), ...rangeAnswers, 410: goneAnswer },
  }),
  async (c) => {
    const { token: link, documentId } = c.req.valid('param');
    const [file] = await sharedBytes(link, readCookie(c.req.header('cookie'), 'visit'), documentId, { downloads: c.req.method === 'GET' && isBeginning(c.req.header('range')), belongsTo: stateOf(c).belongsTo });
    if (!file) throw notFound();
    return untyped(sendFile(c.req.raw, { ...file, type: file.mimeType, etag: file.sha256 }, c.env.outgoing));
  },
);

sharingApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v2/sharing/links/{token}/documents.zip',
    tags,
    summary: 'Download all documents of an opened link as one archive',
    request: { params: z.object({ token }) },
    responses: { ...answers(z.string(), ''), 200: fileAnswer('The archive, streamed; its length is known from the start'), 410: goneAnswer },
  }),
  async (c) => {
    const files = await sharedBytes(c.req.valid('param').token, readCookie(c.req.header('cookie'), 'visit'), undefined, { downloads: c.req.method === 'GET', belongsTo: stateOf(c).belongsTo });
    const names = archiveNames(files.map((file) => file.name));
    const entries = files.map((file, i) => ({ name: names[i] ?? file.name, size: file.size, crc32: file.crc32, modifiedAt: file.modifiedAt, open: () => file.open() }));
    const name = `documents-${new Date(now()).toISOString().slice(0, 10)}.zip`;
    return untyped(sendFile(c.req.raw, { name, type: 'application/zip', size: zipLength(entries), open: () => zipStream(entries) }, c.env.outgoing));
  },
);

import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import { actorIn, sessionIn, stateOf, type Env } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { responses, data, invalidInput, untyped } from '#platform/http/api.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { document, type Document } from '#features/documents/documents/documents.ts';
import { bodyOf, inParts, lengthOf } from '../request-body.server.ts';
import { MAX_BYTES } from '#features/documents/documents/rules.ts';
import { MAX_PART, openUpload, uploadMetadata, type OpenUpload } from '../uploads.ts';
import { uploaderOf } from '../uploader.server.ts';
import { dropUpload, finishUpload, listUploads, startUpload, takePart, uploadOf } from '../parts.server.ts';

/*
 * Resumable uploads: tus 1.0.0 (https://tus.io/protocols/resumable-upload) with creation, creation-with-upload,
 * termination, checksum and expiration. The last part gets the response of the multipart call. If the document could not
 * be created although all bytes are there (NAME_CONFLICT, no space), or if that response was lost, an empty
 * PATCH at the full offset requests it again; its Upload-Metadata may name another `filename` and
 * `onConflict`.
 */

export const partsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Uploads'];
const place = z.object({ uploadId: z.string().max(60) });
const PATH = '/api/storage/v1/uploads';
const EXTENSIONS = 'creation,creation-with-upload,expiration,termination,checksum';
const OF_PART = 'application/offset+octet-stream';
const renaming = z.object({
  filename: uploadMetadata.shape.filename.optional(),
  onConflict: z.enum(['fail', 'rename']).optional(),
});
const finished = z.strictObject({
  data: z.array(document),
  errors: z.array(z.looseObject({ code: z.string() })),
});

partsApi.use(`${PATH}/*`, async (c, next) => {
  c.header('Tus-Resumable', '1.0.0');
  if ((c.req.header('tus-resumable') ?? '1.0.0') !== '1.0.0') {
    c.header('Tus-Version', '1.0.0');
    throw new PortalError('STALE', { expected: 'Tus-Resumable: 1.0.0' });
  }
  await next();
});

// What a tus client may use; it asks without credentials, and learns only this.
for (const path of [PATH, `${PATH}/*`])
  partsApi.use(path, async (c, next) => {
    if (c.req.method !== 'OPTIONS') return next();
    c.header('Tus-Resumable', '1.0.0');
    c.header('Tus-Version', '1.0.0');
    c.header('Tus-Extension', EXTENSIONS);
    c.header('Tus-Checksum-Algorithm', 'sha1,sha256');
    c.header('Tus-Max-Size', String(MAX_BYTES));
    return c.body(null, 204);
  });

partsApi.openapi(
  createRoute({
    method: 'get',
    path: PATH,
    tags,
    summary: 'Your uploads that wait to go on',
    responses: responses(data(z.array(openUpload)), 'The newest first; each can go on until it expires'),
  }),
  async (c) => c.json({ data: await listUploads(actorIn(c)) }, 200),
);

partsApi.openapi(
  createRoute({
    method: 'post',
    path: PATH,
    tags,
    summary: 'Begin an upload in parts (tus 1.0.0)',
    description: `\`Upload-Length\` in bytes; \`Upload-Metadata\` with filename, containerType, containerId and, if wanted, into, onConflict and lastModified. Ten may be open at a time. The first bytes may follow at once (creation-with-upload). A body may be as long as the file: each ${MAX_PART} bytes of it are kept for good at once.`,
    responses: {
      ...responses(z.strictObject({}), ''),
      201: { description: '`Location` is where the parts go' },
    },
  }),
  async (c) => {
    const length = c.req.header('upload-length') ?? '';
    if (!/^\d{1,15}$/.test(length)) throw new PortalError('INVALID', { expected: 'Upload-Length' });
    c.header('Tus-Max-Size', String(MAX_BYTES));
    const upload = await startUpload(actorIn(c), Number(length), read(uploadMetadata, metadataIn(c)));
    c.header('Location', `${PATH}/${upload.uploadId}`);
    if (c.req.header('content-type') !== OF_PART) {
      describeUpload(c, upload);
      return untyped(c.body(null, 201));
    }
    return untyped(await receiveFirst(c, upload));
  },
);

partsApi.openapi(
  createRoute({
    method: 'get',
    path: `${PATH}/{uploadId}`,
    tags,
    summary: 'How far an upload is; HEAD as tus asks',
    request: { params: place },
    responses: responses(data(openUpload), '`Upload-Offset` says how many bytes are kept for good'),
  }),
  async (c) => {
    const { uploadId } = c.req.valid('param');
    const upload = await uploadOf(await uploaderIn(c, uploadId), uploadId);
    describeUpload(c, upload);
    return c.json({ data: upload }, 200);
  },
);

partsApi.openapi(
  createRoute({
    method: 'delete',
    path: `${PATH}/{uploadId}`,
    tags,
    summary: 'Give an upload up',
    request: { params: place },
    responses: { ...responses(z.strictObject({}), ''), 204: { description: 'Its bytes are gone' } },
  }),
  async (c) => {
    const { uploadId } = c.req.valid('param');
    await dropUpload(await uploaderIn(c, uploadId), uploadId);
    return untyped(c.body(null, 204));
  },
);

// Documented, but not validated by the library, which would buffer the whole body first.
partsApi.openAPIRegistry.registerPath(
  createRoute({
    method: 'patch',
    path: `${PATH}/{uploadId}`,
    tags,
    summary: 'The next part of an upload',
    description:
      'With `Upload-Offset`, and if wanted `Upload-Checksum` (sha1 or sha256) of at most 8 MiB. An empty part at the full offset makes the document when that failed before; its `Upload-Metadata` may name another filename.',
    request: {
      params: place,
      body: {
        required: true,
        content: { [OF_PART]: { schema: z.string().meta({ format: 'binary' }) } },
      },
    },
    responses: {
      ...responses(finished, 'That was the last part: what was kept'),
      204: { description: '`Upload-Offset` bytes are kept for good' },
    },
  }),
);
partsApi.patch(`${PATH}/:uploadId`, async (c) => {
  const body = bodyOf(c);
  try {
    return await receivePart(c, c.req.param('uploadId'), body);
  } catch (error) {
    const problem = refusal(error);
    if (problem?.code === 'OFFSET_MISMATCH') c.header('Upload-Offset', String(problem.details['offset']));
    throw error;
  } finally {
    body.resume(); // a refused body is read to its end, so that the connection can be reused
  }
});

/**
 * Takes the bytes that come with the creation of an upload. If they are refused there is no upload: the client does not
 * know its address yet. Those that arrived before a connection broke are kept, and listed.
 */
async function receiveFirst(c: Context<Env>, upload: OpenUpload): Promise<Response> {
  const [actor, body] = [actorIn(c), bodyOf(c)];
  try {
    const offset = await takeBody(c, actor, upload, body);
    describeUpload(c, { ...upload, offset });
    if (offset < upload.size) return c.body(null, 201);
    const stored = await finishUpload(actor, upload.uploadId);
    return c.json({ data: [stored], errors: [] } satisfies { data: Document[]; errors: object[] }, 201);
  } catch (error) {
    if (refusal(error)) await dropUpload(actor, upload.uploadId).catch(() => undefined);
    throw error;
  } finally {
    body.resume(); // a refused body is read to its end, so that the connection can be reused
  }
}

async function receivePart(
  c: Context<Env>,
  uploadId: string,
  bytes: ReturnType<typeof bodyOf>,
): Promise<Response> {
  const actor = await uploaderIn(c, uploadId);
  const upload = await uploadOf(actor, uploadId);
  if (c.req.header('content-type') !== OF_PART)
    throw new PortalError('TYPE_NOT_ALLOWED', { expected: OF_PART });
  const header = c.req.header('upload-offset') ?? '';
  if (!/^\d{1,15}$/.test(header)) throw new PortalError('INVALID', { expected: 'Upload-Offset' });
  const offset = await takeBody(c, actor, upload, bytes, Number(header));
  describeUpload(c, { ...upload, offset });
  if (offset < upload.size) return c.body(null, 204);
  const { filename, onConflict } = read(renaming, metadataIn(c));
  const stored = await finishUpload(actor, uploadId, {
    ...(filename !== undefined && { filename }),
    ...(onConflict !== undefined && { onConflict }),
  });
  return c.json({ data: [stored], errors: [] } satisfies { data: Document[]; errors: object[] }, 200);
}

/** Keeps the bytes of a body for good, each {@link MAX_PART} of them at once, and returns how many the upload has. */
async function takeBody(
  c: Context<Env>,
  actor: Actor,
  upload: OpenUpload,
  bytes: ReturnType<typeof bodyOf>,
  from = upload.offset,
): Promise<number> {
  const checksum = checksumIn(c);
  const missing = upload.size - upload.offset;
  // a checksum is that of the whole body, which is verified before any of it counts
  const most = checksum ? Math.min(MAX_PART, missing) : missing;
  if ((lengthOf(c) ?? 0) > most && from === upload.offset) throw new PortalError('TOO_LARGE', { most });
  let offset = from;
  for await (const part of inParts(bytes, MAX_PART))
    offset = await takePart(actor, upload.uploadId, { offset, bytes: part, checksum });
  return offset;
}

/** The contact as whom a request continues an upload; it is aborted when the firm of the upload is locked. */
async function uploaderIn(c: Context<Env>, uploadId: string): Promise<Actor> {
  const actor = await uploaderOf(sessionIn(c), uploadId);
  stateOf(c).belongsTo?.(actor.companyId);
  return actor;
}

function describeUpload(c: Context<Env>, { size, offset, expiresAt }: OpenUpload): void {
  c.header('Upload-Offset', String(offset));
  c.header('Upload-Length', String(size));
  c.header('Upload-Expires', new Date(expiresAt).toUTCString());
  c.header('Cache-Control', 'no-store');
}

/** Parses `Upload-Metadata`: names, each with its value in base64. */
function metadataIn(c: Context<Env>): Record<string, string> {
  const pairs = (c.req.header('upload-metadata') ?? '').split(',').map((pair) => pair.trim().split(/ +/));
  return Object.fromEntries(
    pairs
      .filter(([name]) => name !== '')
      .map(([name = '', value = '']) => [name, Buffer.from(value, 'base64').toString('utf8')]),
  );
}

function read<T>(schema: z.ZodType<T>, given: Record<string, string>): T {
  const { success, data: read } = schema.safeParse(given);
  if (!success) throw new PortalError('INVALID', { expected: 'Upload-Metadata' });
  return read;
}

function checksumIn(c: Context<Env>): { algorithm: 'sha1' | 'sha256'; digest: string } | undefined {
  const header = c.req.header('upload-checksum');
  if (header === undefined) return undefined;
  const [, algorithm, digest = ''] = /^(sha1|sha256) ([A-Za-z0-9+/]+=*)$/.exec(header) ?? [];
  if (algorithm !== 'sha1' && algorithm !== 'sha256')
    throw new PortalError('INVALID', { expected: 'Upload-Checksum: sha1 or sha256' });
  return { algorithm, digest };
}

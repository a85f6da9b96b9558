import type { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { eachFile } from '#features/documents/uploads/multipart.server.ts';
import { reserveQuota } from '#features/documents/uploads/quota.server.ts';
import { fileCode } from '#features/documents/uploads/refusals.ts';
import { bodyOf, lengthOf } from '#features/documents/uploads/request-body.server.ts';
import { data, invalidInput, responses } from '#platform/http/api.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { flashCookie } from '#platform/http/flash.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import { batchById, beginBatch, endBeginning } from './batches.server.ts';
import { startMatching } from './matching.server.ts';
import { AT_ONCE, fileAdder } from './staging.server.ts';

export const publishingApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const stored = z.strictObject({ id: z.string(), name: z.string(), sha256: z.string() });

// Documented, but not validated by the library, which would buffer the whole body first.
publishingApi.openAPIRegistry.registerPath(
  createRoute({
    method: 'post',
    path: '/api/storage/v1/publish-batches/{id}/files',
    tags: ['Publishing'],
    summary: 'Add files to a batch',
    description:
      'Multipart, field `file[]`. Only the creator of the batch sees them until it is published; a file of the same name is replaced. With `r` it matches the files to clients and answers with a redirect to that page; the id `new` then begins a batch, whose page is below that one.',
    request: {
      params: z.object({ id: z.string().max(60) }),
      query: z.object({ r: z.string().max(2000).optional() }),
      body: {
        required: true,
        content: {
          'multipart/form-data': { schema: z.object({ 'file[]': z.string().meta({ format: 'binary' }) }) },
        },
      },
    },
    responses: {
      ...responses(data(z.array(stored)), 'What was stored'),
      303: { description: 'With `r`: back to that page' },
    },
  }),
);

publishingApi.post('/api/storage/v1/publish-batches/:id/files', async (c) => {
  const actor = actorIn(c);
  const from = c.req.query('r');
  const isNew = from !== undefined && c.req.param('id') === 'new';
  const batchId = isNew ? await beginBatch(actor) : c.req.param('id');
  const add = await fileAdder(actor, batchId);
  let space: Promise<() => void> | undefined;
  const reserve = (): Promise<() => void> => (space ??= reserveQuota(actor.companyId, lengthOf(c) ?? 1));
  if (from === undefined) await reserve(); // the page of a plain form lists the files that exceeded the quota
  const files: z.infer<typeof stored>[] = [];
  const refused: { name: string; error: PortalError }[] = [];
  const take = async (name: string, bytes: Readable): Promise<void> => {
    try {
      await reserve();
      files.push(await add({ name, bytes }));
    } catch (error) {
      const problem = refusal(error);
      if (!problem || ['NOT_FOUND', 'EDIT_CONFLICT', 'FORBIDDEN'].includes(problem.code)) throw error;
      refused.push({ name, error: problem });
    }
  };
  try {
    await eachFile(bodyOf(c), c.req.header('content-type') ?? '', take, { atOnce: AT_ONCE });
  } finally {
    const release = await space?.catch(() => undefined);
    release?.();
    if (isNew) await endBeginning(actor, batchId, files);
  }
  const page = isNew && files.length > 0 ? `${from}/${batchId}` : from;
  const [first] = refused;
  if (page === undefined) {
    if (files.length === 0) throw first?.error ?? new PortalError('EMPTY');
    return c.json({ data: files }, 200);
  }
  // somebody who adds files by the page wants to see whose they are
  if (files.length > 0 && (await batchById(actor, batchId)).clientId === null)
    await startMatching(actor, batchId);
  return redirectTo(safeRedirect(page, config.origin, `/${config.base}/`), [
    flashCookie({
      type: first ? 'info' : files.length > 0 ? 'success' : 'danger',
      namespace: 'publishing',
      key: first ? 'filesRefused' : files.length > 0 ? 'filesAdded' : 'filesNone',
      vars: { count: first ? refused.length : files.length },
      items: refused.map(({ name, error }) => ({ name, codes: [fileCode(error)] })),
    }),
  ]);
});

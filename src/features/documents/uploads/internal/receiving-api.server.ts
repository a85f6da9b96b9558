import type { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { invalidInput, responses } from '#platform/http/api.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { notFound, PortalError, refusal, type ErrorCode } from '#platform/runtime/errors.server.ts';
import { flashCookie } from '#platform/http/flash.server.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import { containerTypeNamed, uploadFolderOf } from '#features/documents/folders/folders.server.ts';
import {
  CONTAINER_TYPES,
  containerTypes,
  uploadFolder,
  type ContainerType,
} from '#features/documents/folders/folders.ts';
import { document, type Document } from '#features/documents/documents/documents.ts';
import { describeNewDocument } from '#features/documents/documents/metadata.server.ts';
import { taskMetaData } from '#features/documents/documents/metadata.ts';
import { eachFile } from '../multipart.server.ts';
import { fileCodeOf } from '../refusals.ts';
import { assertMayUpload, reserveQuota } from '../quota.server.ts';
import { uploadDocument } from '../uploads.server.ts';
import { bodyOf, lengthOf } from '../request-body.server.ts';
import { containersOf } from '#features/documents/folders/scope.server.ts';

export const receivingApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

for (const type of containerTypes) {
  // Documented, but not validated by the library, which would buffer the whole body first.
  receivingApi.openAPIRegistry.registerPath(
    createRoute({
      method: 'post',
      path: `/api/storage/v1/${type}/{id}/documents`,
      tags: ['Documents'],
      summary: 'Upload documents',
      description:
        "Multipart, field `file[]`. `onConflict=fail` (the default) refuses a taken name with 409 and a free `suggestion`, `rename` takes the next free one. For a client, `into` names a folder: `uploads` is that of the contacts' uploads, `firm` that of the firm, each made with the first file; else the id of a container of the client. The other side is notified by email unless `notify=false`. `ccTaskLabel`, `ccGroupType` and `ccStep` are kept as metadata; like `notify` and `into` they stand in the query or in fields before the files.",
      request: {
        params: z.object({ id: z.string().max(60) }),
        query: z.object({
          onConflict: z.enum(['fail', 'rename']).default('fail'),
          into: z.string().max(60).optional(),
          r: z.string().max(2000).optional(),
          notify: z.enum(['true', 'false']).default('true'),
          ...taskMetaData.shape,
        }),
        body: {
          required: true,
          content: {
            'multipart/form-data': { schema: z.object({ 'file[]': z.string().meta({ format: 'binary' }) }) },
          },
        },
      },
      responses: {
        ...responses(
          z.strictObject({
            data: z.array(document),
            errors: z.array(z.looseObject({ code: z.string(), name: z.string() })),
          }),
          'What was kept, and what was not',
        ),
        303: { description: 'With `r`: back to that page, which says what was kept and what was not' },
      },
    }),
  );
  receivingApi.post(`/api/storage/v1/${type}/:id/documents`, async (c) => {
    const id = c.req.param('id');
    return receive(c, id, await containerTypeNamed(actorIn(c), type, id));
  });
}

interface Refused {
  [detail: string]: unknown;
  code: ErrorCode;
  reason: string;
  name: string;
}

async function receive(
  c: Context<Env>,
  containerId: string,
  containerType: ContainerType,
): Promise<Response> {
  const onConflict = c.req.query('onConflict') === 'rename' ? 'rename' : 'fail';
  const page = c.req.query('r');
  const length = lengthOf(c);
  // The page of a plain form lists the files that exceeded the quota.
  const isReserved = page === undefined && length !== undefined;
  const release = isReserved ? await reserveQuota(actorIn(c).companyId, length) : () => undefined;
  const named = { containerType, containerId, onConflict } as const;
  const { stored, refused } = await storeAll(c, actorIn(c), named, isReserved).finally(release);
  if (page !== undefined) return backToPage(page, stored, refused);
  if (stored.length + refused.length === 0) throw new PortalError('EMPTY');
  const [only] = refused;
  if (stored.length === 0 && only) throw new PortalError(only.code, only);
  return c.json({ data: stored, errors: refused }, 200);
}

interface Place {
  containerType: ContainerType;
  containerId: string;
  onConflict: 'rename' | 'fail';
}

/**
 * Returns the target of the files: the container itself, or for a client the one in `into`. NOT_FOUND for a
 * container of another client.
 */
async function placeFor(actor: Actor, named: Place, into: string | undefined): Promise<Place> {
  if (named.containerType !== 'Client' || into === undefined || into === '') return named;
  const { success, data: which } = uploadFolder.safeParse(into);
  if (success) {
    const { id, containerType } = await uploadFolderOf(actor, named.containerId, which);
    return { ...named, containerType, containerId: id };
  }
  const row = await containersOf(actor)
    .where('container_id', '=', into)
    .where('client_id', '=', named.containerId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return { ...named, containerType: CONTAINER_TYPES[row.container_type], containerId: row.container_id };
}

async function storeAll(c: Context<Env>, actor: Actor, named: Place, isReserved: boolean) {
  let place: Place | undefined;
  let left = lengthOf(c);
  const stored: Document[] = [];
  const refused: Refused[] = [];
  const fields = new Map<string, string>();
  const fieldOf = (field: string): string | undefined => c.req.query(field) ?? fields.get(field);
  const take = async (name: string, bytes: Readable): Promise<void> => {
    try {
      await assertMayUpload(actor);
      const task = taskIn(fieldOf);
      place ??= await placeFor(actor, named, fieldOf('into'));
      const notify = fieldOf('notify') !== 'false';
      const announced = isReserved ? 'reserved' : left;
      const isOfTask = Object.keys(task).length > 0;
      const added = await uploadDocument(actor, {
        ...place,
        name,
        bytes,
        notify,
        announced,
        ...(isOfTask && { alongWith: (documentId) => describeNewDocument(actor, documentId, task) }),
      });
      if (left !== undefined) left -= added.originalItemSize;
      stored.push(withTask(added, task));
    } catch (error) {
      const problem = refusal(error);
      if (!problem || problem.code === 'NOT_FOUND') throw error;
      refused.push({ reason: problem.code, ...problem.details, code: problem.code, name });
    }
  };
  await eachFile(bodyOf(c), c.req.header('content-type') ?? '', take, {
    takeField: (field, value) => void fields.set(field, value),
  });
  return { stored, refused };
}

/** Reads the task of an upload from its query or fields; INVALID if it is too long. */
function taskIn(fieldOf: (field: string) => string | undefined): Record<string, string> {
  const task = taskMetaData.safeParse(
    Object.fromEntries(Object.keys(taskMetaData.shape).map((field) => [field, fieldOf(field)])),
  );
  if (!task.success)
    throw new PortalError('INVALID', {
      issues: task.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
    });
  return Object.fromEntries(
    Object.entries(task.data).flatMap(([field, value]) =>
      value === undefined || value === '' ? [] : [[field, value]],
    ),
  );
}

const withTask = (stored: Document, task: Record<string, string>): Document => ({
  ...stored,
  customItemMetaData: task,
  customFields: { ...stored.customFields, ...task },
});

/** Answers a plain form: redirects to its page, which shows the result. */
function backToPage(page: string, stored: Document[], refused: Refused[]): Response {
  const location = safeRedirect(page, config.origin, `/${config.base}/`);
  const items = refused.map((file) => ({ name: file.name, codes: [fileCodeOf(file)] }));
  const vars = { count: stored.length, name: stored[0]?.name ?? '' };
  const message = (() => {
    if (refused.length === 0 && stored.length === 0) return { type: 'danger' as const, key: 'uploadNothing' };
    if (refused.length === 0)
      return {
        type: 'success' as const,
        key: stored.length === 1 ? 'uploadDocumentSuccessAlert' : 'uploadDocumentsSuccessAlert',
      };
    return stored.length > 0
      ? { type: 'info' as const, key: 'uploadDocumentsFailedWarning' }
      : { type: 'danger' as const, key: 'uploadDocumentsFailed' };
  })();
  return new Response(null, {
    status: 303,
    headers: {
      Location: location,
      'Set-Cookie': flashCookie({ ...message, namespace: 'documents', vars, items }),
    },
  });
}

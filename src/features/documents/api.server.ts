import type { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import { actorIn, clientIdsOf, orProveFirst, sessionIn, type Env } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import {
  responses,
  data,
  fileResponse,
  invalidInput,
  jsonBody,
  rangeResponses,
  untyped,
} from '#platform/api.server.ts';
import { config } from '#platform/config.server.ts';
import { notFound, PortalError, refusal, type ErrorCode } from '#platform/errors.server.ts';
import { flashCookie } from '#platform/flash.server.ts';
import { safeRedirect } from '#platform/safe-redirect.ts';
import { requestedPart, sendFile } from '#platform/send-file.server.ts';
import { TYPE_IN_PATH } from './addresses.ts';
import {
  constraintsAnswer,
  container,
  CONTAINER_TYPES,
  containerTypes,
  document,
  documentPage,
  documentQuery,
  narrowing,
  newFolder,
  projectsQuery,
  rootsQuery,
  treeQuery,
  uploadFolder,
  type ContainerType,
  type Document,
} from './documents.ts';
import {
  addDocument,
  clientOfQuery,
  constraints,
  containerTree,
  createFolder,
  descendants,
  existing,
  fetchDocument,
  listDocuments,
  listDocumentsIn,
  listProjects,
  roots,
} from './documents.server.ts';
import { uploadNotificationsApi } from './upload-notifications-api.server.ts';
import { announceUploads } from './upload-notifications.server.ts';
import { uploadFolderOf } from './containers.server.ts';
import { metadataApi } from './metadata-api.server.ts';
import { setMetadata } from './metadata.server.ts';
import { taskMetaData } from './metadata.ts';
import { eachFile } from './multipart.server.ts';
import { assertMayUpload, assertRoomOfFirm, countUpload, reserveQuota } from './quota.server.ts';
import { readingApi } from './reading-api.server.ts';
import { bodyOf } from './request-body.server.ts';
import { rightsApi } from './rights-api.server.ts';
import { scanApi } from './scan-api.server.ts';
import { containersOf } from './store.server.ts';
import { trashApi } from './trash-api.server.ts';
import { uploadsApi } from './uploads-api.server.ts';

export const documentsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });
documentsApi.route('/', trashApi);
documentsApi.route('/', scanApi);
documentsApi.route('/', rightsApi);
documentsApi.route('/', readingApi);
documentsApi.route('/', metadataApi);
documentsApi.route('/', uploadNotificationsApi);
documentsApi.route('/', uploadsApi);

const tags = ['Documents'];
const place = z.object({ id: z.string().max(60) });

documentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/documents/constraints',
    tags,
    summary: 'The file types that may be handed in',
    responses: responses(
      data(constraintsAnswer),
      'Extensions without a dot: those that the portal can show, and the others',
    ),
  }),
  (c) => c.json({ data: constraints() }, 200),
);

documentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/containers/documents',
    tags,
    summary: "A client's documents, 100 a page",
    description:
      'Of the client named by `clientId` or by `customFields` (`clientId:<id>`), else of that of the first of `parentIds`. With `customFields=<key>:<value>` those with this metadata, among the newest 1,000 of the client that have it.',
    request: { query: documentQuery },
    responses: responses(data(documentPage), 'One page of documents'),
  }),
  async (c) => {
    const query = c.req.valid('query');
    const actor = actorIn(c);
    return c.json({ data: await listDocuments(actor, await clientOfQuery(actor, query), query) }, 200);
  },
);

documentsApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/storage/v1/folders',
    tags,
    summary: 'Make a folder',
    request: { body: jsonBody(newFolder) },
    responses: responses(data(container), 'The new folder'),
  }),
  async (c) => c.json({ data: await createFolder(actorIn(c), c.req.valid('json')) }, 200),
);

documentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/containers/tree',
    tags,
    summary: "A client's containers, parents before children",
    request: { query: treeQuery },
    responses: responses(data(z.array(container)), 'Every container, with its depth'),
  }),
  async (c) => c.json({ data: await containerTree(actorIn(c), c.req.valid('query')) }, 200),
);

documentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/containers',
    tags,
    summary: 'The containers at the top, of one client or of all',
    request: { query: rootsQuery },
    responses: responses(
      data(z.strictObject({ items: z.array(container), pageIndex: z.number().int(), hasMore: z.boolean() })),
      'One page of containers',
    ),
  }),
  async (c) => c.json({ data: await roots(actorIn(c), c.req.valid('query')) }, 200),
);

documentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/projects',
    tags,
    summary: "A client's projects",
    request: { query: projectsQuery },
    responses: responses(
      data(z.array(container)),
      'The projects by name; of the type ClientContactFolder there is one at most',
    ),
  }),
  async (c) => c.json({ data: await listProjects(actorIn(c), c.req.valid('query')) }, 200),
);

for (const type of containerTypes) {
  documentsApi.openapi(
    createRoute({
      method: 'get',
      path: `/api/storage/v1/${type}/{id}/descendants`,
      tags,
      summary: 'All containers below one',
      request: { params: place },
      responses: responses(data(z.array(container)), 'Parents before children, each level by name'),
    }),
    async (c) =>
      c.json({ data: await descendants(actorIn(c), TYPE_IN_PATH[type], c.req.valid('param').id) }, 200),
  );

  documentsApi.openapi(
    createRoute({
      method: 'get',
      path: `/api/storage/v1/${type}/{id}/documents`,
      tags,
      summary: 'The documents in one container',
      request: { params: place, query: narrowing },
      responses: responses(data(documentPage), 'One page of documents'),
    }),
    async (c) =>
      c.json(
        {
          data: await listDocumentsIn(
            actorIn(c),
            TYPE_IN_PATH[type],
            c.req.valid('param').id,
            c.req.valid('query'),
          ),
        },
        200,
      ),
  );

  documentsApi.openapi(
    createRoute({
      method: 'post',
      path: `/api/storage/v1/${type}/{id}/documents/exists`,
      tags,
      summary: 'Which names are taken',
      request: { params: place, body: jsonBody(z.array(z.string().max(1000)).max(1000)) },
      responses: responses(
        data(z.array(z.strictObject({ exists: z.boolean() }))),
        'One answer per name, in their order',
      ),
    }),
    async (c) => {
      const taken = await existing(
        actorIn(c),
        TYPE_IN_PATH[type],
        c.req.valid('param').id,
        c.req.valid('json'),
      );
      return c.json({ data: taken.map((exists) => ({ exists })) }, 200);
    },
  );

  documentsApi.openapi(
    createRoute({
      method: 'get',
      path: `/api/storage/v1/${type}/{id}/documents/{documentId}`,
      tags,
      summary: 'Download a document',
      request: { params: place.extend({ documentId: z.string().max(60) }) },
      responses: {
        ...responses(z.string(), ''),
        200: fileResponse('The bytes, as an attachment; ranges are answered'),
        ...rangeResponses,
      },
    }),
    async (c) => {
      const { id, documentId } = c.req.valid('param');
      return orProveFirst(c, async () => {
        const { sha256, mimeType, ...file } = await fetchDocument(
          sessionIn(c),
          { containerType: await typeNamed(sessionIn(c).actor, type, id), containerId: id },
          documentId,
          (asked) => requestedPart(c.req.raw, asked),
        );
        return untyped(await sendFile(c.req.raw, { ...file, type: mimeType, etag: sha256 }, c.env.outgoing));
      });
    },
  );

  // Described, but not validated by the library, which would read the whole body into memory first.
  documentsApi.openAPIRegistry.registerPath(
    createRoute({
      method: 'post',
      path: `/api/storage/v1/${type}/{id}/documents`,
      tags,
      summary: 'Hand in documents',
      description:
        "Multipart, field `file[]`. `onConflict=fail` (the default) refuses a taken name with 409 and a free `suggestion`, `rename` takes the next free one. For a client, `into` names a folder: `uploads` is that of the contacts' uploads, `firm` that of the firm, each made with the first file; else the id of a container of the client. The other side is told by e-mail unless `notify=false`. `ccTaskLabel`, `ccGroupType` and `ccStep` are kept as metadata; like `notify` and `into` they stand in the query or in fields before the files.",
      request: {
        params: place,
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
  documentsApi.post(`/api/storage/v1/${type}/:id/documents`, async (c) => {
    const id = c.req.param('id');
    return receive(c, id, await typeNamed(actorIn(c), type, id));
  });
}

/**
 * The kind of container that an address means: the spec names folders in it whatever holds the documents, a
 * client, a project or a folder (spec 1 section 7).
 */
async function typeNamed(actor: Actor, type: keyof typeof TYPE_IN_PATH, id: string): Promise<ContainerType> {
  if (type !== 'folders') return TYPE_IN_PATH[type];
  const row = await containersOf(actor).where('container_id', '=', id).executeTakeFirst();
  if (row) return CONTAINER_TYPES[row.container_type];
  const client = await clientIdsOf(actor).where('clients.client_id', '=', id).executeTakeFirst();
  return client ? 'Client' : 'Folder';
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
  const length = c.req.header('content-length');
  // A plain form is told in words which of its files found no room.
  const isReserved = page === undefined && length !== undefined;
  const release = isReserved ? await reserveQuota(actorIn(c).companyId, Number(length)) : () => undefined;
  const named = { containerType, containerId, onConflict } as const;
  const { kept, refused } = await keepAll(c, actorIn(c), named, isReserved).finally(release);
  if (page !== undefined) return backToPage(page, kept, refused);
  if (kept.length + refused.length === 0) throw new PortalError('EMPTY');
  const [only] = refused;
  if (kept.length === 0 && only) throw new PortalError(only.code, only);
  return c.json({ data: kept, errors: refused }, 200);
}

interface Place {
  containerType: ContainerType;
  containerId: string;
  onConflict: 'rename' | 'fail';
}

/**
 * Where the files go: the place itself, or of a client what `into` names. NOT_FOUND for a container that is
 * not the client's.
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

async function keepAll(c: Context<Env>, actor: Actor, named: Place, isReserved: boolean) {
  let place: Place | undefined;
  const kept: Document[] = [];
  const refused: Refused[] = [];
  const fields = new Map<string, string>();
  const said = (field: string): string | undefined => c.req.query(field) ?? fields.get(field);
  const take = async (name: string, bytes: Readable): Promise<void> => {
    try {
      await assertMayUpload(actor);
      if (!isReserved) await assertRoomOfFirm(actor.companyId, 1);
      const task = taskSaid(said);
      place ??= await placeFor(actor, named, said('into'));
      const { containerId } = place;
      const isQuiet = said('notify') === 'false';
      const alongWith = async (id: string): Promise<void> => {
        await countUpload(actor);
        if (!isQuiet) await announceUploads(actor, containerId, [id]);
      };
      const added = await addDocument(actor, { ...place, name, bytes, alongWith });
      kept.push(await withTask(actor, added, task));
    } catch (error) {
      const no = refusal(error);
      if (!no || no.code === 'NOT_FOUND') throw error;
      refused.push({ ...no.details, code: no.code, reason: no.code, name });
    }
  };
  await eachFile(
    bodyOf(c),
    c.req.header('content-type') ?? '',
    take,
    (field, value) => void fields.set(field, value),
  );
  return { kept, refused };
}

/** The task that an upload belongs to, by what its query or its fields say; INVALID for what is too long. */
function taskSaid(said: (field: string) => string | undefined): Record<string, string> {
  const task = taskMetaData.safeParse(
    Object.fromEntries(Object.keys(taskMetaData.shape).map((field) => [field, said(field)])),
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

/** A document with its task noted about it. */
async function withTask(actor: Actor, kept: Document, task: Record<string, string>): Promise<Document> {
  if (Object.keys(task).length === 0) return kept;
  await setMetadata(actor, [{ Id: kept.id, ContainerId: kept.parent.id, CustomItemMetaData: task }]);
  return { ...kept, customItemMetaData: task, customFields: { ...kept.customFields, ...task } };
}

/** The answer to a plain form: back to its page, which says what happened. */
function backToPage(page: string, kept: Document[], refused: Refused[]): Response {
  const location = safeRedirect(page, config.origin, `/${config.base}/`);
  const items = refused.map(({ name, code }) => ({ name, codes: [code] }));
  const vars = { count: kept.length, name: kept[0]?.name ?? '' };
  const message = (() => {
    if (refused.length === 0 && kept.length === 0) return { type: 'danger' as const, key: 'uploadNothing' };
    if (refused.length === 0)
      return {
        type: 'success' as const,
        key: kept.length === 1 ? 'uploadDocumentSuccessAlert' : 'uploadDocumentsSuccessAlert',
      };
    return kept.length > 0
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

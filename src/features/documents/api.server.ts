import type { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import { actorIn, orProveFirst, sessionIn, type Env } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { answers, data, fileAnswer, invalidInput, jsonBody, rangeAnswers, untyped } from '#platform/api.server.ts';
import { config } from '#platform/config.server.ts';
import { PortalError, refusal, type ErrorCode } from '#platform/errors.server.ts';
import { flashCookie } from '#platform/flash.server.ts';
import { safeRedirect } from '#platform/safe-redirect.ts';
import { isBeginning, sendFile } from '#platform/send-file.server.ts';
import { TYPE_IN_PATH } from './addresses.ts';
import { constraintsAnswer, container, containerTypes, document, documentPage, documentQuery, narrowing, newFolder, projectsQuery, rootsQuery, treeQuery, type ContainerType, type Document } from './documents.ts';
import { addDocument, clientOfQuery, constraints, containerTree, createFolder, defaultFolder, descendants, existing, fetchDocument, listDocuments, listDocumentsIn, listProjects, roots } from './documents.server.ts';
import { arrivalsApi } from './arrivals-api.server.ts';
import { announceUploads } from './arrivals.server.ts';
import { metadataApi } from './metadata-api.server.ts';
import { setMetadata } from './metadata.server.ts';
import { taskMetaData } from './metadata.ts';
import { eachFile } from './multipart.server.ts';
import { readingApi } from './reading-api.server.ts';
import { bodyOf } from './request-body.server.ts';
import { rightsApi } from './rights-api.server.ts';
import { scanApi } from './scan-api.server.ts';
import { trashApi } from './trash-api.server.ts';
import { uploadsApi } from './uploads-api.server.ts';

export const documentsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });
documentsApi.route('/', trashApi);
documentsApi.route('/', scanApi);
documentsApi.route('/', rightsApi);
documentsApi.route('/', readingApi);
documentsApi.route('/', metadataApi);
documentsApi.route('/', arrivalsApi);
documentsApi.route('/', uploadsApi);

const tags = ['Documents'];
const place = z.object({ id: z.string().max(60) });

documentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/documents/constraints',
    tags,
    summary: 'The file types that may be handed in',
    responses: answers(data(constraintsAnswer), 'Extensions without a dot: those that the portal can show, and the others'),
  }),
  (c) => c.json({ data: constraints() }, 200),
);

documentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/containers/documents',
    tags,
    summary: "A client's documents, 100 a page",
    description: 'Of the client named by `clientId` or by `customFields` (`clientId:<id>`), else of that of the first of `parentIds`. With `customFields=<key>:<value>` those with this metadata, among the newest 1,000 of the client that have it.',
    request: { query: documentQuery },
    responses: answers(data(documentPage), 'One page of documents'),
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
    responses: answers(data(container), 'The new folder'),
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
    responses: answers(data(z.array(container)), 'Every container, with its depth'),
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
    responses: answers(data(z.strictObject({ items: z.array(container), pageIndex: z.number().int(), hasMore: z.boolean() })), 'One page of containers'),
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
    responses: answers(data(z.array(container)), 'The projects by name; of the type ClientContactFolder there is one at most'),
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
      responses: answers(data(z.array(container)), 'Parents before children, each level by name'),
    }),
    async (c) => c.json({ data: await descendants(actorIn(c), TYPE_IN_PATH[type], c.req.valid('param').id) }, 200),
  );

  documentsApi.openapi(
    createRoute({
      method: 'get',
      path: `/api/storage/v1/${type}/{id}/documents`,
      tags,
      summary: 'The documents in one container',
      request: { params: place, query: narrowing },
      responses: answers(data(documentPage), 'One page of documents'),
    }),
    async (c) => c.json({ data: await listDocumentsIn(actorIn(c), TYPE_IN_PATH[type], c.req.valid('param').id, c.req.valid('query')) }, 200),
  );

  documentsApi.openapi(
    createRoute({
      method: 'post',
      path: `/api/storage/v1/${type}/{id}/documents/exists`,
      tags,
      summary: 'Which names are taken',
      request: { params: place, body: jsonBody(z.array(z.string().max(1000)).max(1000)) },
      responses: answers(data(z.array(z.strictObject({ exists: z.boolean() }))), 'One answer per name, in their order'),
    }),
    async (c) => {
      const taken = await existing(actorIn(c), TYPE_IN_PATH[type], c.req.valid('param').id, c.req.valid('json'));
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
      responses: { ...answers(z.string(), ''), 200: fileAnswer('The bytes, as an attachment; ranges are answered'), ...rangeAnswers },
    }),
    async (c) => {
      const { id, documentId } = c.req.valid('param');
      const asks = c.req.method !== 'GET' ? 'look' : isBeginning(c.req.header('range')) ? 'beginning' : 'rest';
      return orProveFirst(c, async () => {
        const { sha256, mimeType, ...file } = await fetchDocument(sessionIn(c), { containerType: TYPE_IN_PATH[type], containerId: id }, documentId, asks);
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
      description: "Multipart, field `file[]`. `onConflict=fail` (the default) refuses a taken name with 409 and a free `suggestion`, `rename` takes the next free one. For a client, `into=uploads` hands in to the folder of the contacts' uploads, and makes it with the first file. The other side is told by e-mail unless `notify=false`. `ccTaskLabel`, `ccGroupType` and `ccStep` are kept as metadata; like `notify` they stand in the query or in fields before the files.",
      request: {
        params: place,
        query: z.object({ onConflict: z.enum(['fail', 'rename']).default('fail'), into: z.enum(['uploads']).optional(), r: z.string().max(2000).optional(), notify: z.enum(['true', 'false']).default('true'), ...taskMetaData.shape }),
        body: { required: true, content: { 'multipart/form-data': { schema: z.object({ 'file[]': z.string().meta({ format: 'binary' }) }) } } },
      },
      responses: {
        ...answers(z.strictObject({ data: z.array(document), errors: z.array(z.looseObject({ code: z.string(), name: z.string() })) }), 'What was kept, and what was not'),
        303: { description: 'With `r`: back to that page, which says what was kept and what was not' },
      },
    }),
  );
  documentsApi.post(`/api/storage/v1/${type}/:id/documents`, (c) => receive(c, c.req.param('id'), TYPE_IN_PATH[type]));
}

interface Refused {
  [detail: string]: unknown;
  code: ErrorCode;
  reason: string;
  name: string;
}

async function receive(c: Context<Env>, containerId: string, containerType: ContainerType): Promise<Response> {
  const onConflict = c.req.query('onConflict') === 'rename' ? 'rename' : 'fail';
  const isForUploads = containerType === 'Client' && c.req.query('into') === 'uploads';
  const { kept, refused, said } = await keepAll(c, actorIn(c), { containerType, containerId, onConflict }, isForUploads);
  if (said('notify') !== 'false') await announceUploads(actorIn(c), kept);
  const page = c.req.query('r');
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

/** The folder of a client's uploads as a place. */
async function uploadsOf(actor: Actor, { containerId, onConflict }: Place): Promise<Place> {
  const { id, containerType } = await defaultFolder(actor, containerId);
  return { containerType, containerId: id, onConflict };
}

async function keepAll(c: Context<Env>, actor: Actor, named: Place, isForUploads: boolean) {
  let place = isForUploads ? undefined : named;
  const kept: Document[] = [];
  const refused: Refused[] = [];
  const fields = new Map<string, string>();
  const said = (field: string): string | undefined => c.req.query(field) ?? fields.get(field);
  const take = async (name: string, bytes: Readable): Promise<void> => {
    try {
      const task = taskSaid(said);
      place ??= await uploadsOf(actor, named);
      kept.push(await withTask(actor, await addDocument(actor, { ...place, name, bytes }), task));
    } catch (error) {
      const no = refusal(error);
      if (!no || no.code === 'NOT_FOUND') throw error;
      refused.push({ ...no.details, code: no.code, reason: no.code, name });
    }
  };
  await eachFile(bodyOf(c), c.req.header('content-type') ?? '', take, (field, value) => void fields.set(field, value));
  return { kept, refused, said };
}

/** The task that an upload belongs to, by what its query or its fields say; INVALID for what is too long. */
function taskSaid(said: (field: string) => string | undefined): Record<string, string> {
  const task = taskMetaData.safeParse(Object.fromEntries(Object.keys(taskMetaData.shape).map((field) => [field, said(field)])));
  if (!task.success) throw new PortalError('INVALID', { issues: task.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })) });
  return Object.fromEntries(Object.entries(task.data).flatMap(([field, value]) => (value === undefined || value === '' ? [] : [[field, value]])));
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
    if (refused.length === 0) return { type: 'success' as const, key: kept.length === 1 ? 'uploadDocumentSuccessAlert' : 'uploadDocumentsSuccessAlert' };
    return kept.length > 0 ? { type: 'info' as const, key: 'uploadDocumentsFailedWarning' } : { type: 'danger' as const, key: 'uploadDocumentsFailed' };
  })();
  return new Response(null, { status: 303, headers: { Location: location, 'Set-Cookie': flashCookie({ ...message, room: 'documents', vars, items }) } });
}

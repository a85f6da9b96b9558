import { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { mountGrid } from '#features/base/grids/grid-api.server.ts';
import { actorIn, orStepUp, sessionIn, type Env } from '#features/base/people/people.server.ts';
import { data, fileResponse, invalidInput, jsonBody, responses, untyped } from '#platform/http/api.server.ts';
import { attachment, sendStream } from '#platform/http/send-file.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { prepareBatch } from './batches.server.ts';
import { EXPORT_FORMATS, MAX_BATCH } from './desk.ts';
import { exportBatch } from './exports.server.ts';
import { queueGrid } from './queue-grid.server.ts';

export const serviceRequestDeskApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Service requests'];
const path = '/api/service-request/v1/exports';
const id = z.string().max(60);

mountGrid(serviceRequestDeskApi, queueGrid);

serviceRequestDeskApi.openapi(
  createRoute({
    method: 'post',
    path,
    tags,
    summary: 'Choose requests to export',
    description: 'NOT_FOUND if you see none of them. Those that were never sent are left out.',
    request: { body: jsonBody(z.strictObject({ ids: z.array(id).min(1).max(MAX_BATCH) })) },
    responses: responses(data(z.string()), 'The id of the export, which lasts for seven days'),
  }),
  async (c) => c.json({ data: await prepareBatch(actorIn(c), 'export', c.req.valid('json').ids) }, 200),
);

const TYPES = {
  json: 'application/json',
  csv: 'text/csv; charset=utf-8',
  zip: 'application/zip',
} as const;

serviceRequestDeskApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/{id}`,
    tags,
    summary: 'What was sent in many requests, for payroll programs',
    description:
      'As JSON with the fields of the events of eSocial, as a table, or as a ZIP with the files of the requests.',
    request: {
      params: z.object({ id }),
      query: z.strictObject({
        format: z.enum(EXPORT_FORMATS).default('json'),
        lang: z.enum(LANGS).default('en-us'),
      }),
    },
    responses: { ...responses(z.strictObject({}), ''), 200: fileResponse('The file, streamed') },
  }),
  async (c) =>
    orStepUp(c, async () => {
      const { format, lang } = c.req.valid('query');
      const batchId = c.req.valid('param').id;
      const content = await exportBatch(sessionIn(c), { batchId, format, lang });
      const headers = {
        'Content-Type': TYPES[format],
        'Content-Disposition': attachment(`service-requests.${format}`),
        'Cache-Control': 'no-store',
      };
      const bytes = Readable.from(content, { objectMode: false });
      const { outgoing } = c.env;
      if (!outgoing) return untyped(new Response(Readable.toWeb(bytes) as unknown as BodyInit, { headers }));
      outgoing.writeHead(200, headers);
      void sendStream(bytes, outgoing);
      return untyped(new Response(null, { headers: { 'x-hono-already-sent': 'true' } }));
    }),
);

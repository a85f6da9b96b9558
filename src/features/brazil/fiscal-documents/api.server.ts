import { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { mountGrid } from '#features/base/grids/grid-api.server.ts';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { fileResponse, invalidInput, responses, untyped } from '#platform/http/api.server.ts';
import { attachment, sendStream } from '#platform/http/send-file.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { clientStorage, companyStorage, month, STORAGES } from './fiscal-documents.ts';
import { fixityFile, fixityPdf } from './fixity-file.server.ts';
import { FISCAL_GRIDS, FISCAL_REPORT } from './grids.server.ts';
import { exportMonth } from './month-export.server.ts';
import { clientSwitch, isStorageOpen } from './ordered.server.ts';
import { fiscalXml } from './reading.server.ts';

/* The archives of fiscal documents (spec 2, section 7, boxe). */

export const fiscalDocumentsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Fiscal documents'];
const params = z.object({ id: z.string().max(60) });
const path = '/api/boxe/v1';

fiscalDocumentsApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/companies`,
    tags,
    summary: 'Whether the firm of the caller stores fiscal documents',
    description: 'For the caller: not for people for whom the firm has not turned it on.',
    responses: responses(companyStorage, 'Anything else than `enabled: true` means that it does not'),
  }),
  async (c) => c.json({ enabled: await isStorageOpen(actorIn(c)) }, 200),
);

fiscalDocumentsApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/clients/{id}`,
    tags,
    summary: 'Whether fiscal documents are stored for a client',
    request: { params },
    responses: responses(clientStorage, 'With the time when it was last switched on or off'),
  }),
  async (c) => {
    const actor = actorIn(c);
    const { id } = c.req.valid('param');
    const { isEnabled, toggledAt } = await clientSwitch(actor, id);
    const isOpen = await isStorageOpen(actor);
    const lastToggle = toggledAt === null ? null : new Date(toggledAt).toISOString();
    return c.json({ id, enabled: isOpen && isEnabled, lastToggle }, 200);
  },
);

fiscalDocumentsApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/documents/{id}/xml`,
    tags,
    summary: 'A fiscal document as it came in',
    description: '`file` names another of its copies; without it, the one that proves most.',
    request: { params, query: z.strictObject({ file: z.string().max(60).optional() }) },
    responses: { ...responses(z.strictObject({}), ''), 200: fileResponse('The bytes, unchanged') },
  }),
  async (c) => {
    const { name, bytes } = await fiscalXml(actorIn(c), c.req.valid('param').id, c.req.valid('query').file);
    return untyped(
      new Response(new Uint8Array(bytes), {
        headers: {
          'Content-Type': 'application/xml',
          'Content-Length': String(bytes.length),
          'Content-Disposition': attachment(name),
          'Cache-Control': 'no-store',
        },
      }),
    );
  },
);

fiscalDocumentsApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/exports`,
    tags,
    summary: 'All files of a month of an archive as a ZIP',
    request: {
      query: z.strictObject({ clientId: z.string().max(60), storage: z.enum(STORAGES), month }),
    },
    responses: { ...responses(z.strictObject({}), ''), 200: fileResponse('The archive, streamed') },
  }),
  async (c) => {
    const of = c.req.valid('query');
    const bytes = Readable.from(await exportMonth(actorIn(c), of), { objectMode: false });
    const headers = {
      'Content-Type': 'application/zip',
      'Content-Disposition': attachment(`${of.storage}-${of.month}.zip`),
      'Cache-Control': 'no-store',
    };
    const { outgoing } = c.env;
    if (!outgoing) return untyped(new Response(Readable.toWeb(bytes) as unknown as BodyInit, { headers }));
    outgoing.writeHead(200, headers);
    void sendStream(bytes, outgoing);
    return untyped(new Response(null, { headers: { 'x-hono-already-sent': 'true' } }));
  },
);

fiscalDocumentsApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/fixity`,
    tags,
    summary: 'The report on stored files as CSV or PDF',
    description: 'For staff who may publish: what is stored of their clients, and when it was checked.',
    request: { query: z.strictObject({ format: z.enum(['csv', 'pdf']).default('csv') }) },
    responses: { ...responses(z.strictObject({}), ''), 200: fileResponse('The report') },
  }),
  async (c) => {
    const { format } = c.req.valid('query');
    const content =
      format === 'pdf' ? new Uint8Array(await fixityPdf(actorIn(c))) : await fixityFile(actorIn(c));
    return untyped(
      new Response(content, {
        headers: {
          'Content-Type': format === 'pdf' ? 'application/pdf' : 'text/csv; charset=utf-8',
          'Content-Disposition': attachment(`fiscal-files-${dayOf(now(), 'UTC')}.${format}`),
          'Content-Security-Policy': "sandbox; default-src 'none'",
          'Cache-Control': 'no-store',
        },
      }),
    );
  },
);

for (const storage of STORAGES) mountGrid(fiscalDocumentsApi, FISCAL_GRIDS[storage]);
mountGrid(fiscalDocumentsApi, FISCAL_REPORT);

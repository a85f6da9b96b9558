import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { mountGrid } from '#features/base/grids/grid-api.server.ts';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { invalidInput, responses } from '#platform/http/api.server.ts';
import { assertAccepts } from './access.server.ts';
import { invoiceById, listClients, listInvoices } from './documents.server.ts';
import { invoiceGrid, worklistGrid } from './grids.server.ts';
import { acceptIntent, markInvoice, refuseIntent, withdrawMark, withEach } from './intents.server.ts';
import {
  acceptInput,
  clientPage,
  clientQuery,
  decidedAnswer,
  documentAnswer,
  documentPage,
  documentQuery,
  intentInput,
  refuseInput,
  withdrawQuery,
} from './invoice-manifest.ts';

/* Invoices that others issued to a client, and what is told about them (spec 2, section 7, manifesto). */

export const invoiceManifestApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Invoice manifest'];
const path = '/api/manifesto/v1';
const params = z.object({ id: z.string().max(60) });

invoiceManifestApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/documents`,
    tags,
    summary: 'The invoices that others issued to clients of the caller, a page of them',
    description: 'Those with the fewest days left come first. Contacts with several clients name one.',
    request: { query: documentQuery },
    responses: responses(documentPage, 'Each with what is registered about it'),
  }),
  async (c) => c.json(await listInvoices(actorIn(c), c.req.valid('query')), 200),
);

invoiceManifestApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/clients`,
    tags,
    summary: 'The clients of the caller, with the invoices that wait for a decision',
    request: { query: clientQuery },
    responses: responses(clientPage, 'By their names'),
  }),
  async (c) => c.json(await listClients(actorIn(c), c.req.valid('query')), 200),
);

invoiceManifestApi.openapi(
  createRoute({
    method: 'post',
    path: `${path}/documents/{id}/intent`,
    tags,
    summary: 'Marks what an invoice should be told to be',
    description: 'Nothing is told to the authority before another person of the firm accepts it.',
    request: {
      params,
      body: { content: { 'application/json': { schema: intentInput } }, required: true },
    },
    responses: responses(documentAnswer, 'The invoice with its open intent'),
  }),
  async (c) => {
    const { id } = c.req.valid('param');
    await markInvoice(actorIn(c), { id, ...c.req.valid('json') });
    return c.json(await invoiceById(actorIn(c), id), 200);
  },
);

invoiceManifestApi.openapi(
  createRoute({
    method: 'delete',
    path: `${path}/documents/{id}/intent`,
    tags,
    summary: 'Withdraws a mark before it is accepted',
    request: { params, query: withdrawQuery },
    responses: responses(documentAnswer, 'The invoice without an intent'),
  }),
  async (c) => {
    const { id } = c.req.valid('param');
    await withdrawMark(actorIn(c), { id, ...c.req.valid('query') });
    return c.json(await invoiceById(actorIn(c), id), 200);
  },
);

invoiceManifestApi.openapi(
  createRoute({
    method: 'post',
    path: `${path}/intents/accept`,
    tags,
    summary: 'Accepts what other persons have marked',
    request: { body: { content: { 'application/json': { schema: acceptInput } }, required: true } },
    responses: responses(decidedAnswer, 'What became of each; `SAME_PERSON` for marks of the caller'),
  }),
  async (c) => {
    const actor = actorIn(c);
    assertAccepts(actor);
    const { ids } = c.req.valid('json');
    return c.json(await withEach(ids, (id) => acceptIntent(actor, id)), 200);
  },
);

invoiceManifestApi.openapi(
  createRoute({
    method: 'post',
    path: `${path}/intents/refuse`,
    tags,
    summary: 'Refuses what was marked, with a reason',
    request: { body: { content: { 'application/json': { schema: refuseInput } }, required: true } },
    responses: responses(decidedAnswer, 'What became of each'),
  }),
  async (c) => {
    const actor = actorIn(c);
    assertAccepts(actor);
    const { ids, reason } = c.req.valid('json');
    return c.json(await withEach(ids, (id) => refuseIntent(actor, id, reason)), 200);
  },
);

mountGrid(invoiceManifestApi, invoiceGrid);
mountGrid(invoiceManifestApi, worklistGrid);

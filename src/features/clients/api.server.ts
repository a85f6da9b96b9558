import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { mountGrid } from '#features/grids/grid-api.server.ts';
import { actorIn, type Env } from '#features/people/people.server.ts';
import { responses, invalidInput, jsonBody } from '#platform/api.server.ts';
import { clientPage, clientQuery, nicknamePage, nicknameSearch } from './clients.ts';
import { archivedClientsGrid, clientsGrid } from './clients-grid.server.ts';
import { listClients, searchNicknames } from './clients.server.ts';

export const clientsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Clients'];

clientsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/client-center/v1/clients/',
    tags,
    summary: 'The clients that you may act for',
    request: { query: clientQuery },
    responses: responses(clientPage, 'One page of clients'),
  }),
  async (c) => c.json(await listClients(actorIn(c), c.req.valid('query')), 200),
);

clientsApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/core/v3/companies/{companyId}/clients/search',
    tags,
    summary: 'The nicknames of the clients that you may act for',
    request: { params: z.object({ companyId: z.string().max(60) }), body: jsonBody(nicknameSearch) },
    responses: responses(nicknamePage, 'One page of clients, with the nickname where it was asked for'),
  }),
  async (c) =>
    c.json(await searchNicknames(actorIn(c), c.req.valid('param').companyId, c.req.valid('json')), 200),
);

mountGrid(clientsApi, clientsGrid);
mountGrid(clientsApi, archivedClientsGrid);

import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { actorIn, type Env } from '#features/people/people.server.ts';
import { answers, invalidInput } from '#platform/api.server.ts';
import { clientPage, clientQuery } from './clients.ts';
import { listClients } from './clients.server.ts';

export const clientsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

clientsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/client-center/v1/clients/',
    tags: ['Clients'],
    summary: 'The clients that you may act for',
    request: { query: clientQuery },
    responses: answers(clientPage, 'One page of clients, by name'),
  }),
  async (c) => c.json(await listClients(actorIn(c), c.req.valid('query')), 200),
);

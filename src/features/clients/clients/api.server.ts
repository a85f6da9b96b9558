import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { mountGrid } from '#features/base/grids/grid-api.server.ts';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { goneResponse, invalidInput, jsonBody, responses } from '#platform/http/api.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { archiveClients, restoreClients } from './archiving.server.ts';
import {
  newClientCall,
  clientRecord as clientRecordSchema,
  clientUpdate,
  fieldProblemList,
} from './client-records.ts';
import { clientRecord } from './client-records.server.ts';
import { clientPage, clientQuery, nicknamePage, nicknameSearch } from './clients.ts';
import { archivedClientsGrid, clientsGrid } from './clients-grid.server.ts';
import { listClients, searchNicknames } from './clients.server.ts';
import { createClient, updateClient } from './editing.server.ts';

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

const recordTags = ['Client records'];
const path = '/api/staff/v1/clients';
const one = { params: z.object({ id: z.string().max(60) }) };

clientsApi.openapi(
  createRoute({
    method: 'post',
    path,
    tags: recordTags,
    summary: 'Create a client',
    description:
      'Answers 409 POSSIBLE_DUPLICATE if a client has the same tax id, or a number that is equal but for leading zeros and punctuation: `duplicates` has the ids of those that you see, `isHidden` says that there are others. `allowDuplicate` creates it anyway.',
    request: { body: jsonBody(newClientCall) },
    responses: responses(clientRecordSchema, 'The client'),
  }),
  async (c) => {
    const actor = actorIn(c);
    const { allowDuplicate, ...input } = c.req.valid('json');
    const id = await withIssues(createClient(actor, input, { allowDuplicate }));
    return c.json(await clientRecord(actor, id), 200);
  },
);

clientsApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/{id}`,
    tags: recordTags,
    summary: 'What the firm keeps about a client',
    request: one,
    responses: responses(clientRecordSchema, 'The client, also one that is archived or was merged'),
  }),
  async (c) => c.json(await clientRecord(actorIn(c), c.req.valid('param').id), 200),
);

clientsApi.openapi(
  createRoute({
    method: 'patch',
    path: `${path}/{id}`,
    tags: recordTags,
    summary: 'Change a client',
    description:
      'Fields that are missing stay. Answers 409 EDIT_CONFLICT if `version` is not the current one, 409 NAME_CONFLICT if the number is taken, and 409 POSSIBLE_DUPLICATE as when a client is created.',
    request: { ...one, body: jsonBody(clientUpdate) },
    responses: { ...responses(clientRecordSchema, 'The client as it is now'), 410: goneResponse },
  }),
  async (c) =>
    c.json(await withIssues(updateClient(actorIn(c), c.req.valid('param').id, c.req.valid('json'))), 200),
);

for (const [act, run, summary] of [
  ['archive', archiveClients, 'Archive a client: its contacts no longer see it, and its links pause'],
  ['restore', restoreClients, 'Restore an archived client'],
] as const)
  clientsApi.openapi(
    createRoute({
      method: 'post',
      path: `${path}/{id}/${act}`,
      tags: recordTags,
      summary,
      request: one,
      responses: responses(clientRecordSchema, 'The client as it is now'),
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      await run(actorIn(c), [id]);
      return c.json(await clientRecord(actorIn(c), id), 200);
    },
  );

/** Reports the problems that only the verb finds, such as an unknown responsible person, as calls do: `issues`. */
async function withIssues<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const refused = refusal(error);
    const problems = fieldProblemList.safeParse(refused?.details['problems']);
    if (refused?.code !== 'INVALID' || !problems.success) throw error;
    throw new PortalError('INVALID', {
      issues: problems.data.map(({ field, problem }) => ({ path: field, message: problem })),
    });
  }
}

mountGrid(clientsApi, clientsGrid);
mountGrid(clientsApi, archivedClientsGrid);

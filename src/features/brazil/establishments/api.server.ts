import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { createMiddleware } from 'hono/factory';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { data, invalidInput, jsonBody, responses, untyped } from '#platform/http/api.server.ts';
import { CITIES, cityName, suggestCities } from './cities.server.ts';
import {
  addEstablishment,
  assertSees,
  changeEstablishment,
  listEstablishments,
  removeEstablishment,
} from './establishments.server.ts';
import {
  establishment,
  establishmentChange,
  establishmentInput,
  establishmentList,
} from './establishments.ts';

/* The establishments of clients, for payroll programs and pages. */

export const establishmentsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

/** Before the ids are read, so that whoever may see none learns nothing of them. */
const forReaders = createMiddleware<Env>(async (c, next) => {
  assertSees(actorIn(c));
  await next();
});

const tags = ['Payroll in Brazil'];
const ofClient = z.object({ clientId: z.string().max(60) });
const params = z.object({ id: z.string().max(60) });

establishmentsApi.openapi(
  createRoute({
    method: 'get',
    middleware: forReaders,
    path: '/api/br-payroll/v1/clients/{clientId}/establishments',
    tags,
    summary: 'The establishments of a client, the head office first',
    request: { params: ofClient },
    responses: responses(establishmentList, 'All of them'),
  }),
  async (c) => {
    const items = await listEstablishments(actorIn(c), c.req.valid('param').clientId);
    return c.json({ items, totalItems: items.length }, 200);
  },
);

const cityEntries = z.strictObject({
  entries: z.array(z.strictObject({ key: z.string(), text: z.string() })),
});

establishmentsApi.openapi(
  createRoute({
    method: 'get',
    path: CITIES,
    tags,
    summary: 'Cities of Brazil for a part of a name',
    description: 'At most eight, each with its IBGE code as the key.',
    request: { query: z.strictObject({ q: z.string().max(80).default('') }) },
    responses: responses(data(cityEntries), 'The cities'),
  }),
  (c) => {
    const entries = suggestCities(c.req.valid('query').q).map((key) => ({ key, text: cityName(key) }));
    return c.json({ data: { entries } }, 200);
  },
);

establishmentsApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/br-payroll/v1/clients/{clientId}/establishments',
    tags,
    summary: 'Add a branch to a client',
    description: 'The head office is added with the CNPJ of the client.',
    request: { params: ofClient, body: jsonBody(establishmentInput) },
    responses: responses(establishment, 'The establishment'),
  }),
  async (c) =>
    c.json(await addEstablishment(actorIn(c), c.req.valid('param').clientId, c.req.valid('json')), 200),
);

establishmentsApi.openapi(
  createRoute({
    method: 'patch',
    path: '/api/br-payroll/v1/establishments/{id}',
    tags,
    summary: 'Change an establishment',
    description: 'The CNPJ of the head office is changed with the client.',
    request: { params, body: jsonBody(establishmentChange) },
    responses: responses(establishment, 'The establishment'),
  }),
  async (c) =>
    c.json(await changeEstablishment(actorIn(c), c.req.valid('param').id, c.req.valid('json')), 200),
);

establishmentsApi.openapi(
  createRoute({
    method: 'delete',
    path: '/api/br-payroll/v1/establishments/{id}',
    tags,
    summary: 'Remove a branch',
    request: { params },
    responses: { ...responses(z.strictObject({}), ''), 204: { description: 'It is removed' } },
  }),
  async (c) => {
    await removeEstablishment(actorIn(c), c.req.valid('param').id);
    return untyped(c.body(null, 204));
  },
);

import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { createMiddleware } from 'hono/factory';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { invalidInput, jsonBody, responses } from '#platform/http/api.server.ts';
import { assertSees } from './access.server.ts';
import { storeEmployees } from './bulk.server.ts';
import { addEmployee, changeEmployee } from './changes.server.ts';
import { employeeOf, listEmployees, tooltipsOf } from './employees.server.ts';
import {
  bulkAnswer,
  bulkInput,
  employee,
  employeeInput,
  employeePage,
  employeeQuery,
  employeeUpdate,
  periodList,
  shownPeriodOf,
  tooltipList,
  tooltipQuery,
} from './employees.ts';

/* The employees of clients, for payroll programs and pages. */

export const employeesApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

/** Before the ids are read, so that whoever may see none learns nothing of them. */
const forReaders = createMiddleware<Env>(async (c, next) => {
  assertSees(actorIn(c));
  await next();
});

const tags = ['Payroll in Brazil'];
const ofClient = z.object({ clientId: z.string().max(60) });
const params = z.object({ id: z.string().max(60) });
const path = '/api/br-payroll/v1';

employeesApi.openapi(
  createRoute({
    method: 'get',
    middleware: forReaders,
    path: `${path}/clients/{clientId}/employees`,
    tags,
    summary: 'The employees of a client, a page of them',
    description: '`searchTerm` is part of a name, a whole CPF or a whole registration.',
    request: { params: ofClient, query: employeeQuery },
    responses: responses(employeePage, 'By name'),
  }),
  async (c) =>
    c.json(await listEmployees(actorIn(c), c.req.valid('param').clientId, c.req.valid('query')), 200),
);

employeesApi.openapi(
  createRoute({
    method: 'post',
    path: `${path}/clients/{clientId}/employees`,
    tags,
    summary: 'Add an employee to a client',
    request: { params: ofClient, body: jsonBody(employeeInput) },
    responses: responses(employee, 'The employee'),
  }),
  async (c) =>
    c.json(
      await addEmployee(actorIn(c), c.req.valid('param').clientId, c.req.valid('json'), { source: 'api' }),
      200,
    ),
);

employeesApi.openapi(
  createRoute({
    method: 'put',
    path: `${path}/clients/{clientId}/employees`,
    tags,
    summary: 'Store the employees of a client, each by its registration',
    description:
      'The fields of an employee; those that are missing stay. The same again changes nothing. Each item has an answer of its own, and nobody is removed.',
    request: { params: ofClient, body: jsonBody(bulkInput) },
    responses: responses(bulkAnswer, 'An answer to each item, in their order'),
  }),
  async (c) => {
    const { items } = c.req.valid('json');
    return c.json({ items: await storeEmployees(actorIn(c), c.req.valid('param').clientId, items) }, 200);
  },
);

employeesApi.openapi(
  createRoute({
    method: 'get',
    middleware: forReaders,
    path: `${path}/employees/tooltips`,
    tags,
    summary: 'What tooltips show of employees',
    description: 'At most 100 ids, separated by commas. Those that you do not see are left out.',
    request: { query: tooltipQuery },
    responses: responses(tooltipList, 'By name'),
  }),
  async (c) => c.json({ items: await tooltipsOf(actorIn(c), c.req.valid('query').ids) }, 200),
);

employeesApi.openapi(
  createRoute({
    method: 'get',
    middleware: forReaders,
    path: `${path}/employees/{id}`,
    tags,
    summary: 'An employee',
    request: { params },
    responses: responses(employee, 'All fields'),
  }),
  async (c) => c.json(await employeeOf(actorIn(c), c.req.valid('param').id), 200),
);

employeesApi.openapi(
  createRoute({
    method: 'patch',
    path: `${path}/employees/{id}`,
    tags,
    summary: 'Change fields of an employee',
    request: { params, body: jsonBody(employeeUpdate) },
    responses: responses(employee, 'The employee'),
  }),
  async (c) =>
    c.json(
      await changeEmployee(actorIn(c), c.req.valid('param').id, c.req.valid('json'), { source: 'api' }),
      200,
    ),
);

employeesApi.openapi(
  createRoute({
    method: 'get',
    middleware: forReaders,
    path: `${path}/employees/{id}/vacation-periods`,
    tags,
    summary: 'The years of vacation of an employee, with what is left of each',
    request: { params },
    responses: responses(periodList, 'The oldest first'),
  }),
  async (c) => {
    const { vacationPeriods } = await employeeOf(actorIn(c), c.req.valid('param').id);
    return c.json({ items: vacationPeriods.map(shownPeriodOf) }, 200);
  },
);

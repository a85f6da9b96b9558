import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, assertActsFor, type Env } from '#features/base/people/people.server.ts';
import { invalidInput, jsonBody, responses } from '#platform/http/api.server.ts';
import { listDates } from './dates.server.ts';
import { markDate } from './keeping.server.ts';
import { datesQuery, markInput, taxDate, taxDatePage } from './tax-calendar.ts';

/* The tax dates of clients, for calendar and payroll programs. */

export const taxCalendarApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Tax calendar'];

taxCalendarApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/tax-calendar/v1/dates',
    tags,
    summary: 'Tax dates in their order, a page of them',
    description: 'Of one client, or of all that the caller acts for.',
    request: { query: datesQuery },
    responses: responses(taxDatePage, 'The dates'),
  }),
  async (c) => {
    const actor = actorIn(c);
    const { clientId, from, until, startIndex: start, itemsPerPage: limit } = c.req.valid('query');
    if (clientId !== undefined) await assertActsFor(actor, clientId);
    return c.json(await listDates(actor, { clientId, from, until, start, limit }), 200);
  },
);

taxCalendarApi.openapi(
  createRoute({
    method: 'put',
    path: '/api/tax-calendar/v1/dates/{id}/mark',
    tags,
    summary: 'Say what became of a date',
    description: 'Nobody is reminded any more of what is done, or where there is nothing to send.',
    request: { params: z.object({ id: z.string().max(60) }), body: jsonBody(markInput) },
    responses: responses(taxDate, 'The date'),
  }),
  async (c) => c.json(await markDate(actorIn(c), c.req.valid('param').id, c.req.valid('json').mark), 200),
);

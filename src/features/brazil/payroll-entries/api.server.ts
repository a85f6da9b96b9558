import { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { createMiddleware } from 'hono/factory';
import { z } from 'zod';
import { mountGrid } from '#features/base/grids/grid-api.server.ts';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { fileResponse, invalidInput, jsonBody, responses, untyped } from '#platform/http/api.server.ts';
import { attachment } from '#platform/http/send-file.server.ts';
import { DEFAULT_LANG, languageOf, type Lang } from '#platform/text/languages.ts';
import { assertKeeps, assertSees, assertSetsLists } from './access.server.ts';
import {
  closeSheet,
  reopenSheet,
  replyToSheet,
  returnSheet,
  submitSheet,
  takeBackSheet,
} from './acting.server.ts';
import { entriesReport } from './entries-report.server.ts';
import { sheetGrid } from './grid.server.ts';
import {
  cellChanges,
  exportQuery,
  listInput,
  listItem,
  listPage,
  outcomeList,
  replyInput,
  returnInput,
  rowOutcomes,
  rowsInput,
  sheetAnswer,
  sheetPage,
  sheetQuery,
  sheetsQuery,
  submitInput,
  totalsAnswer,
} from './payroll-entries.ts';
import { addList, listLists, payrollList, publishList } from './publishing.server.ts';
import { storeRows } from './rows-by-registration.server.ts';
import { saveCells, undoStep } from './saving.server.ts';
import { listSheets, openSheet, totalsOf, type Sheet } from './sheets.server.ts';
import { lateTable, programTable, sheetTable, type TableFile } from './tables.server.ts';

/* Payroll entries, for payroll and time-clock programs and for pages. */

export const payrollEntriesApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

/** Before the ids are read, so that whoever may see nothing learns nothing of them. */
const forReaders = createMiddleware<Env>(async (c, next) => {
  assertSees(actorIn(c));
  await next();
});
const forKeepers = createMiddleware<Env>(async (c, next) => {
  assertKeeps(actorIn(c));
  await next();
});

const forManagers = createMiddleware<Env>(async (c, next) => {
  assertSetsLists(actorIn(c));
  await next();
});

const tags = ['Payroll in Brazil'];
const ofClient = z.object({ clientId: z.string().max(60) });
const params = z.object({ id: z.string().max(60) });
const ofList = z.object({ listId: z.string().max(60) });
const path = '/api/br-payroll/v1';
const done = z.strictObject({});

payrollEntriesApi.openapi(
  createRoute({
    method: 'get',
    middleware: forKeepers,
    path: `${path}/lists`,
    tags,
    summary: 'The lists of columns that clients fill in each month',
    responses: responses(listPage, 'By name'),
  }),
  async (c) => c.json({ items: await listLists(actorIn(c)) }, 200),
);

payrollEntriesApi.openapi(
  createRoute({
    method: 'post',
    middleware: forManagers,
    path: `${path}/lists`,
    tags,
    summary: 'Add a list, as a draft',
    request: { body: jsonBody(listInput) },
    responses: responses(listItem, 'The list'),
  }),
  async (c) => {
    const actor = actorIn(c);
    return c.json(await payrollList(actor, await addList(actor, c.req.valid('json'))), 200);
  },
);

payrollEntriesApi.openapi(
  createRoute({
    method: 'post',
    middleware: forManagers,
    path: `${path}/lists/{id}/publish`,
    tags,
    summary: 'Publish a list, and make the sheets of its clients',
    description: 'Sheets in which something is filled in keep the columns that they began with.',
    request: { params },
    responses: responses(listItem, 'The list'),
  }),
  async (c) => {
    const [actor, { id }] = [actorIn(c), c.req.valid('param')];
    await publishList(actor, id);
    return c.json(await payrollList(actor, id), 200);
  },
);

payrollEntriesApi.openapi(
  createRoute({
    method: 'get',
    middleware: forReaders,
    path: `${path}/clients/{clientId}/sheets`,
    tags,
    summary: 'The sheets of a client',
    request: { params: ofClient, query: sheetsQuery },
    responses: responses(sheetPage, 'The newest month first'),
  }),
  async (c) => {
    const { competence } = c.req.valid('query');
    const sheets = await listSheets(actorIn(c), c.req.valid('param').clientId, competence);
    return c.json({ items: sheets.map(summaryOf) }, 200);
  },
);

payrollEntriesApi.openapi(
  createRoute({
    method: 'get',
    middleware: forReaders,
    path: `${path}/sheets/{id}`,
    tags,
    summary: 'A sheet with a page of its employees',
    description:
      'Hours are minutes, amounts cents, quantities hundredths. The columns are those that were published.',
    request: { params, query: sheetQuery },
    responses: responses(sheetAnswer, 'The sheet'),
  }),
  async (c) => {
    const { startIndex, itemsPerPage } = c.req.valid('query');
    const { sheet, columns, entries, returned, reply } = await openSheet(actorIn(c), c.req.valid('param').id);
    const rows = entries
      .slice(startIndex, startIndex + itemsPerPage)
      .map(({ employee: { id: employeeId, name, registration }, cells }) => ({
        employeeId,
        name,
        registration,
        cells: Object.fromEntries(
          Object.entries(cells).map(([key, { value, version }]) => [key, { value, version }]),
        ),
      }));
    return c.json(
      { ...summaryOf(sheet), columns, returned: returned ?? null, reply, rows, totalItems: entries.length },
      200,
    );
  },
);

payrollEntriesApi.openapi(
  createRoute({
    method: 'patch',
    middleware: forReaders,
    path: `${path}/sheets/{id}/cells`,
    tags,
    summary: 'Fill in cells',
    description:
      'Each change names the version of the cell that it is based on, 0 for an empty one, and has an answer of its own. CLOSED if the firm has closed the sheet: what was typed is kept, and can be downloaded.',
    request: { params, body: jsonBody(cellChanges) },
    responses: responses(outcomeList, 'An answer to each change, in their order'),
  }),
  async (c) => {
    const { changes } = c.req.valid('json');
    return c.json({ items: await saveCells(actorIn(c), c.req.valid('param').id, changes) }, 200);
  },
);

payrollEntriesApi.openapi(
  createRoute({
    method: 'put',
    middleware: forReaders,
    path: `${path}/sheets/{id}/rows`,
    tags,
    summary: 'Store the entries of employees, each by its registration',
    description:
      'For time-clock programs. Columns are named by their keys or codes; those that are missing stay.',
    request: { params, body: jsonBody(rowsInput) },
    responses: responses(rowOutcomes, 'An answer to each row, in their order'),
  }),
  async (c) => {
    const { rows } = c.req.valid('json');
    return c.json({ items: await storeRows(actorIn(c), c.req.valid('param').id, rows) }, 200);
  },
);

payrollEntriesApi.openapi(
  createRoute({
    method: 'post',
    middleware: forReaders,
    path: `${path}/sheets/{id}/undo`,
    tags,
    summary: 'Undo the last paste, import or copy',
    description: 'Cells that were changed since stay as they are.',
    request: { params },
    responses: responses(z.strictObject({ restored: z.int() }), 'How many cells were restored'),
  }),
  async (c) => c.json({ restored: await undoStep(actorIn(c), c.req.valid('param').id) }, 200),
);

payrollEntriesApi.openapi(
  createRoute({
    method: 'post',
    middleware: forReaders,
    path: `${path}/sheets/{id}/submit`,
    tags,
    summary: 'Send a sheet to the firm',
    description:
      'INCOMPLETE with `findings` if something is to be corrected, or should be looked at and is not confirmed.',
    request: { params, body: jsonBody(submitInput) },
    responses: responses(z.strictObject({ receipt: z.int().nullable() }), 'The number of the receipt'),
  }),
  async (c) => {
    const { receipt } = await submitSheet(actorIn(c), c.req.valid('param').id, c.req.valid('json'));
    return c.json({ receipt: receipt ?? null }, 200);
  },
);

payrollEntriesApi.openapi(
  createRoute({
    method: 'post',
    middleware: forKeepers,
    path: `${path}/sheets/{id}/return`,
    tags,
    summary: 'Return a sheet to be corrected',
    description: 'With `cells` only these can be changed.',
    request: { params, body: jsonBody(returnInput) },
    responses: responses(done, 'Nothing'),
  }),
  async (c) => {
    await returnSheet(actorIn(c), c.req.valid('param').id, c.req.valid('json'));
    return c.json({}, 200);
  },
);

payrollEntriesApi.openapi(
  createRoute({
    method: 'post',
    middleware: forKeepers,
    path: `${path}/sheets/{id}/reply`,
    tags,
    summary: 'Reply to a sheet that was sent, which closes it',
    request: { params, body: jsonBody(replyInput) },
    responses: responses(done, 'Nothing'),
  }),
  async (c) => {
    await replyToSheet(actorIn(c), c.req.valid('param').id, c.req.valid('json'));
    return c.json({}, 200);
  },
);

for (const [action, summary, perform, middleware] of [
  ['take-back', 'Take back a sheet that was sent, to change it', takeBackSheet, forReaders],
  ['close', 'Close a sheet, so that nobody changes it', closeSheet, forKeepers],
  ['reopen', 'Open a closed sheet again', reopenSheet, forKeepers],
] as const)
  payrollEntriesApi.openapi(
    createRoute({
      method: 'post',
      middleware,
      path: `${path}/sheets/{id}/${action}`,
      tags,
      summary,
      request: { params },
      responses: responses(done, 'Nothing'),
    }),
    async (c) => {
      await perform(actorIn(c), c.req.valid('param').id);
      return c.json({}, 200);
    },
  );

payrollEntriesApi.openapi(
  createRoute({
    method: 'get',
    middleware: forReaders,
    path: `${path}/sheets/{id}/totals`,
    tags,
    summary: 'The totals of a sheet',
    request: { params },
    responses: responses(totalsAnswer, 'Of each column, in their order'),
  }),
  async (c) => c.json({ items: totalsOf(await openSheet(actorIn(c), c.req.valid('param').id)) }, 200),
);

payrollEntriesApi.openapi(
  createRoute({
    method: 'get',
    middleware: forReaders,
    path: `${path}/sheets/{id}/table`,
    tags,
    summary: 'A sheet as CSV',
    request: {
      params,
      query: z.strictObject({ of: z.enum(['entries', 'model', 'late']).default('entries') }),
    },
    responses: { ...responses(done, ''), 200: fileResponse('The table') },
  }),
  async (c) => {
    const [actor, { id }, { of }] = [actorIn(c), c.req.valid('param'), c.req.valid('query')];
    const lang = languageOfActor(actor);
    return asFile(
      of === 'late'
        ? await lateTable(actor, id, lang)
        : await sheetTable(actor, id, { lang, isModel: of === 'model' }),
    );
  },
);

payrollEntriesApi.openapi(
  createRoute({
    method: 'get',
    middleware: forKeepers,
    path: `${path}/exports/{listId}`,
    tags,
    summary: 'The entries of all clients in a list and a month, for payroll programs',
    description: 'One row for each employee and value. Empty cells are left out, 0 is not.',
    request: { params: ofList, query: exportQuery },
    responses: { ...responses(done, ''), 200: fileResponse('The table') },
  }),
  async (c) => asFile(await programTable(actorIn(c), c.req.valid('param').listId, c.req.valid('query'))),
);

mountGrid(payrollEntriesApi, sheetGrid);
mountGrid(payrollEntriesApi, entriesReport);

const languageOfActor = ({ language }: Actor): Lang => languageOf(language) ?? DEFAULT_LANG;

const summaryOf = ({
  id,
  clientId,
  listId,
  name,
  competence,
  state,
  dueOn,
  rowsFilled,
  cellsFilled,
  version,
}: Sheet) => ({
  id,
  clientId,
  listId,
  name,
  competence,
  state,
  dueOn,
  rowsFilled,
  cellsFilled,
  version,
});

const asFile = ({ name, type, content }: TableFile): never =>
  untyped(
    new Response(typeof content === 'string' ? content : streamOf(content), {
      headers: {
        'Content-Type': type,
        'Content-Disposition': attachment(name),
        'Cache-Control': 'no-store',
      },
    }),
  );

const streamOf = (content: AsyncIterable<Buffer>): BodyInit =>
  Readable.toWeb(Readable.from(content, { objectMode: false })) as unknown as BodyInit;

import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { createMiddleware } from 'hono/factory';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import {
  answerChanges,
  changeResults,
  lookupEntries,
  lookupQuery,
} from '#features/tasks/answer-editor/answer-editor.ts';
import { data, fileResponse, invalidInput, jsonBody, responses, untyped } from '#platform/http/api.server.ts';
import { attachment } from '#platform/http/send-file.server.ts';
import { DEFAULT_LANG, languageOf, LANGS, type Lang } from '#platform/text/languages.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assertSeesRequests } from './access.server.ts';
import { performAction, sendingOf, type ActionInput, type PerformedAction } from './acting.server.ts';
import { beginRequest } from './beginning.server.ts';
import { listRequests, requestFor } from './listing.server.ts';
import { addMessage } from './messages.server.ts';
import { checkRequest, preflightOf } from './preflight.server.ts';
import { exportAsTable, exportRequest } from './request-export.server.ts';
import { formFor, formOfRequest } from './request-forms.server.ts';
import { requestLookup, saveChanges } from './saving.server.ts';
import { requestRow } from './scope.server.ts';
import { mountSections } from './section-api.server.ts';
import {
  findings,
  messageInput,
  newRequest,
  reopenInput,
  replyInput,
  request,
  requestPage,
  requestQuery,
  returnInput,
  submission,
  submittedRequest,
  textInput,
  type,
} from './service-requests.ts';
import { changeSettings, settings, settingsOf } from './settings.server.ts';
import { answersOf } from './stored-answers.server.ts';
import { submissionOf } from './submissions.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';

/* Service requests, for the pages and for payroll programs. */

export const serviceRequestsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Service requests'];
const path = '/api/service-request/v1';
const id = z.string().max(60);
const params = z.object({ id });
const ofType = z.object({ type });
const languageOfActor = ({ language }: Actor): Lang => languageOf(language) ?? DEFAULT_LANG;

/** Before the ids are read, so that whoever may see none learns nothing of them. */
const forReaders = createMiddleware<Env>(async (c, next) => {
  assertSeesRequests(actorIn(c));
  await next();
});
const middleware = forReaders;

serviceRequestsApi.openapi(
  createRoute({
    method: 'get',
    middleware,
    path: `${path}/forms/{type}`,
    tags,
    summary: 'What requests of a kind ask',
    description: 'As the firm asks it: sections of questions, with the fields of eSocial as tags.',
    request: { params: ofType },
    responses: responses(data(z.unknown()), 'The form'),
  }),
  async (c) => {
    const { type: kind } = c.req.valid('param');
    const { questions } = await settingsOf(actorIn(c).companyId, kind);
    return c.json({ data: formFor(kind, questions) }, 200);
  },
);

serviceRequestsApi.openapi(
  createRoute({
    method: 'get',
    middleware,
    path: `${path}/requests`,
    tags,
    summary: 'Service requests, a page of them',
    description: 'What waits for you first, then the newest.',
    request: { query: requestQuery },
    responses: responses(requestPage, 'Those that you see'),
  }),
  async (c) => c.json(await listRequests(actorIn(c), c.req.valid('query')), 200),
);

serviceRequestsApi.openapi(
  createRoute({
    method: 'post',
    middleware,
    path: `${path}/requests`,
    tags,
    summary: 'Begin a request',
    description:
      'CLOSED if the firm does not take requests of this kind. An untouched draft of yours is used again.',
    request: { body: jsonBody(newRequest) },
    responses: responses(request, 'The draft'),
  }),
  async (c) => {
    const actor = actorIn(c);
    return c.json(await requestFor(actor, await beginRequest(actor, c.req.valid('json'))), 200);
  },
);

serviceRequestsApi.openapi(
  createRoute({
    method: 'get',
    middleware,
    path: `${path}/requests/{id}`,
    tags,
    summary: 'A request, with what was written about it',
    request: { params },
    responses: responses(request, 'The request'),
  }),
  async (c) => c.json(await requestFor(actorIn(c), c.req.valid('param').id), 200),
);

serviceRequestsApi.openapi(
  createRoute({
    method: 'delete',
    middleware,
    path: `${path}/requests/{id}`,
    tags,
    summary: 'Delete a draft',
    request: { params },
    responses: { ...responses(z.strictObject({}), ''), 204: { description: 'It is deleted' } },
  }),
  async (c) => {
    await performAction(actorIn(c), c.req.valid('param').id, 'delete');
    return untyped(c.body(null, 204));
  },
);

serviceRequestsApi.openapi(
  createRoute({
    method: 'post',
    middleware,
    path: `${path}/requests/{id}/answers`,
    tags,
    summary: 'Save what a person enters in a request, while they type',
    description:
      'Each change has a result of its own: answers that somebody else has changed since `base` are not overwritten, but both are kept until one is chosen. To send a change again is harmless.',
    request: { params, body: jsonBody(answerChanges) },
    responses: responses(data(changeResults), 'What became of each change, in their order'),
  }),
  async (c) => {
    const results = await saveChanges(actorIn(c), c.req.valid('param').id, c.req.valid('json'));
    return c.json({ data: { results } }, 200);
  },
);

serviceRequestsApi.openapi(
  createRoute({
    method: 'get',
    middleware,
    path: `${path}/requests/{id}/lookups/{list}`,
    tags,
    summary: 'Find entries of a list that a request asks for',
    request: { params: params.extend({ list: z.string().max(40) }), query: lookupQuery },
    responses: responses(data(lookupEntries), 'At most 20 entries'),
  }),
  async (c) => {
    const { id: requestId, list } = c.req.valid('param');
    const { q, language } = c.req.valid('query');
    const entries = await requestLookup(actorIn(c), requestId, { list, words: q, lang: language });
    return c.json({ data: { entries: [...entries] } }, 200);
  },
);

mountSections(serviceRequestsApi, path);

serviceRequestsApi.openapi(
  createRoute({
    method: 'post',
    middleware,
    path: `${path}/requests/{id}/check`,
    tags,
    summary: 'What the law says about the answers, before they are sent',
    request: { params, query: z.strictObject({ language: z.enum(LANGS).optional() }) },
    responses: responses(findings, 'The gravest first'),
  }),
  async (c) => {
    const actor = actorIn(c);
    const row = await requestRow(actor, c.req.valid('param').id);
    const lang = c.req.valid('query').language ?? languageOfActor(actor);
    const filled = await answersOf(row.request_id);
    const { problems, findings: found } = await checkRequest(actor, row, await formOfRequest(row), {
      filled,
      lang,
    });
    return c.json(
      { problems: problems.map(({ path: at, code }) => ({ path: at, code })), findings: found },
      200,
    );
  },
);

serviceRequestsApi.openapi(
  createRoute({
    method: 'get',
    middleware,
    path: `${path}/requests/{id}/rules`,
    tags,
    summary: 'What a browser needs to check a request while somebody types',
    description: 'Null for a kind about which the law says nothing. `check` and `submit` decide.',
    request: { params, query: z.strictObject({ language: z.enum(LANGS).optional() }) },
    responses: responses(data(z.unknown()), 'The questions and their answers, facts and texts'),
  }),
  async (c) => {
    const actor = actorIn(c);
    const row = await requestRow(actor, c.req.valid('param').id);
    const lang = c.req.valid('query').language ?? languageOfActor(actor);
    c.header('Cache-Control', 'no-store');
    return c.json({ data: (await preflightOf(actor, row, await formOfRequest(row), lang)) ?? null }, 200);
  },
);

serviceRequestsApi.openapi(
  createRoute({
    method: 'post',
    middleware,
    path: `${path}/requests/{id}/submit`,
    tags,
    summary: 'Send a draft, its minimum or the rest, or what was returned',
    description: 'INCOMPLETE with the findings that prevent it.',
    request: { params, body: jsonBody(submission) },
    responses: responses(request, 'The request'),
  }),
  async (c) => {
    const actor = actorIn(c);
    const { id: requestId } = c.req.valid('param');
    const { isMinimum, confirmations } = c.req.valid('json');
    const whole = sendingOf(await requestRow(actor, requestId));
    await performAction(actor, requestId, isMinimum ? 'submit-minimum' : whole, { confirmations });
    return c.json(await requestFor(actor, requestId), 200);
  },
);

serviceRequestsApi.openapi(
  createRoute({
    method: 'post',
    middleware,
    path: `${path}/requests/{id}/messages`,
    tags,
    summary: 'Write to the other side about a request',
    description: 'For a client whom the firm has asked, it is the answer. FORBIDDEN for notes of contacts.',
    request: { params, body: jsonBody(messageInput) },
    responses: responses(request, 'The request'),
  }),
  async (c) => {
    const actor = actorIn(c);
    const { id: requestId } = c.req.valid('param');
    const input = c.req.valid('json');
    const { status } = await requestRow(actor, requestId);
    if (status === 'WaitingForClient' && !actor.staff) await performAction(actor, requestId, 'answer', input);
    else await addMessage(actor, requestId, input);
    return c.json(await requestFor(actor, requestId), 200);
  },
);

/** A call that does something with a request, and what it needs. */
function mountAction<S extends z.ZodType>(
  name: string,
  summary: string,
  {
    body,
    action,
    input,
  }: {
    body: S;
    action: (value: z.output<S>) => PerformedAction;
    input: (value: z.output<S>) => ActionInput;
  },
): void {
  serviceRequestsApi.openapi(
    createRoute({
      method: 'post',
      middleware,
      path: `${path}/requests/{id}/${name}`,
      tags,
      summary,
      request: { params, body: jsonBody(body) },
      responses: responses(request, 'The request'),
    }),
    async (c) => {
      const actor = actorIn(c);
      const requestId = c.req.param('id') ?? '';
      const value = body.parse(await c.req.json());
      await performAction(actor, requestId, action(value), input(value));
      return c.json(await requestFor(actor, requestId), 200);
    },
  );
}

const said = (value: { text: string }): ActionInput => ({ text: value.text });

mountAction('take-back', 'Take back what the firm has not opened yet', {
  body: z.strictObject({}),
  action: () => 'take-back',
  input: () => ({}),
});
mountAction('ask', 'Ask the client a question', { body: textInput, action: () => 'ask', input: said });
mountAction('return', 'Return answers to be corrected', {
  body: returnInput,
  action: () => 'return',
  input: ({ marks }) => ({ marks }),
});
mountAction('reply', 'Reply: what was asked for is done, or declined', {
  body: replyInput,
  action: ({ outcome }) => (outcome === 'done' ? 'reply' : 'decline'),
  input: ({ text, documentIds, employee }) => ({ text, documentIds, employee }),
});
mountAction('cancel', 'Cancel a request', { body: textInput, action: () => 'cancel', input: said });
mountAction('reopen', 'Reopen a request', {
  body: reopenInput,
  action: () => 'reopen',
  input: ({ text, undoesChange }) => ({ text, undoesChange }),
});

serviceRequestsApi.openapi(
  createRoute({
    method: 'get',
    middleware,
    path: `${path}/requests/{id}/submissions/{number}`,
    tags,
    summary: 'What was sent',
    request: { params: params.extend({ number: z.coerce.number().int().min(1).max(10_000) }) },
    responses: responses(submittedRequest, 'The submission'),
  }),
  async (c) => {
    const { id: requestId, number } = c.req.valid('param');
    await requestRow(actorIn(c), requestId);
    const found = await submissionOf(requestId, number);
    if (!found) throw notFound();
    return c.json(
      {
        number: found.number,
        submittedAt: new Date(found.submittedAt).toISOString(),
        sha256: found.sha256,
        receipt: found.receipt,
        content: found.content,
      },
      200,
    );
  },
);

serviceRequestsApi.openapi(
  createRoute({
    method: 'get',
    middleware,
    path: `${path}/requests/{id}/export`,
    tags,
    summary: 'What was sent, for payroll programs',
    description: 'As JSON with the fields of the events of eSocial, or a table as CSV.',
    request: { params, query: z.strictObject({ format: z.enum(['json', 'csv']).default('json') }) },
    responses: { ...responses(z.strictObject({}), ''), 200: fileResponse('The file') },
  }),
  async (c) => {
    const actor = actorIn(c);
    const { id: requestId } = c.req.valid('param');
    const { format } = c.req.valid('query');
    const lang = languageOfActor(actor);
    const text =
      format === 'csv'
        ? await exportAsTable(actor, requestId, lang)
        : JSON.stringify(await exportRequest(actor, requestId, lang), null, 2);
    return untyped(
      new Response(text, {
        headers: {
          'Content-Type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
          'Content-Disposition': attachment(`${requestId}.${format}`),
          'Cache-Control': 'no-store',
        },
      }),
    );
  },
);

serviceRequestsApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/settings/{type}`,
    tags,
    summary: 'What the firm has decided about requests of a kind',
    request: { params: ofType },
    responses: responses(settings, 'The settings'),
  }),
  async (c) => c.json(await settingsOf(actorIn(c).companyId, c.req.valid('param').type), 200),
);

serviceRequestsApi.openapi(
  createRoute({
    method: 'put',
    path: `${path}/settings/{type}`,
    tags,
    summary: 'Decide about requests of a kind',
    description: 'INVALID for a question that a firm cannot decide about, such as one that the law needs.',
    request: { params: ofType, body: jsonBody(settings) },
    responses: responses(settings, 'The settings'),
  }),
  async (c) => c.json(await changeSettings(actorIn(c), c.req.valid('param').type, c.req.valid('json')), 200),
);

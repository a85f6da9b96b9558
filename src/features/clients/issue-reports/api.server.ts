import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { takeReports } from '#features/base/logging/logging.server.ts';
import { logRequest } from '#features/base/logging/logging.ts';
import { actorIn, stateOf, type Env } from '#features/base/people/people.server.ts';
import { invalidInput, jsonBody, responses } from '#platform/http/api.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { confirmation, confirmed, issueLogged, issueRequest } from './issue-reports.ts';
import { assertConfirmed, reportIssue } from './reports.server.ts';

export const issueReportsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

issueReportsApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/logging/v1/log',
    tags: ['Logging'],
    summary: 'Report uncaught errors or the load time of a page, or a problem in words',
    request: { body: jsonBody(z.union([logRequest, issueRequest])) },
    responses: responses(issueLogged, 'How many were taken, and the code of a reported problem'),
  }),
  async (c) => {
    const request = c.req.valid('json');
    const { network, session } = stateOf(c);
    const [first] = request.items;
    if (first?.type !== 'issue')
      return c.json({ logged: await takeReports(network, logRequest.parse(request)) }, 200);
    if (!session) throw new PortalError('UNAUTHENTICATED');
    const { id, source, data } = first;
    const code = await reportIssue(session, {
      about: 'portal',
      source,
      description: data.description,
      details: data.logs,
      code: id,
    });
    return c.json({ logged: 1, code }, 200);
  },
);

issueReportsApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/notifications/v1/notifications/category/CCVNEXT/type/CLIENT_CENTER_ISSUE_CONFIRMATION',
    tags: ['Logging'],
    summary: 'Confirm a reported problem by email to its author, which is done once',
    request: { body: jsonBody(confirmation) },
    responses: responses(confirmed, 'Whether the email is sent'),
  }),
  async (c) => {
    const { recipient, variables } = c.req.valid('json');
    await assertConfirmed(actorIn(c), recipient, variables.referenceCode);
    return c.json({ sent: true }, 200); // queued with the report
  },
);

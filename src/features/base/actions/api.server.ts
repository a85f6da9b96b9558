import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { responses, invalidInput } from '#platform/http/api.server.ts';
import { actionList, actionsOf } from './actions.ts';

export const actionsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

actionsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/client-center/v1/actions',
    tags: ['Access'],
    summary: 'The actions that are open to the caller, by section',
    responses: responses(actionList, 'Sections with their actions; what is not open is left out'),
  }),
  (c) =>
    c.json(
      {
        sections: actionsOf(actorIn(c).access).map(({ section, actions }) => ({
          type: section,
          actions: actions.map(({ action }) => ({ type: action })),
        })),
      },
      200,
    ),
);

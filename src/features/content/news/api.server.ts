import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { invalidInput, responses, untyped } from '#platform/http/api.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf, type Lang } from '#platform/text/languages.ts';
import { articlePage, sharedArticle, sharedQuery } from './news.ts';
import { articleFor, listArticles, markSeen } from './reading.server.ts';

/* News from the firm (spec 2, section 7, br-news). */

export const newsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['News'];
const params = z.object({ id: z.string().max(60) });

const languageOfActor = ({ language }: Actor): Lang => languageOf(language) ?? DEFAULT_LANG;

newsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/br-news/v1/articles/shared',
    tags,
    summary: 'The news for a contact, a page of them',
    description:
      'Pinned ones first, then the newest, in the language of the profile where the firm wrote it.',
    request: { query: sharedQuery },
    responses: responses(articlePage, 'Those that are shown now'),
  }),
  async (c) => {
    const actor = actorIn(c);
    const { contactId, startIndex: start, itemsPerPage: limit } = c.req.valid('query');
    if (contactId !== actor.contactId) throw new PortalError('FORBIDDEN');
    return c.json(await listArticles(actor, languageOfActor(actor), { start, limit }), 200);
  },
);

newsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/br-news/v1/articles/shared/{id}',
    tags,
    summary: 'An article',
    request: { params },
    responses: responses(sharedArticle, 'The article; reading it does not mark it as seen'),
  }),
  async (c) => {
    const actor = actorIn(c);
    return c.json(await articleFor(actor, c.req.valid('param').id, languageOfActor(actor)), 200);
  },
);

newsApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/br-news/v1/articles/{id}/mark-as-seen',
    tags,
    summary: 'Mark an article as seen',
    description: 'Again changes nothing. FORBIDDEN for staff.',
    request: { params },
    responses: { ...responses(z.strictObject({}), ''), 204: { description: 'It is seen' } },
  }),
  async (c) => {
    await markSeen(actorIn(c), c.req.valid('param').id);
    return untyped(c.body(null, 204));
  },
);

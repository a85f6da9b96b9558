import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { responses, data, invalidInput, jsonBody } from '#platform/http/api.server.ts';
import {
  comment,
  commentCounts,
  commentPage,
  commentQuery,
  countedDocuments,
  newComment,
} from './comments.ts';
import { addComment, countComments, listComments, removeComment } from './comments.server.ts';

export const commentsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Comments'];

commentsApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/notes/v1/comments/',
    tags,
    summary: 'Set a comment on a document',
    description:
      'Plain text. Who sees the document sees it, the other side is notified by email, at most once an hour for a document. At most 60 an hour.',
    request: { body: jsonBody(newComment) },
    responses: responses(data(comment), 'The comment; for 15 minutes its author may delete it'),
  }),
  async (c) => c.json({ data: await addComment(actorIn(c), c.req.valid('json')) }, 200),
);

commentsApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/notes/v1/comments/search',
    tags,
    summary: 'How many comments documents have',
    request: { body: jsonBody(countedDocuments) },
    responses: responses(
      data(commentCounts),
      'One answer per id, in their order; a document that is not yours to see has none',
    ),
  }),
  async (c) => c.json({ data: await countComments(actorIn(c), c.req.valid('json')) }, 200),
);

commentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/notes/v1/comments',
    tags,
    summary: 'The comments on a document, 100 a page',
    request: { query: commentQuery },
    responses: responses(data(commentPage), 'The oldest first'),
  }),
  async (c) => c.json({ data: await listComments(actorIn(c), c.req.valid('query')) }, 200),
);

commentsApi.openapi(
  createRoute({
    method: 'delete',
    path: '/api/notes/v1/comments/{id}',
    tags,
    summary: 'Delete a comment of your own',
    description: 'Within 15 minutes; after that it is part of the papers and is refused with FORBIDDEN.',
    request: { params: z.object({ id: z.string().max(60) }) },
    responses: responses(data(z.strictObject({ id: z.string() })), 'It is gone'),
  }),
  async (c) => {
    const { id } = c.req.valid('param');
    await removeComment(actorIn(c), id);
    return c.json({ data: { id } }, 200);
  },
);

import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { responses, data, invalidInput, jsonBody } from '#platform/http/api.server.ts';
import { uploadNotice, uploadNoticeAnswer } from '../notifications.ts';
import { noticeOf } from '../notifications.server.ts';

export const notificationsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

notificationsApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/storage/v1/notifications/documents/upload',
    tags: ['Documents'],
    summary: 'Notify the other side once of documents that you uploaded',
    description:
      'After uploads with `notify=false`. Contacts notify the staff of their firm, staff the contacts of the client, by email: at most once in five minutes for a container, and of no document twice.',
    request: { body: jsonBody(uploadNotice) },
    responses: responses(data(uploadNoticeAnswer), 'Of how many documents they will be notified'),
  }),
  async (c) => c.json({ data: { documents: await noticeOf(actorIn(c), c.req.valid('json')) } }, 200),
);

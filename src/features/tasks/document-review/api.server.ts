import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { filesRefused } from '#features/tasks/tasks/posted-section.server.ts';
import { SECTION_FIELDS } from '#features/tasks/tasks/tasks.ts';
import { eachFile } from '#features/documents/uploads/multipart.server.ts';
import { bodyOf, lengthOf } from '#features/documents/uploads/request-body.server.ts';
import { data, invalidInput, responses } from '#platform/http/api.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { flashCookie } from '#platform/http/flash.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import { postVersions } from './version-uploads.server.ts';

export const documentReviewApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

/** What became of new versions of reviewed documents. */
const savedVersions = z.strictObject({
  documentIds: z.array(z.string()),
  refused: z.array(z.strictObject({ name: z.string(), code: z.string() })),
});

// Documented, but not validated by the library, which would buffer the whole body first.
documentReviewApi.openAPIRegistry.registerPath(
  createRoute({
    method: 'post',
    path: '/api/client-center/v3/tasks/{taskId}/versions',
    tags: ['Tasks'],
    summary: 'Send new versions of reviewed documents',
    description:
      'Multipart: the number of the `submission` that wants changes, then for each question about a document a `file:<path>` with its new version, or `version:<path>` with the id of a document of the client, and a `message`. The files are stored beside the documents that they replace. If one is refused, nothing is sent.',
    request: {
      params: z.object({ taskId: z.string().max(60) }),
      query: z.object({ r: z.string().max(2000).optional() }),
      body: { required: true, content: { 'multipart/form-data': { schema: z.object({}) } } },
    },
    responses: {
      ...responses(data(savedVersions), 'What was stored and refused'),
      303: { description: 'With `r`: back to that page, which says what was sent and what was not' },
    },
  }),
);
documentReviewApi.post('/api/client-center/v3/tasks/:taskId/versions', async (c) => {
  const page = c.req.query('r');
  const back = safeRedirect(page, config.origin, `/${config.base}/`);
  try {
    const saved = await postVersions(
      actorIn(c),
      c.req.param('taskId'),
      (take, takeField) =>
        eachFile(bodyOf(c), c.req.header('content-type') ?? '', take, { takeField, fields: SECTION_FIELDS }),
      lengthOf(c),
    );
    if (page === undefined) return c.json({ data: saved }, 200);
    return redirectTo(back, [
      saved.refused.length > 0
        ? filesRefused(saved.refused)
        : flashCookie({ type: 'success', namespace: 'document-review', key: 'versionsSent' }),
    ]);
  } catch (error) {
    const key = VERSION_PROBLEMS.get(refusal(error)?.code ?? '');
    if (page === undefined || key === undefined) throw error;
    return redirectTo(back, [flashCookie({ type: 'danger', namespace: 'document-review', key })]);
  }
});

/** The messages for the refusals of new versions. */
const VERSION_PROBLEMS = new Map<string, 'versionMissing' | 'refusedChanged'>([
  ['EMPTY', 'versionMissing'],
  ['NOT_POSSIBLE', 'refusedChanged'],
  ['EDIT_CONFLICT', 'refusedChanged'],
]);

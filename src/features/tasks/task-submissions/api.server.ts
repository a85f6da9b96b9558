import { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { data, fileResponse, invalidInput, responses, untyped } from '#platform/http/api.server.ts';
import { DEFAULT_LANG, languageOf, LANGS } from '#platform/text/languages.ts';
import { attachment, sendFile } from '#platform/http/send-file.server.ts';
import { submissionFile } from './submission-file.ts';
import { submissionJson } from './submission-files.server.ts';
import { submissionPdf } from './submission-pdf.server.ts';

export const taskSubmissionsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Tasks'];
const BASE = '/api/client-center/v3/tasks';
const params = z.object({ taskId: z.string().max(60) });
const inLanguage = z.strictObject({ language: z.enum(LANGS).optional() });

taskSubmissionsApi.openapi(
  createRoute({
    method: 'get',
    path: `${BASE}/{taskId}/submission`,
    tags,
    summary: 'What a client submitted, for programs of the firm',
    description:
      'For staff. The newest submission that was not taken back, as a file in the format `answers/1`. Sensitive answers are masked. A submission that is read can no longer be taken back.',
    request: { params, query: inLanguage },
    responses: responses(data(submissionFile), 'The submission'),
  }),
  async (c) => {
    const actor = actorIn(c);
    const found = await submissionJson(
      actor,
      c.req.valid('param').taskId,
      c.req.valid('query').language ?? languageOf(actor.language) ?? DEFAULT_LANG,
    );
    return c.json({ data: found }, 200, {
      'Content-Disposition': attachment(`${found.task.title}.json`),
      'Cache-Control': 'no-store',
    });
  },
);

taskSubmissionsApi.openapi(
  createRoute({
    method: 'get',
    path: `${BASE}/{taskId}/submission.pdf`,
    tags,
    summary: 'What a client submitted, as a PDF',
    description: 'The newest submission that was not taken back, of a task with questions.',
    request: { params, query: inLanguage },
    responses: { ...responses(z.string(), ''), 200: fileResponse('The PDF, as an attachment') },
  }),
  async (c) => {
    const actor = actorIn(c);
    const { name, bytes } = await submissionPdf(
      actor,
      c.req.valid('param').taskId,
      c.req.valid('query').language ?? languageOf(actor.language) ?? DEFAULT_LANG,
    );
    return untyped(
      await sendFile(
        c.req.raw,
        { name, type: 'application/pdf', size: bytes.length, open: () => Readable.from([bytes]) },
        undefined,
      ),
    );
  },
);

import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorIn, orStepUp, sessionIn, type Env } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { responses, data, fileResponse, invalidInput, jsonBody, untyped } from '#platform/http/api.server.ts';
import { archiveNameOn } from '#platform/storage/archive-names.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { sendFile } from '#platform/http/send-file.server.ts';
import { zipLength, zipStream } from '#platform/storage/zip.server.ts';
import { exportJob, exportRequest, type ExportJob } from '../downloads.ts';
import { cancelExport, exportOf, openExport, startExport } from '../exports.server.ts';

export const exportsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Documents'];
const params = z.object({ jobId: z.string().max(60) });

exportsApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/storage/v1/jobs/export',
    tags,
    summary: 'Start to put documents into one archive',
    description: 'At most 2,000 documents and 4 GiB. The caller must see every one of them.',
    request: { body: jsonBody(exportRequest) },
    responses: responses(data(z.string()), 'The id of the job; it and its result end after a day'),
  }),
  async (c) =>
    c.json({ data: await startExport(actorIn(c), c.req.valid('json').fileIDs, sessionIn(c)) }, 200),
);

exportsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/jobs/{jobId}',
    tags,
    summary: 'How far an archive is',
    request: { params },
    responses: responses(data(exportJob), 'The job; only who started it sees it'),
  }),
  async (c) => c.json({ data: await jobOf(actorIn(c), c.req.valid('param').jobId) }, 200),
);

exportsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/storage/v1/jobs/{jobId}/result',
    tags,
    summary: 'Download an archive',
    description:
      'Of a job that ended in SUCCESS, or, with what it has, in PARTIAL_SUCCESS. When a document cannot be had any more since, the answer is 403 and the job names it.',
    request: { params },
    responses: {
      ...responses(z.string(), ''),
      200: fileResponse('The archive, streamed; its length is known from the start'),
    },
  }),
  async (c) =>
    orStepUp(c, async () => {
      const entries = await openExport(sessionIn(c), c.req.valid('param').jobId, c.req.method === 'GET');
      const { timeZone } = await firmOf(actorIn(c).companyId);
      const name = archiveNameOn(now(), timeZone);
      return untyped(
        await sendFile(
          c.req.raw,
          { name, type: 'application/zip', size: zipLength(entries), open: () => zipStream(entries) },
          c.env.outgoing,
        ),
      );
    }),
);

exportsApi.openapi(
  createRoute({
    method: 'delete',
    path: '/api/storage/v1/jobs/{jobId}',
    tags,
    summary: 'Cancel an archive',
    request: { params },
    responses: responses(data(exportJob), 'The job, cancelled; its result is gone'),
  }),
  async (c) => {
    const { jobId } = c.req.valid('param');
    await cancelExport(actorIn(c), jobId);
    return c.json({ data: await jobOf(actorIn(c), jobId) }, 200);
  },
);

/** The job as in the contract, without the ids that the page uses to request it again. */
async function jobOf(actor: Actor, jobId: string): Promise<ExportJob> {
  const { fileIDs: _, ...job } = await exportOf(actor, jobId);
  return job;
}

import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorIn, orStepUp, sessionIn, type Env } from '#features/base/people/people.server.ts';
import { fileResponse, invalidInput, rangeResponses, responses, untyped } from '#platform/http/api.server.ts';
import { requestedPart, sendFile } from '#platform/http/send-file.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { openDataExport } from './data-exports.server.ts';

export const dataExportsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

dataExportsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/client-center/v1/data-exports/{exportId}/file',
    tags: ['Firm'],
    summary: 'Download an export of a client or of the firm',
    request: { params: z.object({ exportId: z.string().max(60) }) },
    responses: {
      ...responses(z.string(), ''),
      200: fileResponse('The archive; ranges are answered'),
      ...rangeResponses,
    },
  }),
  async (c) =>
    orStepUp(c, async () => {
      const { exportId } = c.req.valid('param');
      const file = await openDataExport(sessionIn(c), exportId, (found) => requestedPart(c.req.raw, found));
      const { timeZone } = await firmOf(actorIn(c).companyId);
      const name = `${file.clientId === null ? 'firm' : 'client'}-${dayOf(file.createdAt, timeZone)}.zip`;
      const { size, etag, open } = file;
      return untyped(
        await sendFile(c.req.raw, { name, type: 'application/zip', size, etag, open }, c.env.outgoing),
      );
    }),
);

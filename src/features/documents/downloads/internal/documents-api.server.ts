import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { orStepUp, sessionIn, type Env } from '#features/base/people/people.server.ts';
import { fileResponse, invalidInput, rangeResponses, responses, untyped } from '#platform/http/api.server.ts';
import { requestedPart, sendFile } from '#platform/http/send-file.server.ts';
import { containerTypeNamed } from '#features/documents/folders/folders.server.ts';
import { containerTypes } from '#features/documents/folders/folders.ts';
import { fetchDocument } from '../fetching.server.ts';

export const documentsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

for (const type of containerTypes) {
  documentsApi.openapi(
    createRoute({
      method: 'get',
      path: `/api/storage/v1/${type}/{id}/documents/{documentId}`,
      tags: ['Documents'],
      summary: 'Download a document',
      request: { params: z.object({ id: z.string().max(60), documentId: z.string().max(60) }) },
      responses: {
        ...responses(z.string(), ''),
        200: fileResponse('The bytes, as an attachment; ranges are answered'),
        ...rangeResponses,
      },
    }),
    async (c) => {
      const { id, documentId } = c.req.valid('param');
      return orStepUp(c, async () => {
        const { sha256, mimeType, ...file } = await fetchDocument(
          sessionIn(c),
          { containerType: await containerTypeNamed(sessionIn(c).actor, type, id), containerId: id },
          documentId,
          (found) => requestedPart(c.req.raw, found),
        );
        return untyped(await sendFile(c.req.raw, { ...file, type: mimeType, etag: sha256 }, c.env.outgoing));
      });
    },
  );
}

import type { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { document } from '#features/documents/documents.ts';
import { actorIn, stateOf, type Env } from '#features/people/people.server.ts';
import { eachFile } from '#features/uploads/multipart.server.ts';
import { bodyOf } from '#features/uploads/request-body.server.ts';
import { data, invalidInput, responses } from '#platform/api.server.ts';
import { config } from '#platform/config.server.ts';
import { PortalError, refusal } from '#platform/errors.server.ts';
import { flashCookie } from '#platform/flash.server.ts';
import { redirectTo } from '#platform/redirect.server.ts';
import { safeRedirect } from '#platform/safe-redirect.ts';
import { uploadProblem } from './forms.server.ts';
import { assertMayAsk, keepRequest, MAX_REQUEST_FIELDS, uploadToSign } from './uploading.server.ts';

export const signingRequestsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const path = '/api/client-center/v3/signing';
const tags = ['Signing'];

// Documented, but not validated by the library, which would buffer the whole body first.
signingRequestsApi.openAPIRegistry.registerPath(
  createRoute({
    method: 'post',
    path: `${path}/clients/{clientId}/documents`,
    tags,
    summary: 'Upload a PDF that a client is asked to sign',
    description:
      'Multipart, field `file`: at most 50 MB and 500 pages, neither protected by a password nor damaged. It is filed in the folder of the firm, and nobody is notified. With `r` it answers with a redirect to that page, which shows the other fields again.',
    request: {
      params: z.object({ clientId: z.string().max(60) }),
      query: z.object({ r: z.string().max(2000).optional() }),
      body: {
        required: true,
        content: {
          'multipart/form-data': { schema: z.object({ file: z.string().meta({ format: 'binary' }) }) },
        },
      },
    },
    responses: {
      ...responses(data(document), 'The document'),
      303: { description: 'With `r`: back to that page' },
    },
  }),
);
signingRequestsApi.post(`${path}/clients/:clientId/documents`, async (c) => {
  const actor = actorIn(c);
  const clientId = c.req.param('clientId');
  const page = c.req.query('r');
  await assertMayAsk(actor, clientId);
  const typed = new FormData();
  const uploaded: z.infer<typeof document>[] = [];
  let problem: PortalError | undefined;
  const take = async (name: string, bytes: Readable): Promise<void> => {
    try {
      if (uploaded.length > 0) throw new PortalError('TOO_MANY_FILES');
      uploaded.push(await uploadToSign(actor, clientId, { name, bytes }));
    } catch (error) {
      problem = refusal(error);
      if (!problem || page === undefined || uploadProblem(problem) === undefined) throw error;
    }
  };
  await eachFile(bodyOf(c), c.req.header('content-type') ?? '', take, {
    takeField: (name, value) => void typed.append(name, value),
    fields: { most: MAX_REQUEST_FIELDS, size: 4096 },
  });
  const [stored] = uploaded;
  if (page === undefined) {
    if (!stored) throw new PortalError('EMPTY');
    return c.json({ data: stored }, 200);
  }
  const { session } = stateOf(c);
  if (session) await keepRequest(session, clientId, { typed, documentId: stored?.id });
  const key = problem ? uploadProblem(problem) : stored ? 'documentUploaded' : 'documentMissingFile';
  return redirectTo(safeRedirect(page, config.origin, `/${config.base}/`), [
    flashCookie({
      type: stored && !problem ? 'success' : 'danger',
      namespace: 'signing',
      key: key ?? 'documentFailed',
      vars: { name: stored?.name ?? '' },
    }),
  ]);
});

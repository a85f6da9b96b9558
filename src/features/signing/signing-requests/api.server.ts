import type { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, stateOf, type Env } from '#features/base/people/people.server.ts';
import { eachFile } from '#features/documents/uploads/multipart.server.ts';
import { bodyOf } from '#features/documents/uploads/request-body.server.ts';
import { data, invalidInput, responses } from '#platform/http/api.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { flashCookie } from '#platform/http/flash.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import { fieldNames, uploadProblem } from './forms.server.ts';
import {
  assertMayAsk,
  documentToSign,
  keepRequest,
  MAX_REQUEST_FIELDS,
  uploadToSign,
  type DocumentToSign,
} from './uploading.server.ts';

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
      'Multipart, field `file`: at most 50 MB and 500 pages, neither protected nor damaged. What is signed is a copy without digital signatures, layers and actions: `signatures` and `differences` say what it does not carry, and the sender confirms that before sending. A document that would lose more is refused with `cause`. It is filed in the folder of the firm, and nobody is notified. With `r` it answers with a redirect to that page, which shows the other fields again.',
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
      ...responses(
        data(documentToSign),
        'The document, with the digital signatures and the pages that will not be signed as they are',
      ),
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
  const uploaded: DocumentToSign[] = [];
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
  return redirectTo(safeRedirect(page, config.origin, `/${config.base}/`), [
    flashCookie(stored && !problem ? uploadedMessage(stored) : refusedMessage(problem)),
  ]);
});

function uploadedMessage({ name, signatures, differences }: DocumentToSign): Message {
  const isWhole = signatures.length === 0 && differences.length === 0;
  return {
    type: isWhole ? 'success' : 'warning',
    namespace: 'signing',
    key: isWhole
      ? 'documentUploaded'
      : signatures.length > 0
        ? 'documentUploadedSigned'
        : 'documentUploadedDifferent',
    vars: { name, count: signatures.length },
  };
}

function refusedMessage(problem: PortalError | undefined): Message {
  const key = problem ? uploadProblem(problem) : 'documentMissingFile';
  return {
    type: 'danger',
    namespace: 'signing',
    key: key ?? 'documentFailed',
    ...(problem && { vars: fieldNames(problem.details) }),
  };
}

type Message = Parameters<typeof flashCookie>[0];

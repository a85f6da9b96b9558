import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { eachFile } from '#features/documents/uploads/multipart.server.ts';
import { bodyOf } from '#features/documents/uploads/request-body.server.ts';
import { invalidInput, responses } from '#platform/http/api.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { flashCookie } from '#platform/http/flash.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import { intakeAnswer } from './fiscal-intake.ts';
import { intakeAnswerFor } from './intakes.server.ts';
import { receiveFiles } from './receiving.server.ts';

export const fiscalIntakeApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Fiscal documents'];
const path = '/api/boxe/v1/clients/{id}/documents';
const params = z.object({ id: z.string().max(60) });
const query = z.object({
  /** The page of intakes, to which a form is sent back. */
  r: z.string().max(2000).optional(),
});

// Documented, but not validated by the library, which would buffer the whole body first.
fiscalIntakeApi.openAPIRegistry.registerPath(
  createRoute({
    method: 'post',
    path,
    tags,
    summary: 'Add fiscal documents of a client',
    description:
      'One XML file (`application/xml`) or one ZIP (`application/zip`) as the body, or up to 1,000 of either as multipart. XML of at most 4 MiB, archives of at most 500 MB and 50,000 files. The answer has a status for each file: 201 stored, 200 known already, 409 stored as a different copy of a document that was known, 202 set aside for the firm, 422 refused. With 202 as its own status a large archive is read later; GET the intake then. Sent again, nothing is stored twice.',
    request: {
      params,
      query,
      body: {
        required: true,
        content: {
          'multipart/form-data': { schema: z.object({ file: z.string().meta({ format: 'binary' }) }) },
        },
      },
    },
    responses: {
      ...responses(intakeAnswer, 'What became of each file'),
      202: { description: 'An archive is being read' },
      303: { description: 'With `r`: to the page of the intake, or back to that page, which says why not' },
    },
  }),
);
fiscalIntakeApi.post('/api/boxe/v1/clients/:id/documents', async (c) => {
  const { success, data: given } = query.safeParse(c.req.query());
  if (!success) throw new PortalError('INVALID');
  const page = given.r === undefined ? undefined : safeRedirect(given.r, config.origin, `/${config.base}/`);
  const clientId = c.req.param('id').slice(0, 60);
  try {
    const intakeId = await received(c, clientId, page === undefined ? 'api' : 'upload');
    if (page !== undefined) return redirectTo(pageOfIntake(page, intakeId));
    const data = await intakeAnswerFor(actorIn(c), intakeId);
    return c.json({ data }, data.state === 'reading' ? 202 : 200);
  } catch (error) {
    const refused = refusal(error);
    const text = page === undefined ? undefined : MESSAGES[refused?.code ?? ''];
    if (page === undefined || text === undefined) throw error;
    return redirectTo(page, [flashCookie({ type: 'danger', namespace: 'fiscal-intake', key: text })]);
  }
});

const MESSAGES: Readonly<Record<string, 'problemNone' | 'problemMany' | 'problemTooLarge' | 'problemOff'>> = {
  INVALID: 'problemNone',
  TOO_MANY: 'problemMany',
  TOO_LARGE: 'problemTooLarge',
  FORBIDDEN: 'problemOff',
};

async function received(c: Context<Env>, clientId: string, source: 'api' | 'upload'): Promise<string> {
  const receiver = await receiveFiles(actorIn(c), { clientId, source });
  const type = c.req.header('content-type') ?? '';
  if (/^multipart\/form-data\s*;/i.test(type))
    await eachFile(bodyOf(c), type, (name, bytes) => receiver.add(name, bytes));
  else if (/^(?:application|text)\/(?:xml|zip|x-zip-compressed)\b/i.test(type))
    await receiver.add(/zip/i.test(type) ? 'documents.zip' : 'document.xml', bodyOf(c));
  else throw new PortalError('TYPE_NOT_ALLOWED', { expected: 'application/xml' });
  return receiver.finish();
}

/** The page of an intake, beside that of the archive; the query of the address stays. */
function pageOfIntake(page: string, intakeId: string): string {
  const url = new URL(page, config.origin);
  url.pathname = url.pathname.replace(/\/box-e\/.*$/, `/box-e/intakes/${intakeId}`);
  return url.pathname + url.search;
}

fiscalIntakeApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/boxe/v1/intakes/{id}',
    tags,
    summary: 'What became of files that were added',
    request: { params, query: z.strictObject({ after: z.coerce.number().int().min(0).default(0) }) },
    responses: responses(intakeAnswer, 'The files in their order, 1,000 at a time'),
  }),
  async (c) => {
    const { after } = c.req.valid('query');
    return c.json({ data: await intakeAnswerFor(actorIn(c), c.req.valid('param').id, after) }, 200);
  },
);

import type { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/people/people.server.ts';
import { eachFile } from '#features/uploads/multipart.server.ts';
import { bodyOf } from '#features/uploads/request-body.server.ts';
import { data, invalidInput, responses } from '#platform/api.server.ts';
import { config } from '#platform/config.server.ts';
import { PortalError, refusal } from '#platform/errors.server.ts';
import { flashCookie } from '#platform/flash.server.ts';
import { redirectTo } from '#platform/redirect.server.ts';
import { safeRedirect } from '#platform/safe-redirect.ts';
import { importKind } from './imports.ts';
import { fileProblemText } from './problem-texts.ts';
import { startImport } from './uploading.server.ts';

export const importsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const path = '/api/client-center/v1/imports';
const query = z.object({ kind: z.string().max(20).optional(), r: z.string().max(2000).optional() });

// Documented, but not validated by the library, which would buffer the whole body first.
importsApi.openAPIRegistry.registerPath(
  createRoute({
    method: 'post',
    path,
    tags: ['Imports'],
    summary: 'Upload a table of clients, contacts or links',
    description:
      'Multipart, field `file`: CSV in any encoding, or an Excel workbook, with a header and at most 10,000 rows and 20 MB. Nothing is changed before its page has shown what every row would do. `kind` (clients, contacts or links) stands in the query, or in a field before the file.',
    request: {
      query,
      body: {
        required: true,
        content: {
          'multipart/form-data': { schema: z.object({ file: z.string().meta({ format: 'binary' }) }) },
        },
      },
    },
    responses: {
      ...responses(data(z.string()), 'The id of the import'),
      303: { description: 'With `r`: to the page of the import, or back to that page, which says why not' },
    },
  }),
);
importsApi.post(path, async (c) => {
  const { success, data: given } = query.safeParse(c.req.query());
  if (!success) throw new PortalError('INVALID');
  const page = given.r === undefined ? undefined : safeRedirect(given.r, config.origin, `/${config.base}/`);
  let importId: string | undefined;
  try {
    let kind = given.kind;
    const take = async (name: string, bytes: Readable): Promise<void> => {
      const { success: isKnown, data: known } = importKind.safeParse(kind);
      if (!isKnown) throw new PortalError('INVALID');
      importId ??= await startImport(actorIn(c), { kind: known, name, bytes });
    };
    await eachFile(bodyOf(c), c.req.header('content-type') ?? '', take, {
      takeField: (name, value) => {
        if (name === 'kind') kind ??= value;
      },
    });
    if (importId === undefined) throw new PortalError('INVALID', { file: 'NONE' });
  } catch (error) {
    const refused = refusal(error);
    if (page === undefined || (refused?.code !== 'INVALID' && refused?.code !== 'TOO_MANY')) throw error;
    return redirectTo(page, [
      flashCookie({ type: 'danger', namespace: 'imports', ...fileProblemText(refused.details) }),
    ]);
  }
  if (page === undefined) return c.json({ data: importId }, 200);
  return redirectTo(pageOfImport(page, importId));
});

/** The page of an import, below the page of all imports; the query of the address stays. */
function pageOfImport(page: string, importId: string): string {
  const url = new URL(page, config.origin);
  url.pathname += `/${importId}`;
  return url.pathname + url.search;
}

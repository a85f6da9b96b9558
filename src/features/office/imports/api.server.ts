import type { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { eachFile } from '#features/documents/uploads/multipart.server.ts';
import { bodyOf } from '#features/documents/uploads/request-body.server.ts';
import { data, invalidInput, responses } from '#platform/http/api.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { flashCookie } from '#platform/http/flash.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import type { FoundPlace } from './imports.ts';
import { isImportKind } from './kinds.server.ts';
import { fileProblemText } from './problem-texts.ts';
import { placeIn } from './place-form.ts';
import { startImport } from './uploading.server.ts';

export const importsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const path = '/api/client-center/v1/imports';
const query = z.object({
  kind: z.string().max(20).optional(),
  sheet: z.string().max(100).optional(),
  headingLine: z.string().max(6).optional(),
  r: z.string().max(2000).optional(),
});

// Documented, but not validated by the library, which would buffer the whole body first.
importsApi.openAPIRegistry.registerPath(
  createRoute({
    method: 'post',
    path,
    tags: ['Imports'],
    summary: 'Upload a table of clients, contacts or links',
    description:
      'Multipart, field `file`: CSV in any encoding, or an Excel workbook, with a header and at most 10,000 rows and 20 MB. Nothing is changed before its page has shown what every row would do. `kind` (clients, contacts or links) stands in the query, or in a field before the file; so do `sheet`, the name or number of a sheet, and `headingLine`, the line with the names of the columns, which are found if they are not given.',
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
  let found: FoundPlace | undefined;
  const fields = new Map<string, string>(
    Object.entries({ sheet: given.sheet, headingLine: given.headingLine }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );
  let kind = given.kind;
  try {
    const take = async (name: string, bytes: Readable): Promise<void> => {
      if (kind === undefined || !isImportKind(kind)) throw new PortalError('INVALID');
      importId ??= await startImport(actorIn(c), {
        kind,
        name,
        bytes,
        place: placeIn((field) => fields.get(field)),
        found: (where) => (found = where),
      });
    };
    await eachFile(bodyOf(c), c.req.header('content-type') ?? '', take, {
      takeField: (name, value) => {
        if (name === 'kind') kind ??= value;
        else if (!fields.has(name)) fields.set(name, value);
      },
    });
    if (importId === undefined) throw new PortalError('INVALID', { file: 'NONE' });
  } catch (error) {
    const refused = refusal(error);
    if (page === undefined || (refused?.code !== 'INVALID' && refused?.code !== 'TOO_MANY')) throw error;
    return redirectTo(withKind(page, kind), [
      flashCookie({ type: 'danger', namespace: 'imports', ...fileProblemText(refused.details) }),
    ]);
  }
  if (page === undefined) return c.json({ data: importId }, 200);
  return redirectTo(pageOfImport(page, importId), foundMessage(found));
});

/** Says where the table was found, unless it is where everybody expects it. */
function foundMessage(found: FoundPlace | undefined): string[] {
  if (!found || (found.headingLine === 1 && (found.sheets ?? []).length < 2)) return [];
  const { headingLine: line, sheet } = found;
  return [
    flashCookie({
      type: 'info',
      namespace: 'imports',
      ...(sheet === undefined || (found.sheets ?? []).length < 2
        ? { key: 'foundInLine', vars: { line } }
        : { key: 'foundInSheet', vars: { line, sheet } }),
    }),
  ];
}

/** The page of an import, below the page of all imports; the query of the address stays. */
function pageOfImport(page: string, importId: string): string {
  const url = new URL(page, config.origin);
  url.pathname += `/${importId}`;
  return url.pathname + url.search;
}

/** The page with the kind that was chosen, which it shows again. */
function withKind(page: string, kind: string | undefined): string {
  const url = new URL(page, config.origin);
  if (kind !== undefined) url.searchParams.set('kind', kind.slice(0, 20));
  return url.pathname + url.search;
}

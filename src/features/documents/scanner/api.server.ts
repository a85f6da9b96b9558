import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { responses, data, invalidInput } from '#platform/http/api.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { flashCookie } from '#platform/http/flash.server.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES } from '#platform/text/languages.ts';
import { formatSize } from '#platform/text/formats.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import { TYPE_IN_PATH } from '#features/documents/folders/addresses.ts';
import { containerTypes, uploadFolder, type ContainerType } from '#features/documents/folders/folders.ts';
import { document } from '#features/documents/documents/documents.ts';
import { eachFile } from '#features/documents/uploads/multipart.server.ts';
import { assertMayUpload, reserveQuota } from '#features/documents/uploads/quota.server.ts';
import { bodyOf, lengthOf } from '#features/documents/uploads/request-body.server.ts';
import { MAX_PHOTO_BYTES, MAX_PHOTOS, MAX_SCAN_BYTES } from './rules.ts';
import { addScan } from './scanner.server.ts';

export const scannerApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

for (const type of containerTypes) {
  // Documented, but not validated by the library, which would buffer the whole body first.
  scannerApi.openAPIRegistry.registerPath(
    createRoute({
      method: 'post',
      path: `/api/storage/v1/${type}/{id}/scans`,
      tags: ['Documents'],
      summary: 'Upload photos of paper as one PDF',
      description: `Multipart: \`file[]\`, up to ${MAX_PHOTOS} JPEG, PNG or WebP in the order of the pages, and \`name\`. Photos are made smaller, and what else is in them is left out. A taken name gets the next free number. For a client, \`into\` names its folder of uploads: \`uploads\` of the contacts, \`firm\` of the firm.`,
      request: {
        params: z.object({ id: z.string().max(60) }),
        query: z.object({
          into: uploadFolder.optional(),
          r: z.string().max(2000).optional(),
          again: z.string().max(2000).optional(),
        }),
        body: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: z.object({
                'file[]': z.string().meta({ format: 'binary' }),
                name: z.string().max(255).optional(),
              }),
            },
          },
        },
      },
      responses: {
        ...responses(data(document), 'The PDF'),
        303: {
          description:
            'With `r`: to that page, or with what was refused to `again`; the page says what happened',
        },
      },
    }),
  );
  scannerApi.post(`/api/storage/v1/${type}/:id/scans`, (c) =>
    receive(c, c.req.param('id'), TYPE_IN_PATH[type]),
  );
}

async function receive(
  c: Context<Env>,
  containerId: string,
  containerType: ContainerType,
): Promise<Response> {
  const { r, again = r } = c.req.query();
  const actor = actorIn(c);
  const lang = languageOf(actor.language) ?? DEFAULT_LANG;
  const into = containerType === 'Client' ? uploadFolder.safeParse(c.req.query('into')).data : undefined;
  try {
    const length = lengthOf(c) ?? 1;
    if (length > MAX_SCAN_BYTES + MAX_FRAMING) throw new PortalError('TOO_LARGE', { most: MAX_SCAN_BYTES });
    await assertMayUpload(actor);
    const release = await reserveQuota(actor.companyId, length);
    const added = await addScan(actor, { containerType, containerId, into }, lang, (takePhoto, takeField) =>
      eachFile(bodyOf(c), c.req.header('content-type') ?? '', takePhoto, { takeField }),
    ).finally(release);
    return r === undefined
      ? c.json({ data: added }, 200)
      : redirectTo(r, { type: 'success', key: 'uploaded', vars: { name: added.name } });
  } catch (error) {
    const problem = refusal(error);
    if (again === undefined || !problem || problem.code === 'NOT_FOUND') throw error;
    return redirectTo(again, { type: 'danger', ...reasonOf(problem, LANGUAGES[lang]) });
  }
}

/** The size of a body apart from the photos. */
const MAX_FRAMING = 1_000_000;

type Said = { key: string; vars: Record<string, string | number> };

/** The reason, as a key of the namespace `scan`. */
function reasonOf({ code, details }: PortalError, locale: string): Said {
  const name = typeof details['name'] === 'string' ? details['name'] : '';
  if (code === 'EMPTY') return { key: 'nothing', vars: {} };
  if (code === 'BAD_NAME') return { key: 'nameRefused', vars: {} };
  if (code === 'TYPE_NOT_ALLOWED')
    return { key: details['reason'] === 'HEIC' ? 'heic' : 'notAPhoto', vars: { name } };
  if (code === 'TOO_LARGE')
    return name === ''
      ? { key: 'tooMany', vars: { most: MAX_PHOTOS, size: formatSize(locale, MAX_SCAN_BYTES) } }
      : { key: 'tooLarge', vars: { name, size: formatSize(locale, MAX_PHOTO_BYTES) } };
  return { key: code === 'FORBIDDEN' ? 'forbidden' : code === 'QUOTA' ? 'full' : 'failed', vars: {} };
}

/** Answers a plain form. */
function redirectTo(page: string, message: Said & { type: 'success' | 'danger' }): Response {
  return new Response(null, {
    status: 303,
    headers: {
      Location: safeRedirect(page, config.origin, `/${config.base}/`),
      'Set-Cookie': flashCookie({ ...message, namespace: 'scan' }),
    },
  });
}

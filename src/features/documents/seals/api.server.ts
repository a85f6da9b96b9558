import type { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { stateOf, type Env } from '#features/base/people/people.server.ts';
import { eachFile } from '#features/documents/uploads/multipart.server.ts';
import { bodyOf } from '#features/documents/uploads/request-body.server.ts';
import { data, invalidInput, responses } from '#platform/http/api.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { flashCookie } from '#platform/http/flash.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import { publicVerification, type PublicVerification } from './seals.ts';
import { refusalMessage, resultMessage } from './verification-texts.server.ts';
import { verifyForVisitor } from './verifying.server.ts';

export const sealsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const path = '/api/client-center/v1/seals/verifications';
const query = z.object({ r: z.string().max(2000).optional() });

// Documented, but not validated by the library, which would buffer the whole body first.
sealsApi.openAPIRegistry.registerPath(
  createRoute({
    method: 'post',
    path,
    tags: ['Seals'],
    summary: 'Verify whether a PDF file was sealed here and is unchanged',
    description:
      'For everyone who has the file. Multipart, field `file`: at most 50 MB, 60 files a minute from one network. The file is not stored.',
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
      ...responses(data(publicVerification), 'What was found, what was checked and what was not'),
      303: { description: 'With `r`: back to that page, which says what was found' },
    },
  }),
);
sealsApi.post(path, async (c) => {
  const { success, data: given } = query.safeParse(c.req.query());
  if (!success) throw new PortalError('INVALID');
  const page = given.r === undefined ? undefined : safeRedirect(given.r, config.origin, `/${config.base}/`);
  let lang = DEFAULT_LANG;
  let found: PublicVerification | undefined;
  let fileName = '';
  try {
    const take = async (name: string, bytes: Readable): Promise<void> => {
      if (found) throw new PortalError('TOO_MANY_FILES');
      fileName = name;
      found = await verifyForVisitor(bytes, stateOf(c).network);
    };
    await eachFile(bodyOf(c), c.req.header('content-type') ?? '', take, {
      takeField: (name, value) => {
        if (name === 'lang') lang = languageOf(value) ?? lang;
      },
    });
    if (!found) throw new PortalError('EMPTY');
  } catch (error) {
    const message = page === undefined ? undefined : refusalMessage(refusal(error));
    if (page === undefined || !message) throw error;
    return redirectTo(page, [flashCookie(message)]);
  }
  if (page === undefined) return c.json({ data: found }, 200);
  return redirectTo(page, [flashCookie(resultMessage(found, { lang, fileName }))]);
});

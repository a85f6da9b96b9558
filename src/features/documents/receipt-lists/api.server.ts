import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { receiptFilter } from '#features/base/receipts/filter.server.ts';
import { fileResponse, invalidInput, responses, untyped } from '#platform/http/api.server.ts';
import { flashCookie } from '#platform/http/flash.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import { attachment } from '#platform/http/send-file.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { MAX_LISTED, sealedList } from './sealed-list.server.ts';

export const receiptListsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const query = z.strictObject({
  ...receiptFilter.shape,
  clientId: z.string().max(60),
  lang: z.enum(LANGS),
  /** The page of the form, which says why there is no list. */
  r: z.string().max(2000).optional(),
});

/** The message for each refusal that a person can do something about. */
const MESSAGES: Readonly<Record<string, 'listTooLong' | 'listTooOften' | 'listEmpty'>> = {
  TOO_LARGE: 'listTooLong',
  TOO_MANY: 'listTooOften',
  EMPTY: 'listEmpty',
};

receiptListsApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/client-center/v1/receipts/list',
    tags: ['Receipts'],
    summary: 'A list of the receipts of a client, sealed by the firm',
    description: `A PDF with at most ${MAX_LISTED} receipts of a kind and a period, their codes and digests.`,
    request: { query },
    responses: {
      ...responses(z.strictObject({}), ''),
      200: fileResponse('The list as a PDF'),
      303: { description: 'With `r`: back to that page, which says why there is no list' },
    },
  }),
  async (c) => {
    const { r, lang, clientId, ...filter } = c.req.valid('query');
    try {
      const { name, bytes } = await sealedList(actorIn(c), { lang, clientId, filter });
      return untyped(
        new Response(new Uint8Array(bytes), {
          headers: {
            'Content-Type': 'application/pdf',
            'Content-Disposition': attachment(name),
            'Content-Security-Policy': "sandbox; default-src 'none'",
            'Cache-Control': 'no-store, no-transform',
          },
        }),
      );
    } catch (error) {
      const key = MESSAGES[refusal(error)?.code ?? ''];
      if (r === undefined || key === undefined) throw error;
      const page = safeRedirect(r, config.origin, `/${config.base}/`);
      return untyped(redirectTo(page, [flashCookie({ type: 'danger', namespace: 'receipts', key })]));
    }
  },
);

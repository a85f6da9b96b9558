import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, stateOf, type Env } from '#features/base/people/people.server.ts';
import {
  fileResponse,
  goneResponse,
  invalidInput,
  jsonBody,
  rangeResponses,
  responses,
  untyped,
} from '#platform/http/api.server.ts';
import { sendFile } from '#platform/http/send-file.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { madePassport, passportPage, passportQuery, passportRequest } from './clearance-passport.ts';
import { listPassports, makePassport, passportAddress, revokePassport } from './passports.server.ts';
import { loadPassportPdf } from './viewing.server.ts';

/* Passports: links to the certificates of a client. They are ours, beside the calls of the spec about certificates. */

export const clearancePassportApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Clearance certificates'];
const path = '/api/cnd/v1/passports';

clearancePassportApi.openapi(
  createRoute({
    method: 'get',
    path,
    tags,
    summary: 'The passports of a client, a page of them',
    request: { query: passportQuery },
    responses: responses(passportPage, 'The newest first, with how often each was opened'),
  }),
  async (c) => {
    const { clientId, startIndex: start, itemsPerPage: limit } = c.req.valid('query');
    return c.json(await listPassports(actorIn(c), { clientId, start, limit }), 200);
  },
);

clearancePassportApi.openapi(
  createRoute({
    method: 'post',
    path,
    tags,
    summary: 'Make a passport: a link to the certificates of a client as they are when it is opened',
    request: { body: jsonBody(passportRequest) },
    responses: { ...responses(madePassport, 'Its address, which is returned only here'), 410: goneResponse },
  }),
  async (c) => {
    const actor = actorIn(c);
    const { passportId: id, token } = await makePassport(actor, c.req.valid('json'));
    const lang = languageOf(actor.language) ?? DEFAULT_LANG;
    return c.json({ id, url: passportAddress(lang, token) }, 200);
  },
);

clearancePassportApi.openapi(
  createRoute({
    method: 'delete',
    path: `${path}/{id}`,
    tags,
    summary: 'Revoke a passport',
    request: { params: z.object({ id: z.string().max(60) }) },
    responses: responses(z.strictObject({}), 'Its address leads nowhere from now on'),
  }),
  async (c) => {
    await revokePassport(actorIn(c), c.req.valid('param').id);
    return c.json({}, 200);
  },
);

clearancePassportApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/cnd/v1/passport-links/{token}/agencies/{agencyId}/document',
    tags,
    summary: 'Download the newest certificate of an agency by a passport',
    request: {
      params: z.object({ token: z.string().max(100), agencyId: z.string().max(100) }),
    },
    responses: {
      ...responses(z.string(), ''),
      200: fileResponse('The bytes, as an attachment; ranges are answered'),
      ...rangeResponses,
      410: goneResponse,
    },
  }),
  async (c) => {
    const { token, agencyId } = c.req.valid('param');
    const file = await loadPassportPdf(token, agencyId, {
      isRead: c.req.method === 'GET',
      belongsTo: stateOf(c).belongsTo,
    });
    return untyped(
      await sendFile(c.req.raw, { ...file, type: file.mimeType, etag: file.sha256 }, c.env.outgoing),
    );
  },
);

import { createHash } from 'node:crypto';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import type { Env } from '#features/base/people/people.server.ts';
import { invalidInput, responses, untyped } from '#platform/http/api.server.ts';
import { countries, states, type NamedPlace } from '#platform/inputs/countries.server.ts';
import { preferredLanguage } from '#platform/text/languages.ts';

/* The lists of an address form (spec 2, section 7), in the language of the request, sorted by name. */

export const addressesApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Addresses'];
const COUNTRY_ID = 'contactAddressCountryIdRequest.contactAddressCountryId';
const namedPlaces = z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) });
const notModified = { 304: { description: 'It is the list that the caller has' } };

addressesApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/core/v1/contact-address-countries',
    tags,
    summary: 'The countries of an address',
    responses: { ...responses(namedPlaces, 'Every country, by its ISO 3166-1 code'), ...notModified },
  }),
  (c) => cachedList(c, countries(languageOf(c))),
);

addressesApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/core/v1/contact-address-state-provinces',
    tags,
    summary: 'The states or provinces of a country',
    request: { query: z.strictObject({ [COUNTRY_ID]: z.string().regex(/^[A-Z]{2}$/) }) },
    responses: { ...responses(namedPlaces, 'Its states or provinces, by ISO 3166-2 code'), ...notModified },
  }),
  (c) => cachedList(c, states(c.req.query(COUNTRY_ID) ?? '', languageOf(c))),
);

const languageOf = (c: Context) => preferredLanguage(c.req.header('accept-language'));

/** The list, which the browser keeps for a day and then only asks whether it has changed. */
function cachedList(c: Context, items: readonly NamedPlace[]) {
  const body = JSON.stringify({ items });
  const headers = {
    'Cache-Control': 'private, max-age=86400',
    'Content-Type': 'application/json',
    ETag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    Vary: 'Accept-Language',
  };
  const isCurrent = c.req.header('if-none-match') === headers.ETag;
  return untyped(new Response(isCurrent ? null : body, { status: isCurrent ? 304 : 200, headers }));
}

import type { OpenAPIHono } from '@hono/zod-openapi';
import type { ApiRoute } from '#features/base/people/people.ts';
import type { Env } from '#features/base/people/people.server.ts';
import { fullName } from '#platform/http/cookies.server.ts';

/* The OpenAPI document: the calls as the features describe them, with who may make each, as they declare it. */

const INFO = {
  openapi: '3.1.0',
  info: {
    title: 'Client portal',
    version: '1',
    description:
      'The calls of the client portal. A browser signs in by cookie; a program sends an API token, which a person who is signed in creates by POST /api/security/v1/long-tokens. A call that changes something takes the header Idempotency-Key: a text of the caller’s choice, such as a UUID. With it the request is carried out once, however often it arrives within a day: an equal one gets the first answer again, with the header Idempotency-Replayed. While the first one runs, the answer is IN_PROGRESS (409); ALREADY_DONE (409) if it was carried out and its answer is lost; KEY_REUSED (422) for another request with the same key. A request that was refused may be sent again.',
  },
  servers: [{ url: '/' }],
};

const SCHEMES = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: fullName('sid'),
    description:
      'The session of a browser. Calls that change something must come from the pages of the portal.',
  },
  apiToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API token; the scheme LongToken is accepted, too. Send no cookie with it.',
  },
} as const;

/** Taken by every call that changes something (api.server.ts). */
const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Names this request, so that it is carried out once.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
} as const;

export function describeApi(api: OpenAPIHono<Env>, routes: readonly ApiRoute[]) {
  for (const [name, scheme] of Object.entries(SCHEMES))
    api.openAPIRegistry.registerComponent('securitySchemes', name, scheme);
  const document = withoutFlags(api.getOpenAPI31Document(INFO));
  for (const route of routes) {
    const operation = document.paths?.[route.path]?.[route.method];
    if (!operation) continue;
    Object.assign(operation, { operationId: operationId(route), security: security(route) });
    if (route.method === 'get') continue;
    Object.assign(operation, { parameters: [...(operation.parameters ?? []), IDEMPOTENCY_KEY] });
  }
  return document;
}

/** Patterns are without flags in JSON Schema, which always reads them as `u` does; the library leaves `/u` there. */
const withoutFlags = <T extends object>(document: T): T =>
  JSON.parse(JSON.stringify(document), (key, value: unknown) =>
    key === 'pattern' && typeof value === 'string' ? value.replace(/\/[a-z]+$/, '') : value,
  ) as T;

/** One of the two proofs, or none for calls that anybody may make. */
const security = ({ who }: ApiRoute): Partial<Record<keyof typeof SCHEMES, []>>[] =>
  who === 'visitor' || who === 'demo' ? [] : [{ session: [] }, { apiToken: [] }];

/**
 * The name of a call in generated clients, from its method and path without the version:
 * `getStorageJobsByJobIdResult` for `GET /api/storage/v1/jobs/{jobId}/result`.
 */
const operationId = ({ method, path }: ApiRoute): string =>
  [
    method,
    ...path
      .split('/')
      .slice(2)
      .filter((part) => !/^(?:v\d+)?$/.test(part))
      .map(capitalized),
  ].join('');

const capitalized = (part: string): string =>
  part
    .replace(/\{(\w+)\}/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

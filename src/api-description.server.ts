import type { OpenAPIHono } from '@hono/zod-openapi';
import type { ApiRoute } from '#features/people/people.ts';
import type { Env } from '#features/people/people.server.ts';
import { fullName } from '#platform/cookies.server.ts';

/* The OpenAPI document: the calls as the features describe them, with who may make each, as they declare it. */

const INFO = {
  openapi: '3.1.0',
  info: {
    title: 'Client portal',
    version: '1',
    description:
      'The calls of the client portal. A browser signs in by cookie; a program sends an API token, which a person who is signed in creates by POST /api/security/v1/long-tokens.',
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

export function describeApi(api: OpenAPIHono<Env>, routes: readonly ApiRoute[]) {
  for (const [name, scheme] of Object.entries(SCHEMES))
    api.openAPIRegistry.registerComponent('securitySchemes', name, scheme);
  const document = withoutFlags(api.getOpenAPI31Document(INFO));
  for (const route of routes) {
    const operation = document.paths?.[route.path]?.[route.method];
    if (operation) Object.assign(operation, { operationId: operationId(route), security: security(route) });
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

import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { migrate } from '#platform/database/database.server.ts';
import { api, API_ROUTES } from '../src/api.server.ts';
import * as all from '../src/features/all.server.ts';
import { DEPENDENCIES, FEATURES as FEATURE_NAMES } from '../src/features/dependencies.mjs';
import { PAGES } from '../src/routes.ts';
import { PAGE_RULES } from './authz/features.ts';

beforeAll(migrate);

const TABLE =
  'What answers, and to whom: pages in src/routes.ts, calls in the feature.server.ts of each feature';
const named = (method: string, address: string): string =>
  `${method.toUpperCase()} ${address.replaceAll(/:(\w+)/g, '{$1}')}`;
const table = API_ROUTES.map(({ method, path: address }) => named(method, address));

/** The mounted routes in order, without the middleware of all calls; the first of each path is its guard. */
const handlers = api.routes
  .filter(({ method }) => method !== 'ALL')
  .map(({ method, path: address }) => named(method, address));

/** A call by a visitor. */
const call = (method: string, address: string, init: RequestInit = {}): Promise<Response> =>
  Promise.resolve(
    api.request(
      address.replaceAll(/\{\w+\}/g, 'some-id'),
      { ...init, method: method.toUpperCase() },
      { incoming: { portal: { requestId: 'x', network: '127.0.0.1', session: undefined } } },
    ),
  );

describe('the features', () => {
  test('the declared features are listed, each after those it depends on', () => {
    const declared = fs
      .globSync('*/*/feature.server.ts', { cwd: path.join(import.meta.dirname, '../src/features') })
      .map((file) => path.basename(path.dirname(file)));
    const listed = all.FEATURES.map(({ name }) => name);
    expect(
      listed.filter((name) => FEATURE_NAMES.includes(name)).toSorted(),
      'Import each feature.server.ts in src/features/all.server.ts, and list it there after the features that it imports',
    ).toEqual(declared.toSorted());
    for (const [name, below] of Object.entries(DEPENDENCIES))
      for (const lower of below)
        if (listed.includes(name) && listed.includes(lower))
          expect(
            listed.indexOf(lower),
            `${name} depends on ${lower}: list it after ${lower} in src/features/all.server.ts`,
          ).toBeLessThan(listed.indexOf(name));
  });

  test('no two features have the same kind of job', () => {
    const kinds = all.FEATURES.flatMap(({ jobs = {} }) => Object.keys(jobs));
    expect(kinds).toEqual([...new Set(kinds)]);
  });
});

describe('the API calls', () => {
  test('the mounted calls are exactly those of the route table', () => {
    const rest = [...handlers];
    for (const guard of table) rest.splice(rest.indexOf(guard), 1);
    expect([...new Set(rest)].toSorted(), `${TABLE}: add a call there, or take it out`).toEqual(
      table.toSorted(),
    );
    expect(new Set(table).size).toBe(table.length);
  });

  test('a call missing from the route table prevents the start', async () => {
    vi.resetModules();
    vi.doMock('../src/features/all.server.ts', () => ({
      FEATURES: all.FEATURES.map(({ api: calls, ...feature }) => ({
        ...feature,
        ...(calls && {
          api: { ...calls, routes: calls.routes.filter((route) => !route.path.endsWith('/comments/search')) },
        }),
      })),
    }));
    await expect(import('../src/api.server.ts')).rejects.toThrow(
      'POST /api/notes/v1/comments/search is mounted but nobody declared who may call it',
    );
    vi.doUnmock('../src/features/all.server.ts');
  });

  test('a call accepts at most 256 kB, with or without a Content-Length, except those for files', async () => {
    const statusOf = (isTold: boolean) => async (route: string) => {
      const [method = '', address = ''] = route.split(' ');
      const body = 'x'.repeat(256 * 1024 + 1);
      return (
        await call(method, address, {
          body,
          headers: isTold ? { 'content-length': String(body.length) } : {},
        })
      ).status;
    };
    const [limited, unlimited] = [
      [
        'POST /api/storage/v1/itemmetadata/filter',
        'PUT /api/storage/v1/itemmetadata',
        'PATCH /api/storage/v1/itemmetadata',
        'DELETE /api/storage/v1/uploads/{uploadId}',
        'POST /api/storage/v1/uploads/{uploadId}',
        'PATCH /api/storage/v1/folders/{id}/documents',
      ],
      [
        'POST /api/storage/v1/folders/{id}/documents',
        'POST /api/storage/v1/clients/{id}/scans',
        'PATCH /api/storage/v1/uploads/{uploadId}',
      ],
    ];
    for (const isTold of [true, false]) {
      expect(new Set(await Promise.all(limited.map(statusOf(isTold))))).toEqual(new Set([413]));
      expect(new Set(await Promise.all(unlimited.map(statusOf(isTold))))).toEqual(new Set([401]));
    }
  });

  test('every call passes the guard before anything else', () => {
    expect(
      handlers.slice(0, table.length),
      'The guards are mounted before the rooms (src/api.server.ts)',
    ).toEqual(table);
  });

  test.each(API_ROUTES.filter(({ who }) => who === 'signed-in'))(
    '$method $path is refused to a visitor',
    async ({ method, path: address }) => {
      for (const init of method === 'get'
        ? [{}]
        : [
            {},
            { body: '{}', headers: { 'content-type': 'application/json' } },
            { body: 'not json', headers: { 'content-type': 'application/json' } },
            { body: '--x--', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
          ]) {
        const answer = await call(method, address, init);
        expect([answer.status, await answer.json()]).toEqual([
          401,
          { errors: [{ code: 'UNAUTHENTICATED', reason: 'UNAUTHENTICATED' }] },
        ]);
      }
    },
  );

  test('only these calls are public; a new one requires a decision (threat-model.md T84)', () => {
    const visitors = API_ROUTES.filter(({ who }) => who === 'visitor').map(({ method, path: address }) =>
      named(method, address),
    );
    expect(visitors).toEqual([
      'GET /api/openapi.json',
      'GET /api/docs',
      // pages for visitors have errors, too; what is logged of them fits patterns, and each network has a limit
      'POST /api/logging/v1/log',
      'POST /api/security/v1/passkeys/challenge',
      'POST /api/security/v1/oidc/login',
      'POST /api/security/v1/oidc/auth-code/session',
      // whoever has a sealed file may check it; nothing of it is stored
      'POST /api/client-center/v1/seals/verifications',
      'GET /api/storage/v2/sharing/links/{token}/documents/{documentId}',
      'GET /api/storage/v2/sharing/links/{token}/documents/{documentId}/pages/{page}',
      'GET /api/storage/v2/sharing/links/{token}/documents.zip',
      // holders of a link to certificates of a client
      'GET /api/cnd/v1/passport-links/{token}/agencies/{agencyId}/document',
      // a provider has no session: it signs its messages
      'POST /api/payments/v1/webhooks/{provider}',
      'POST /api/payments/v1/webhooks/stripe/{companyId}', // signed with the secret of the firm
      'GET /api/client-center/v3/signing/links/{token}/pages/{page}',
      'GET /api/client-center/v3/signing/links/{token}/document',
      // holders of a link to one step of a task
      'POST /api/client-center/v3/task-links/{token}',
    ]);
  });

  test.each(API_ROUTES.filter(({ who }) => who === 'demo'))(
    '$method $path does not exist outside a demo',
    async ({ method, path: address }) => {
      const answer = await call(method, address);
      expect([answer.status, await answer.json()]).toMatchObject([404, { errors: [{ code: 'NOT_FOUND' }] }]);
    },
  );

  test.each([
    '/api/',
    '/api/storage/v1/documents',
    '/api/security/v1/sessions-of-others',
    '/api/storage/v1/boxes/some-id/documents',
    '/api/../api/docs/x',
    '/api/openapi.json/',
  ])('an unknown path answers "not found" like everywhere: %s', async (address) => {
    for (const method of ['get', 'post', 'delete']) {
      const answer = await call(method, address);
      expect([answer.status, await answer.json()]).toEqual([
        404,
        { errors: [{ code: 'NOT_FOUND', reason: 'NOT_FOUND' }] },
      ]);
    }
  });

  test('a call does not answer methods missing from the route table', async () => {
    for (const address of new Set(API_ROUTES.map((route) => route.path))) {
      const known = API_ROUTES.filter((route) => route.path === address).map(
        ({ method }) => method as string,
      );
      for (const method of ['get', 'post', 'put', 'patch', 'delete', 'propfind'].filter(
        (one) => !known.includes(one),
      )) {
        const status = (await call(method, address)).status;
        expect([401, 404], `${method} ${address} is answered ${status}`).toContain(status);
      }
    }
  });
});

/** Words for which docs/glossary.md has others: upload, notify, email. */
const STRANGE_WORDS = /\bhand(?:s|ed|ing)? in\b|\b(?:tell|told) (?:the other|by)\b|\be-mail/i;

describe('the OpenAPI document', () => {
  interface Description {
    openapi: string;
    components: { securitySchemes: object };
    paths: Record<
      string,
      Record<
        string,
        {
          operationId: string;
          security: object[];
          responses: object;
          parameters?: { name: string; in: string; required?: boolean }[];
          requestBody?: { content: Record<string, { schema: object }> };
        }
      >
    >;
  }
  let described: Description;
  beforeAll(async () => {
    const answer = await call('get', '/api/openapi.json');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    described = (await answer.json()) as Description;
  });

  test('the OpenAPI document is version 3.1 and has every call except the two that serve it', () => {
    const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
    const listed = Object.entries(described.paths).flatMap(([address, item]) =>
      Object.keys(item)
        .filter((key) => METHODS.includes(key))
        .map((method) => named(method, address)),
    );
    expect(described.openapi).toBe('3.1.0');
    expect(listed.toSorted()).toEqual(
      table.filter((route) => !['GET /api/openapi.json', 'GET /api/docs'].includes(route)).toSorted(),
    );
  });

  test('the OpenAPI document has the responses of every call', () => {
    const silent = Object.entries(described.paths).flatMap(([address, item]) =>
      Object.entries(item)
        .filter(([, { responses }]) => Object.keys(responses).length < 2)
        .map(([method]) => named(method, address)),
    );
    expect(silent).toEqual([]);
  });

  test('the OpenAPI document says of every call how its caller signs in, and names it once', () => {
    const operations = Object.entries(described.paths).flatMap(([address, item]) =>
      Object.entries(item).map(([method, operation]) => ({ route: named(method, address), ...operation })),
    );
    const open = operations.filter(({ security }) => security.length === 0).map(({ route }) => route);
    const guarded = API_ROUTES.filter(({ who }) => who === 'signed-in' || who === 'staff').map(
      ({ method, path: address }) => named(method, address),
    );
    expect(open.toSorted()).toEqual(
      operations
        .map(({ route }) => route)
        .filter((route) => !guarded.includes(route))
        .toSorted(),
    );
    for (const { route, security } of operations)
      expect(security, route).toEqual(open.includes(route) ? [] : [{ session: [] }, { apiToken: [] }]);
    expect(described.components.securitySchemes).toMatchObject({
      session: { type: 'apiKey', in: 'cookie', name: 'sid' },
      apiToken: { type: 'http', scheme: 'bearer' },
    });
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^(?:get|post|put|patch|delete)[A-Z][A-Za-z0-9]+$/.test(id))).toEqual([]);
    expect(ids).toContain('getStorageJobsByJobIdResult');
  });

  test('the OpenAPI document has the body of errors once, to which every call refers', () => {
    expect(described.components).toMatchObject({ schemas: { Problem: { type: 'object' } } });
    const reference = {
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
    };
    for (const item of Object.values(described.paths))
      for (const { operationId, responses } of Object.values(item))
        expect(responses, operationId).toMatchObject({ 422: reference });
  });

  test('the OpenAPI document says of every call that changes something that it takes a key, and of no other', () => {
    for (const item of Object.values(described.paths))
      for (const [method, { operationId, parameters = [] }] of Object.entries(item)) {
        const keys = parameters.filter(({ name }) => name === 'Idempotency-Key');
        expect([operationId, keys]).toEqual([
          operationId,
          method === 'get' ? [] : [expect.objectContaining({ in: 'header', required: false })],
        ]);
      }
  });

  test('the OpenAPI document uses the words of the glossary, as the pages do', () => {
    const texts = [...JSON.stringify(described).matchAll(/"(?:summary|description)":"((?:[^"\\]|\\.)*)"/g)];
    const strange = texts.map(([, text = '']) => text).filter((text) => STRANGE_WORDS.test(text));
    expect(texts.length).toBeGreaterThan(100);
    expect(strange).toEqual([]);
  });

  test('every pattern of the OpenAPI document is one of JSON Schema, without slashes and flags', () => {
    const patterns = [...JSON.stringify(described).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
      ([, text = '']) => JSON.parse(text) as string,
    );
    expect(patterns.length).toBeGreaterThan(50);
    expect(patterns.filter((pattern) => /\/[a-z]+$/.test(pattern))).toEqual([]);
    for (const pattern of patterns) expect(() => new RegExp(pattern, 'u'), pattern).not.toThrow();
  });

  test('the OpenAPI document allows no additional properties in any body', () => {
    interface Schema {
      type?: string;
      additionalProperties?: boolean | Schema;
      properties?: Record<string, Schema>;
      items?: Schema;
      anyOf?: Schema[];
    }
    const looseIn = (schema: Schema | undefined, where: string): string[] => {
      if (!schema) return [];
      const { additionalProperties: rest, properties = {}, anyOf = [] } = schema;
      const own = schema.type === 'object' && rest !== false && typeof rest !== 'object' ? [where] : [];
      return [
        ...own,
        ...Object.entries(properties).flatMap(([name, one]) => looseIn(one, `${where}.${name}`)),
        ...anyOf.flatMap((one) => looseIn(one, where)),
        ...looseIn(schema.items, `${where}[]`),
        ...looseIn(typeof rest === 'object' ? rest : undefined, `${where}{}`),
      ];
    };
    const bodies = Object.entries(described.paths).flatMap(([address, item]) =>
      Object.entries(item).flatMap(([method, { requestBody }]) => {
        const schema = requestBody?.content['application/json']?.schema as Schema | undefined;
        return schema ? [[named(method, address), schema] as const] : [];
      }),
    );
    expect(bodies.length).toBeGreaterThan(20);
    expect(
      bodies.flatMap(([route, schema]) => looseIn(schema, route)),
      'Use z.strictObject: what is misspelled is refused, not left out',
    ).toEqual([]);
  });

  test('the OpenAPI document can be read as a page, which loads nothing from other sites', async () => {
    const answer = await call('get', '/api/docs');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
    const page = await answer.text();
    for (const { path: address } of API_ROUTES.slice(2)) expect(page).toContain(address);
    expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });
});

describe('the pages', () => {
  const folder = path.join(import.meta.dirname, '../src/pages');
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .filter((file) => !file.split('/').some((part) => part.startsWith('_')));
  /** The pattern under which Astro serves a file of src/pages. */
  const pattern = (file: string): string =>
    `/${file.replace(/\.(?:astro|ts)$/, '').replace(/(?:^|\/)index$/, '')}`;

  test('the existing pages are exactly those of the route table', () => {
    expect(
      files.map(pattern).toSorted(),
      'Add each file of src/pages to PAGES in src/routes.ts, with who may open it, or it is not served; take out what has no file',
    ).toEqual(Object.keys(PAGES).toSorted());
  });

  test('every page has its access rule written a second time', () => {
    expect(
      Object.keys(PAGES).filter((page) => !Object.hasOwn(PAGE_RULES, page)),
      'Write who may open it in `pages` of tests/features/<feature>/access.ts, independently, and its ids, if any, in `ids`; e2e/authz.spec.ts then tries it',
    ).toEqual([]);
  });

  test('only these pages are public; a new one requires a decision (threat-model.md T84)', () => {
    const visitors = Object.keys(PAGES).filter((page) => PAGES[page]?.who === 'visitor');
    expect(visitors).toEqual([
      '/[base]/[lang]/verify',
      '/[base]/[lang]/clearance/[token]',
      '/[base]/[lang]/task-link/[token]',
      // only where the payment sandbox is offered, at an address that it has signed
      '/[base]/[lang]/sandbox-checkout/[token]',
      '/[base]/[lang]/auth',
      '/[base]/[lang]/auth/logout',
      '/[base]/[lang]/auth/continue',
      '/[base]/[lang]/auth/firm-locked',
      '/[base]/[lang]/auth/mfa-required',
      '/[base]/[lang]/auth/second-step',
      '/[base]/[lang]/auth/leaving',
      '/[base]/[lang]/auth/signin-error',
      '/[base]/[lang]/auth/forgot',
      '/[base]/[lang]/auth/reset/[token]',
      '/[base]/[lang]/auth/rescue',
      '/[base]/[lang]/auth/invitation/[token]',
      '/[base]/[lang]/auth/first-owner/[token]',
      '/[base]/[lang]/offline',
      '/[base]/[lang]/check', // says of an email what whoever has its code may know
      '/[base]/[lang]/unsubscribe/[token]',
      '/[base]/[lang]/reminders/[token]',
      '/[base]/[lang]/calendar/[token].ics',
      '/[base]/[lang]/auth/email/[token]',
      '/[base]/[lang]/language',
      '/[base]/[lang]/help',
      '/[base]/[lang]/help/[id]', // of articles for visitors, which have no data of anyone
      '/[base]/[lang]/share/[token]',
      '/[base]/[lang]/share/[token]/[documentId]',
      '/[base]/[lang]/sign/[token]',
      '/[base]/[lang]/not-authorized',
      '/[base]/[lang]/notfound',
      '/404',
      '/500',
    ]);
  });

  test('these pages exist in a demo only', () => {
    expect(Object.keys(PAGES).filter((page) => PAGES[page]?.who === 'demo')).toEqual([
      '/[base]/[lang]/kit',
      '/[base]/[lang]/mailbox',
      '/[base]/[lang]/mailbox/[id]',
    ]);
  });
});

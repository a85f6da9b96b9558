import { expect, test } from 'vitest';
import { MAX_BYTES } from '#features/documents/documents/rules.ts';
import { MAX_PHOTO_BYTES } from '#features/documents/scanner/rules.ts';
import { API_ROUTES, api } from '../src/api.server.ts';
import { describeApi } from '../src/api-description.server.ts';
import { apiAs, filesForm } from './support/api.ts';
import { makeCast, pdf, person } from './support/cast.ts';
import { WHOLE } from './support/whole.ts';

/*
 * Every call that takes files says how large they may be (`takesFiles`), takes that much, and refuses one byte more with a
 * code that its page has a sentence for. e2e/file-limits.spec.ts does the same for the forms of pages.
 */

const { ada, clientA, firmOne } = await makeCast();
const owner = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });

const TAKING = API_ROUTES.filter(({ takesFiles }) => takesFiles !== undefined);
const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

test('a call that is described with a form of files says how large they may be', () => {
  const described: unknown = describeApi(api, API_ROUTES).paths;
  const paths = described as Record<
    string,
    Record<string, { requestBody?: { content?: Record<string, unknown> } }>
  >;
  const withForms = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) =>
      requestBody?.content && Object.hasOwn(requestBody.content, 'multipart/form-data')
        ? [{ method, path }]
        : [],
    ),
  );
  expect(withForms.length).toBeGreaterThan(10);
  const declared = TAKING.map(nameOf);
  expect(withForms.map(nameOf).filter((name) => !declared.includes(name))).toEqual([]);
});

test.each(TAKING.map((route) => [nameOf(route), route] as const))(
  '%s takes more than calls without files do',
  async (_, { method, path, takesFiles = 0 }) => {
    const address = path.replaceAll(/\{\w+\}/g, 'unknown');
    const form = filesForm(['a.pdf', Buffer.alloc(Math.min(takesFiles, 400_000), ' ')]);
    const answer = await apiAs(owner)(method.toUpperCase(), address, { form });
    const body = await answer.text();
    expect([answer.status === 413, body.includes('262144')]).toEqual([false, false]);
  },
);

const ends = (start: string, size: number): Buffer => {
  const buffer = Buffer.alloc(size, ' ');
  buffer.write(start);
  return buffer;
};

/** Files of an exact size that are taken, by call, and what says that one is too large. */
const EXACT: Readonly<
  Record<string, { address: string; actor: typeof ada | undefined; start: string; code: string }>
> = {
  'post /api/client-center/v1/imports': {
    address: '/api/client-center/v1/imports?kind=clients',
    actor: owner,
    start: `Number,Name,Note\n${Array.from({ length: 4000 }, (_, at) => `${at},Client ${at},${'x'.repeat(4000)}\n`).join('')}`,
    code: 'INVALID',
  },
  'post /api/client-center/v1/seals/verifications': {
    address: '/api/client-center/v1/seals/verifications',
    actor: undefined,
    start: pdf('large').toString(),
    code: 'TOO_LARGE',
  },
  ...(WHOLE && {
    'post /api/storage/v1/clients/{id}/documents': {
      address: `/api/storage/v1/clients/${clientA}/documents?onConflict=rename`,
      actor: ada,
      start: pdf('large').toString(),
      code: 'TOO_LARGE',
    },
  }),
};

test.each(Object.entries(EXACT))(
  '%s takes a file of its limit, and refuses one byte more',
  async (name, one) => {
    const limit = TAKING.find((route) => nameOf(route) === name)?.takesFiles ?? 0;
    const extension = name.includes('imports') ? 'csv' : 'pdf';
    const send = (size: number) =>
      apiAs(one.actor)('POST', one.address, {
        form: filesForm([`file.${extension}`, ends(one.start, size)]),
      });
    expect((await send(limit)).status).toBe(200);
    const refused = await send(limit + 1);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(await refused.json()).toMatchObject({ errors: [{ code: one.code }] });
  },
);

test('what calls take is what the documentation and the pages say', () => {
  const limits = Object.fromEntries(TAKING.map((route) => [nameOf(route), route.takesFiles]));
  expect(limits).toMatchObject({
    'post /api/storage/v1/clients/{id}/documents': MAX_BYTES,
    'post /api/storage/v1/clients/{id}/scans': MAX_PHOTO_BYTES,
    'post /api/client-center/v1/imports': 20_000_000,
    'post /api/client-center/v1/seals/verifications': 50_000_000,
  });
});

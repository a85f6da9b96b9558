import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, test } from 'vitest';
import { serverDoors } from '../astro.config.mjs';
import { AREAS, DEPENDENCIES, FEATURES, FOLDERS } from '../src/features/dependencies.mjs';

const ROOT = path.join(import.meta.dirname, '..');

// The files need not exist; rules that need their types are checked by `npm test -- lint`.
const eslint = new ESLint({
  cwd: ROOT,
  overrideConfig: [tseslint.configs.disableTypeChecked],
});

/** The ESLint results for a file with this code, as `rule: message`. */
async function refusals(file: string, code: string): Promise<string[]> {
  const results = await eslint.lintText(`${code}\n`, { filePath: file });
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message }) => `${ruleId ?? 'broken'}: ${message}`),
  );
}

const page = (imports: string, markup = '<p>Hello</p>'): string => `---\n${imports}\n---\n${markup}`;
const script = (imports: string): string => `<p>Hello</p>\n<script>\n${imports}\n</script>`;

describe('ESLint refuses forbidden imports', () => {
  test.each([
    [
      'platform → feature',
      'src/platform/mail/mail.server.ts',
      `import '#features/base/firms/firms.server.ts';`,
      'A platform file imports the platform',
    ],
    [
      'platform → library',
      'src/platform/mail/mail.server.ts',
      `import '#ui/Alert.astro';`,
      'A platform file imports the platform',
    ],
    [
      'platform → the values of a translation file',
      'src/platform/text/translations.server.ts',
      `import '../../../locales/en-us/auth.json';`,
      'A platform file imports the platform',
    ],
    [
      'migration → feature',
      'src/migrations/0001-foundations.server.ts',
      `import '#features/base/firms/firms.server.ts';`,
      'A migration imports the platform',
    ],
    [
      'platform → migration',
      'src/platform/database/database.server.ts',
      `import '../../migrations/all.server.ts';`,
      'A platform file imports the platform',
    ],
    [
      'library → feature',
      'src/ui/Frame.astro',
      page(`import '#features/base/firms/firms.ts';`),
      'A library component imports',
    ],
    [
      'library → server file',
      'src/ui/dialog.ts',
      `import '#platform/monitoring/log.server.ts';`,
      'This file may run in a browser',
    ],
    [
      'library (.astro) → server file',
      'src/ui/Frame.astro',
      page(`import '#platform/monitoring/log.server.ts';`),
      'A library component is browser-safe',
    ],
    [
      'feature → one above it',
      'src/features/base/firms/firms.server.ts',
      `import '#features/documents/documents/documents.server.ts';`,
      'firms may not import the feature documents',
    ],
    [
      'feature → one above it, by a relative path',
      'src/features/base/receipts/receipts.server.ts',
      `import '../../sharing/sharing/sharing.server.ts';`,
      'receipts may not import the feature sharing',
    ],
    [
      'feature → feature without an edge',
      'src/features/documents/documents/documents.server.ts',
      `import '#features/clients/clients/clients.server.ts';`,
      'may not import the feature clients',
    ],
    [
      'feature → feature without an edge, for a type',
      'src/features/documents/documents/rules.ts',
      `import type { Client } from '#features/clients/clients/clients.ts';\nexport type A = Client;`,
      'may not import the feature clients',
    ],
    [
      'feature → the demo',
      'src/features/office/staff/staff.server.ts',
      `import '#features/demo/demo/demo.server.ts';`,
      'may not import the feature demo',
    ],
    [
      'feature → what is internal to another feature',
      'src/features/sharing/sharing/sharing.server.ts',
      `import '#features/documents/documents/internal/list.server.ts';`,
      'is private to the feature documents: its own files import',
    ],
    [
      "feature → another feature's API",
      'src/features/sharing/sharing/sending.server.ts',
      `import '#features/documents/documents/api.server.ts';`,
      'is private to the feature documents',
    ],
    [
      'feature → what is internal to another feature, at run time',
      'src/features/sharing/sharing/sharing.server.ts',
      `export const late = () => import('#features/documents/documents/internal/list.server.ts');`,
      'is private to the feature documents',
    ],
    [
      "feature → another feature's subfolder",
      'src/features/demo/demo/demo.server.ts',
      `import '#features/sharing/sharing/internal/mails/letter.server.ts';`,
      'is private to the feature sharing',
    ],
    [
      "feature → another feature's declaration",
      'src/features/sharing/sharing/sending.server.ts',
      `import '#features/documents/documents/feature.server.ts';`,
      'is private to the feature documents',
    ],
    [
      'feature → page',
      'src/features/documents/documents/ui/List.astro',
      page(`import '../../../../pages/index.astro';`),
      'A feature imports the platform',
    ],
    [
      'feature → front door',
      'src/features/documents/documents/documents.server.ts',
      `import '../../../api.server.ts';`,
      'A feature imports the platform',
    ],
    [
      'feature → file outside src',
      'src/features/documents/documents/documents.server.ts',
      `import '../../../../scripts/build.mjs';`,
      'A feature imports the platform',
    ],
    [
      '.astro → forbidden feature',
      'src/features/documents/documents/ui/List.astro',
      page(`import Card from '#features/sharing/sharing/ui/Card.astro';`, '<Card />'),
      'may not import the feature sharing',
    ],
    [
      'page → what is internal to a feature',
      'src/pages/[base]/[lang]/documents/index.astro',
      page(`import '#features/documents/documents/internal/list.server.ts';`),
      'is private to the feature documents',
    ],
    [
      "page → a feature's API",
      'src/pages/index.astro',
      page(`import '#features/documents/documents/api.server.ts';`),
      'is private to the feature documents',
    ],
    [
      'layout → what is internal to a feature',
      'src/layouts/SignedIn.astro',
      page(`import '#features/clients/clients/internal/store.server.ts';`),
      'is private to the feature clients',
    ],
    [
      'layout → page',
      'src/layouts/SignedIn.astro',
      page(`import '../pages/404.astro';`),
      'Pages, layouts, the middleware and the front door import',
    ],
    [
      'feature → layout',
      'src/features/documents/documents/ui/List.astro',
      page(`import Plain from '#layouts/Plain.astro';`, '<Plain />'),
      'A feature imports the platform',
    ],
    [
      'library → layout',
      'src/ui/Frame.astro',
      page(`import Plain from '#layouts/Plain.astro';`, '<Plain />'),
      'A library component imports',
    ],
    [
      "page → a feature's declaration",
      'src/pages/index.astro',
      page(`import '#features/documents/documents/feature.server.ts';`),
      'is private to the feature documents',
    ],
    [
      'front door → component',
      'src/server.ts',
      `import '#features/documents/documents/ui/List.astro';`,
      'the middleware and the front door import',
    ],
    [
      'page → front door',
      'src/pages/index.astro',
      page(`import '../server.ts';`),
      'Pages, layouts, the middleware and the front door import',
    ],
    [
      'front door → what is internal to a feature',
      'src/server.ts',
      `import '#features/identity/sessions/internal/tokens.server.ts';`,
      'is private to the feature sessions',
    ],
    [
      'page → the declaration of a feature',
      'src/pages/index.astro',
      page(`import '#features/documents/documents/feature.server.ts';`),
      'is private to the feature documents',
    ],
    [
      'middleware → library',
      'src/middleware.ts',
      `import '#ui/dialog.ts';`,
      'Pages, layouts, the middleware and the front door import',
    ],
    [
      'tsx → server file of its own feature',
      'src/features/documents/documents/ui/Uploader.tsx',
      `import '../documents.server.ts';`,
      'This file may run in a browser',
    ],
    [
      'tsx → server file, for a type',
      'src/features/documents/documents/ui/Uploader.tsx',
      `import type { log } from '#platform/monitoring/log.server.ts';\nexport type A = typeof log;`,
      'This file may run in a browser',
    ],
    [
      'calls.ts → server file',
      'src/features/documents/documents/calls.ts',
      `import '#platform/runtime/config.server.ts';`,
      'This file may run in a browser',
    ],
    [
      'contract → server file',
      'src/features/documents/documents/documents.ts',
      `import './scope.server.ts';`,
      'This file may run in a browser',
    ],
    [
      '<script> of a page → server file',
      'src/pages/index.astro',
      script(`import '#platform/monitoring/log.server.ts';`),
      'This file may run in a browser',
    ],
    [
      '<script> of a component → server file by a relative path',
      'src/features/documents/documents/ui/List.astro',
      script(`import '../documents.server.ts';`),
      'This file may run in a browser',
    ],
    [
      'island → contract, for more than its types',
      'src/features/documents/documents/state.ts',
      `import { document } from './documents.ts';\nexport const a = document;`,
      'would bring zod to the browser',
    ],
  ])('ESLint refuses this import and says what to do instead: %s', async (_arrow, file, code, sentence) => {
    expect(await refusals(file, code)).toEqual([expect.stringContaining(sentence)]);
  });

  test.each([['src/features/invoices/invoices.ts'], ['src/utils/strings.ts'], ['src/helpers.ts']])(
    'ESLint refuses a file outside the layout: %s',
    async (file) => {
      expect(await refusals(file, 'export const a = 1;')).toEqual([
        expect.stringContaining('is outside the layout'),
      ]);
    },
  );
});

describe('ESLint accepts allowed imports', () => {
  test.each([
    [
      'platform → platform',
      'src/platform/mail/mail.server.ts',
      `import './jobs.server.ts';\nimport 'node:fs';\nimport 'nodemailer';`,
    ],
    [
      'platform → types of translations',
      'src/platform/text/translations.server.ts',
      `import type auth from '../../../locales/en-us/auth.json';\nexport type A = typeof auth;`,
    ],
    [
      'library → library and platform',
      'src/ui/Frame.astro',
      page(
        `import Alert from './Alert.astro';\nimport { createTranslator } from '#platform/text/messages.ts';\nconst t = createTranslator({ locale: 'en', texts: {} });`,
        '<Alert>{t("a")}</Alert>',
      ),
    ],
    [
      'feature → two features below it',
      'src/features/sharing/sharing/sharing.server.ts',
      `import '#features/documents/documents/documents.server.ts';\nimport '#features/documents/documents/rules.ts';\nimport '#features/base/firms/firms.ts';`,
    ],
    [
      'feature → its own internals',
      'src/features/documents/documents/documents.server.ts',
      `import './internal/list.server.ts';\nimport './api.server.ts';`,
    ],
    [
      'feature → its own subfolder',
      'src/features/sharing/sharing/sharing.server.ts',
      `import './mails/letter.server.ts';`,
    ],
    [
      "feature → another feature's component",
      'src/features/documents/viewer/ui/Board.astro',
      page(
        `import List from '#features/documents/documents/ui/List.astro';\nimport '../viewer.server.ts';`,
        '<List />',
      ),
    ],
    [
      'island → rules, library, types of the contract',
      'src/features/documents/documents/ui/Uploader.tsx',
      `import type { Document } from '../documents.ts';\nimport '../rules.ts';\nimport '#ui/dialog.ts';\nimport 'react';\nexport type A = Document;`,
    ],
    [
      'page → layouts, public API, what features have for pages, components, library, platform',
      'src/pages/index.astro',
      page(
        `import '#layouts/Plain.astro';\nimport '#features/documents/documents/trash-page.server.ts';\nimport '#features/documents/documents/documents.server.ts';\nimport '#features/documents/documents/ui/List.astro';\nimport '#ui/Frame.astro';\nimport '#platform/monitoring/log.server.ts';`,
      ),
    ],
    [
      '<script> of a component → its own feature',
      'src/features/documents/documents/ui/List.astro',
      script(`import '../rules.ts';`),
    ],
    [
      'front door → public APIs and declarations',
      'src/app.server.ts',
      `import '#features/identity/sessions/sessions.server.ts';\nimport '#features/documents/documents/feature.server.ts';\nimport '#platform/monitoring/log.server.ts';`,
    ],
    [
      'demo → features below it',
      'src/features/demo/demo/demo.server.ts',
      `import '#features/sharing/sharing/sharing.server.ts';\nimport '#features/identity/sessions/sessions.ts';`,
    ],
  ])('ESLint accepts this import: %s', async (_arrow, file, code) => {
    expect(await refusals(file, code)).toEqual([]);
  });
});

describe('ESLint refuses forbidden code', () => {
  test.each([
    ['no-style-attribute', 'src/ui/Bar.astro', `<p style="color: red">Hello</p>`],
    ['no-style-attribute', 'src/ui/Bar.astro', '<p style={`color: red`}>Hello</p>'],
    [
      'no-style-attribute',
      'src/ui/Bar.tsx',
      `export const Bar = () => <p style={{ color: 'red' }}>Hello</p>;`,
    ],
    ['no-raw-html', 'src/ui/Bar.astro', `<p set:html="<b>" />`],
    [
      'no-raw-html',
      'src/ui/Bar.tsx',
      `export const Bar = () => <p dangerouslySetInnerHTML={{ __html: '' }} />;`,
    ],
    ['no-inline-script', 'src/ui/Bar.astro', `<script is:inline src="/a.js"></script>`],
    ['no-inline-script', 'src/ui/Bar.astro', `<style define:vars={{ a: 1 }}></style>`],
    [
      'no-late-headers',
      'src/layouts/ClientBar.astro',
      page(`Astro.response.headers.append('Set-Cookie', 'a=1');`),
    ],
    ['no-late-headers', 'src/ui/Bar.astro', page(`Astro.cookies.set('a', '1');`)],
    ['no-late-headers', 'src/features/base/receipts/ui/List.astro', page('Astro.response.status = 422;')],
    ['no-re-export', 'src/features/base/receipts/receipts.server.ts', `export { a } from './rules.ts';`],
    ['no-re-export', 'src/features/base/receipts/receipts.ts', `export type { A } from './rules.ts';`],
    ['no-re-export', 'tests/support/cast.ts', `export * from './api.ts';`],
    [
      'sql-by-parameters',
      'src/features/base/receipts/internal/store.server.ts',
      'export const a = sql.raw(`select ${b}`);',
    ],
    [
      'sql-by-parameters',
      'src/features/base/receipts/internal/store.server.ts',
      `export const a = sql.raw('select ' + b);`,
    ],
    [
      'no-zod-in-browser',
      'src/features/base/receipts/state.ts',
      `import { z } from 'zod';\nexport const a = z;`,
    ],
    [
      'no-zod-in-browser',
      'src/features/base/receipts/ui/List.tsx',
      `import { z } from 'zod/v4';\nexport const a = z;`,
    ],
    [
      'no-astro-modules',
      'src/features/base/receipts/receipts.server.ts',
      `import { getSecret } from 'astro:env/server';\nexport const a = getSecret;`,
    ],
    ['ask-the-clock', 'src/features/base/receipts/receipts.server.ts', 'export const a = Date.now();'],
    ['ask-the-clock', 'src/features/base/receipts/receipts.server.ts', 'export const a = new Date();'],
    ['ask-the-clock', 'src/pages/index.astro', page('const a = new Date();', '{a}')],
    ['no-skipped-test', 'tests/news.test.ts', `test.only('a', () => undefined);`],
    ['no-skipped-test', 'e2e/news.spec.ts', `test.describe.skip('a', () => undefined);`],
    ['no-sleeping', 'e2e/news.spec.ts', 'await page.waitForTimeout(100);'],
    ['no-sleeping', 'tests/news.test.ts', 'await new Promise((resume) => setTimeout(resume, 100));'],
    ['no-sleeping', 'tests/news.test.ts', 'await vi.waitFor(() => expect(a).toBe(1));'],
    [
      'no-sleeping',
      'tests/news.test.ts',
      `import { setTimeout as sleep } from 'node:timers/promises';\nawait sleep(1);`,
    ],
    [
      'disable-says-why',
      'src/features/base/receipts/news.ts',
      '// eslint-disable-next-line no-console\nconsole.log(1);',
    ],
    ['disable-says-why', 'src/features/base/receipts/news.ts', '/* eslint-disable */\nconsole.log(1);'],
    [
      'watched-test',
      'e2e/news.spec.ts',
      `import { expect, test } from 'playwright/test';\nexport const a = [expect, test];`,
    ],
    [
      'watched-test',
      'e2e/news.spec.ts',
      `import { test as base } from '@playwright/test';\nexport const a = base;`,
    ],
    ['disable-says-why', 'src/features/base/receipts/news.ts', 'console.log(1); // eslint-disable-line'],
    ['disable-says-why', 'src/features/base/receipts/news.ts', '// prettier-ignore\nexport const a = [1];'],
    ['disable-says-why', 'src/ui/Bar.astro', page('// prettier-ignore\nconst a = [1];', '{a}')],
  ])('ESLint refuses %s in %s', async (rule, file, code) => {
    expect(await refusals(file, code)).toEqual([expect.stringMatching(`^portal/${rule}: `)]);
  });

  test.each([
    ['// @ts-ignore', 'ban-ts-comment'],
    ['// @ts-nocheck', 'ban-ts-comment'],
    ['// @ts-expect-error', 'ban-ts-comment'],
  ])('ESLint refuses %s without a reason', async (comment, rule) => {
    const [refused, ...others] = await refusals(
      'src/features/base/receipts/news.ts',
      `${comment}\nexport const a: number = '';`,
    );
    expect([refused, others]).toEqual([expect.stringMatching(`^@typescript-eslint/${rule}: `), []]);
  });

  test('ESLint accepts permitted code next to a forbidden line', async () => {
    expect(
      await refusals(
        'e2e/news.spec.ts',
        `import type { Page } from 'playwright/test';\nimport { test } from './support/test.ts';\nexport const a = (page: Page) => test(page.url(), () => undefined);`,
      ),
    ).toEqual([]);
    expect(
      await refusals(
        'src/features/base/receipts/news.ts',
        '// a table reads better in columns\n// prettier-ignore\nexport const a = [1];',
      ),
    ).toEqual([]);
    expect(
      await refusals(
        'src/features/base/receipts/news.ts',
        `// @ts-expect-error the types of the library are wrong\nexport const a: number = '';`,
      ),
    ).toEqual([]);
    expect(
      await refusals(
        'src/features/base/receipts/news.ts',
        '// eslint-disable-next-line no-console -- said to the person at the terminal\nconsole.log(1);',
      ),
    ).toEqual([]);
    expect(
      await refusals(
        'src/features/base/receipts/internal/store.server.ts',
        'export const a = sql`select ${b}`;\nexport const c = sql.raw(`now()`);',
      ),
    ).toEqual([]);
    expect(
      await refusals(
        'src/features/base/receipts/state.ts',
        `import type { z } from 'zod';\nexport type A = z.ZodType;\nexport const b = new Date();`,
      ),
    ).toEqual([]);
    expect(
      await refusals(
        'src/features/base/receipts/rules.ts',
        `import { z } from 'zod/mini';\nexport const a = z;`,
      ),
    ).toEqual([]);
    expect(await refusals('src/pages/index.astro', script('export const a = new Date();'))).toEqual([]);
  });
});

describe('server code in browser bundles', () => {
  const resolve = (environment: string, id: string): unknown =>
    serverDoors.resolveId.call(
      { environment: { name: environment } },
      id,
      'src/features/documents/documents/ui/Uploader.tsx',
    );

  test('a browser build that imports a server file fails and names the importer', () => {
    for (const id of [
      '#platform/monitoring/log.server.ts',
      '#features/documents/documents/documents.server.ts',
      '../documents.server.ts',
      '/src/platform/runtime/config.server.ts',
    ]) {
      expect(() => resolve('client', id), id).toThrow(/Uploader\.tsx would carry .* into the browser/);
    }
    expect(resolve('client', '#platform/text/messages.ts')).toBeNull();
    expect(resolve('ssr', '#platform/monitoring/log.server.ts')).toBeNull();
  });
});

type Graph = Readonly<Record<string, readonly string[]>>;

/** The first cycle in a dependency graph, as the features along it; undefined when there is none. */
function findCycle(graph: Graph): string[] | undefined {
  const done = new Set<string>();
  const visit = (feature: string, path: string[]): string[] | undefined => {
    if (path.includes(feature)) return [...path.slice(path.indexOf(feature)), feature];
    if (done.has(feature)) return undefined;
    done.add(feature);
    return firstOf(graph[feature] ?? [], (next) => visit(next, [...path, feature]));
  };
  return firstOf(Object.keys(graph), (feature) => visit(feature, []));
}

function firstOf<T>(names: readonly string[], find: (name: string) => T | undefined): T | undefined {
  for (const name of names) {
    const found = find(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Features that nearly every other one imports; the diagrams leave out the arrows to them. */
const COMMON = ['firms', 'people'];
const ORDER = Object.keys(AREAS);

const areaOf = (feature: string): string => FOLDERS[feature]?.split('/')[0] ?? '';

/** Features that import one of a later area. */
function importsOfLaterAreas(
  areas: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>,
): string[] {
  const order = Object.values(areas).map((features) => Object.keys(features));
  const placeOf = (name: string): number => order.findIndex((names) => names.includes(name));
  return Object.values(areas).flatMap((features, at) =>
    Object.entries(features).flatMap(([from, to]) =>
      to.filter((name) => placeOf(name) > at).map((name) => `${from} → ${name}`),
    ),
  );
}

/** A Mermaid diagram, in which an arrow points to what is imported. */
const diagram = (nodes: readonly string[], edges: Iterable<string>): string =>
  ['```mermaid', 'flowchart BT', ...nodes.map((name) => `  ${name}`), ...edges, '```'].join('\n');

/** Which areas import which, without the arrows that follow from others. */
function diagramOfAreas(): string {
  const edges = Object.entries(DEPENDENCIES).flatMap(([from, to]) =>
    to.filter((name) => !COMMON.includes(name)).map((name) => [areaOf(from), areaOf(name)] as const),
  );
  const direct = (from: string): string[] => [
    ...new Set(edges.flatMap(([one, to]) => (one === from && to !== from ? [to] : []))),
  ];
  const reached = (from: string): Set<string> => new Set(direct(from).flatMap((to) => [to, ...reached(to)]));
  return diagram(
    ORDER,
    ORDER.flatMap((from) =>
      direct(from)
        .filter((to) => !direct(from).some((other) => reached(other).has(to)))
        .map((to) => `  ${from} --> ${to}`),
    ),
  );
}

/** The features of an area; instead of a feature of another area, which they import, it shows that area. */
function diagramOf(area: string): string {
  const features = AREAS[area] ?? {};
  const edges = Object.entries(features).flatMap(([from, to]) =>
    to
      .filter((name) => !COMMON.includes(name))
      .map(
        (name) => `  ${from} --> ${areaOf(name) === area ? name : `area-${areaOf(name)}([${areaOf(name)}])`}`,
      ),
  );
  return diagram(Object.keys(features), [...new Set(edges)]);
}

const diagrams = (): string =>
  [diagramOfAreas(), ...ORDER.map((area) => `### ${area}\n\n${diagramOf(area)}`)].join('\n\n');

const SOURCES = globSync('src/features/*/*/**/*.{ts,tsx,astro}', { cwd: ROOT });

describe('the dependency graph of the features', () => {
  test('the dependency graph contains exactly the folders of src/features', () => {
    expect(
      [...new Set(SOURCES.map((file) => file.split('/').slice(2, 4).join('/')))].toSorted(),
      'List each folder of src/features in its area in src/features/dependencies.mjs, with the features that it imports',
    ).toEqual(Object.values(FOLDERS).toSorted());
  });

  test('every feature has at most 40 files', () => {
    const files = globSync('src/features/*/*/**', { cwd: ROOT, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const byFeature = Map.groupBy(
      files,
      ({ parentPath }) => path.relative(path.join(ROOT, 'src/features'), parentPath).split(path.sep)[1],
    );
    expect(byFeature.size).toBe(FEATURES.length);
    expect(
      [...byFeature].flatMap(([feature, { length }]) => (length > 40 ? [`${feature}: ${length}`] : [])),
      'Split these features: move what their other files do not import to a feature above them',
    ).toEqual([]);
  });

  test('the dependency graph has no cycle, and a cycle would be detected', () => {
    expect(findCycle(DEPENDENCIES)).toBeUndefined();
    expect(findCycle({ a: ['b'], b: ['c'], c: ['a', 'd'], d: [] })).toEqual(['a', 'b', 'c', 'a']);
  });

  test('no feature imports one of a later area, and each area says in its README what it is', () => {
    expect(importsOfLaterAreas(AREAS)).toEqual([]);
    expect(importsOfLaterAreas({ low: { a: ['b'] }, high: { b: ['a'] } })).toEqual(['a → b']);
    expect(ORDER.length).toBeLessThanOrEqual(13);
    for (const area of ORDER) {
      const text = readFileSync(path.join(ROOT, 'src/features', area, 'README.md'), 'utf8');
      const missing = Object.keys(AREAS[area] ?? {}).filter((name) => !text.includes(`\`${name}\``));
      expect(missing, `Name these features in src/features/${area}/README.md`).toEqual([]);
    }
  });

  test('every edge of the dependency graph is used by an import', () => {
    const used = new Set(
      SOURCES.flatMap((file) => {
        const imports = readFileSync(path.join(ROOT, file), 'utf8').matchAll(
          /'#features\/[a-z]+\/([a-z-]+)\//g,
        );
        return [...imports].map(([, name]) => `${file.split('/')[3]} → ${name}`);
      }),
    );
    const edges = Object.entries(DEPENDENCIES).flatMap(([from, to]) => to.map((name) => `${from} → ${name}`));
    expect(
      edges.filter((edge) => !used.has(edge)),
      'Take these edges out of src/features/dependencies.mjs: no file imports that feature',
    ).toEqual([]);
  });

  /** Other files that import a feature which may be taken out; these have more and may only come down. */
  const MAX_IMPORTERS = 8;
  const WITH_MORE = { 'sign-in': 18, staff: 10, 'issue-reports': 9 };

  test(`a feature that no other one imports is imported by at most ${MAX_IMPORTERS} files: pages, layouts and the list`, () => {
    const imported = new Set(Object.values(DEPENDENCIES).flat());
    const files = globSync('src/**/*.{ts,tsx,astro}', { cwd: ROOT });
    const textOf = new Map(files.map((file) => [file, readFileSync(path.join(ROOT, file), 'utf8')]));
    const importersOf = (folder: string): number =>
      files.filter(
        (file) =>
          !file.startsWith(`src/features/${folder}/`) &&
          textOf.get(file)?.includes(`'#features/${folder}/`) === true,
      ).length;
    const counts = Object.entries(FOLDERS)
      .filter(([name]) => !imported.has(name))
      .map(([name, folder]) => [name, importersOf(folder)] as const);
    expect(
      Object.fromEntries(counts.filter(([, count]) => count > MAX_IMPORTERS)),
      'Let the feature contribute what other files import of it (src/platform/runtime/feature.server.ts); where the number fell, record the lower one here',
    ).toEqual(WITH_MORE);
    expect(Object.fromEntries(counts)['task-messages']).toBe(4);
  });

  test('docs/architecture.md shows the current dependency graph: `npx vitest run tests/architecture.test.ts -u` writes it', async () => {
    const file = path.join(ROOT, 'docs/architecture.md');
    const page = readFileSync(file, 'utf8');
    const current = page.replace(/```mermaid\n.*?(?=\n\n## )/s, diagrams());
    expect(current).toContain(diagrams());
    await expect(current).toMatchFileSnapshot(file);
  });
});

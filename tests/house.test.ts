import path from 'node:path';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, test } from 'vitest';
import { serverDoors } from '../astro.config.mjs';

// The files need not exist; what needs their types is left to `npm test -- lint`.
const guard = new ESLint({ cwd: path.join(import.meta.dirname, '..'), overrideConfig: [tseslint.configs.disableTypeChecked] });

/** What the guard says about a file that reads `code`: `rule: sentence` for each refusal. */
async function refusals(file: string, code: string): Promise<string[]> {
  const results = await guard.lintText(`${code}\n`, { filePath: file });
  return results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId ?? 'broken'}: ${message}`));
}

const page = (imports: string, markup = '<p>Hello</p>'): string => `---\n${imports}\n---\n${markup}`;
const script = (imports: string): string => `<p>Hello</p>\n<script>\n${imports}\n</script>`;

describe('the guard refuses a wrong arrow, and says what to do instead', () => {
  test.each([
    ['platform → room', 'src/platform/mail.server.ts', `import '#features/firms/firms.server.ts';`, 'The platform is the ground'],
    ['platform → kit', 'src/platform/mail.server.ts', `import '#ui/Alert.astro';`, 'The platform is the ground'],
    ['platform → the values of a words file', 'src/platform/words.server.ts', `import '../../locales/en-us/auth.json';`, 'The platform is the ground'],
    ['kit → room', 'src/ui/Frame.astro', page(`import '#features/firms/firms.ts';`), 'A part of the kit imports'],
    ['kit → server file', 'src/ui/dialog.ts', `import '#platform/log.server.ts';`, 'This file may run in a browser'],
    ['kit (.astro) → server file', 'src/ui/Frame.astro', page(`import '#platform/log.server.ts';`), 'A part of the kit is browser-safe'],
    ['ground → first floor', 'src/features/firms/firms.server.ts', `import '#features/documents/documents.server.ts';`, 'firms (ground floor) may not call the room documents'],
    ['first → second floor, by a relative path', 'src/features/news/news.server.ts', `import '../tasks/tasks.server.ts';`, 'news (first floor) may not call the room tasks'],
    ['room → room of its own floor', 'src/features/documents/documents.server.ts', `import '#features/clients/clients.server.ts';`, 'may not call the room clients'],
    [
      'room → room of its own floor, for a type',
      'src/features/documents/rules.ts',
      `import type { Client } from '#features/clients/clients.ts';\nexport type A = Client;`,
      'may not call the room clients',
    ],
    ['room → the top', 'src/features/staff/staff.server.ts', `import '#features/demo/demo.server.ts';`, 'may not call the room demo'],
    ["room → another room's store", 'src/features/sharing/sharing.server.ts', `import '#features/documents/store.server.ts';`, 'is inside the room documents. Call its door'],
    ["room → another room's rules", 'src/features/sharing/rules.ts', `export { check } from '#features/documents/rules.ts';`, 'is inside the room documents'],
    [
      "room → another room's store, at run time",
      'src/features/sharing/sharing.server.ts',
      `export const late = () => import('#features/documents/store.server.ts');`,
      'is inside the room documents',
    ],
    ["room → another room's sub-room", 'src/features/demo/demo.server.ts', `import '#features/tasks/w2/w2.server.ts';`, 'is inside the room tasks'],
    ['room → page', 'src/features/documents/ui/List.astro', page(`import '../../../pages/index.astro';`), 'A room imports the platform'],
    ['room → front door', 'src/features/documents/documents.server.ts', `import '../../api.server.ts';`, 'A room imports the platform'],
    ['room → file outside the house', 'src/features/documents/documents.server.ts', `import '../../../scripts/build.mjs';`, 'A room imports the platform'],
    ['.astro → wrong room', 'src/features/documents/ui/List.astro', page(`import Card from '#features/sharing/ui/Card.astro';`, '<Card />'), 'may not call the room sharing'],
    ['page → store', 'src/pages/[base]/[lang]/documents/index.astro', page(`import '#features/documents/store.server.ts';`), 'is inside the room documents'],
    ["page → a room's API", 'src/pages/index.astro', page(`import '#features/documents/api.server.ts';`), 'is inside the room documents'],
    ['page → front door', 'src/pages/index.astro', page(`import '../server.ts';`), 'Pages, the middleware and the front door import'],
    ['front door → store', 'src/server.ts', `import '#features/session/store.server.ts';`, 'is inside the room session'],
    ['middleware → kit', 'src/middleware.ts', `import '#ui/dialog.ts';`, 'Pages, the middleware and the front door import'],
    ['tsx → server file of its own room', 'src/features/documents/ui/Uploader.tsx', `import '../documents.server.ts';`, 'This file may run in a browser'],
    [
      'tsx → server file, for a type',
      'src/features/documents/ui/Uploader.tsx',
      `import type { log } from '#platform/log.server.ts';\nexport type A = typeof log;`,
      'This file may run in a browser',
    ],
    ['calls.ts → server file', 'src/features/documents/calls.ts', `import '#platform/config.server.ts';`, 'This file may run in a browser'],
    ['contract → server file', 'src/features/documents/documents.ts', `import './store.server.ts';`, 'This file may run in a browser'],
    ['<script> of a page → server file', 'src/pages/index.astro', script(`import '#platform/log.server.ts';`), 'This file may run in a browser'],
    ['<script> of a part → server file by a relative path', 'src/features/documents/ui/List.astro', script(`import '../documents.server.ts';`), 'This file may run in a browser'],
    [
      'island → contract, for more than its types',
      'src/features/documents/state.ts',
      `import { document } from './documents.ts';\nexport const a = document;`,
      'would bring zod to the browser',
    ],
  ])('%s', async (_arrow, file, code, sentence) => {
    expect(await refusals(file, code)).toEqual([expect.stringContaining(sentence)]);
  });

  test.each([['src/features/invoices/invoices.ts'], ['src/utils/strings.ts'], ['src/helpers.ts']])('a file outside the map: %s', async (file) => {
    expect(await refusals(file, 'export const a = 1;')).toEqual([expect.stringContaining('stands in no room of the map')]);
  });
});

describe('the guard accepts a right arrow', () => {
  test.each([
    ['platform → platform', 'src/platform/mail.server.ts', `import './jobs.server.ts';\nimport 'node:fs';\nimport 'nodemailer';`],
    ['platform → types of words', 'src/platform/words.server.ts', `import type auth from '../../locales/en-us/auth.json';\nexport type A = typeof auth;`],
    [
      'kit → kit and platform',
      'src/ui/Frame.astro',
      page(`import Alert from './Alert.astro';\nimport { wordsFrom } from '#platform/words.ts';\nconst t = wordsFrom({ locale: 'en', texts: {} });`, '<Alert>{t("a")}</Alert>'),
    ],
    ['second → first floor and ground', 'src/features/sharing/sharing.server.ts', `import '#features/documents/documents.server.ts';\nimport '#features/firms/firms.ts';`],
    ['room → its own inside', 'src/features/documents/documents.server.ts', `import './store.server.ts';\nimport '#features/documents/documents.ts';`],
    ['room → its sub-room', 'src/features/tasks/tasks.server.ts', `import './w2/w2.server.ts';`],
    [
      "room → another room's part",
      'src/features/dashboard/ui/Board.astro',
      page(`import List from '#features/documents/ui/List.astro';\nimport '../dashboard.server.ts';`, '<List />'),
    ],
    [
      'island → rules, kit, types of the contract',
      'src/features/documents/ui/Uploader.tsx',
      `import type { Document } from '../documents.ts';\nimport '../rules.ts';\nimport '#ui/dialog.ts';\nimport 'react';\nexport type A = Document;`,
    ],
    [
      'page → doors, parts, kit, platform',
      'src/pages/index.astro',
      page(`import '#features/documents/documents.server.ts';\nimport '#features/documents/ui/List.astro';\nimport '#ui/Frame.astro';\nimport '#platform/log.server.ts';`),
    ],
    ['<script> of a part → its own room', 'src/features/documents/ui/List.astro', script(`import '../rules.ts';`)],
    [
      'front door → doors and APIs',
      'src/api.server.ts',
      `import '#features/session/session.server.ts';\nimport '#features/documents/api.server.ts';\nimport '#platform/log.server.ts';`,
    ],
    ['demo → every room', 'src/features/demo/demo.server.ts', `import '#features/sharing/sharing.server.ts';\nimport '#features/staff/staff.ts';`],
  ])('%s', async (_arrow, file, code) => {
    expect(await refusals(file, code)).toEqual([]);
  });
});

describe('the guard refuses a wrong line', () => {
  test.each([
    ['no-style-attribute', 'src/ui/Bar.astro', `<p style="color: red">Hello</p>`],
    ['no-style-attribute', 'src/ui/Bar.astro', '<p style={`color: red`}>Hello</p>'],
    ['no-style-attribute', 'src/ui/Bar.tsx', `export const Bar = () => <p style={{ color: 'red' }}>Hello</p>;`],
    ['no-raw-html', 'src/ui/Bar.astro', `<p set:html="<b>" />`],
    ['no-raw-html', 'src/ui/Bar.tsx', `export const Bar = () => <p dangerouslySetInnerHTML={{ __html: '' }} />;`],
    ['no-inline-script', 'src/ui/Bar.astro', `<script is:inline src="/a.js"></script>`],
    ['no-inline-script', 'src/ui/Bar.astro', `<style define:vars={{ a: 1 }}></style>`],
    ['sql-by-parameters', 'src/features/news/store.server.ts', 'export const a = sql.raw(`select ${b}`);'],
    ['sql-by-parameters', 'src/features/news/store.server.ts', `export const a = sql.raw('select ' + b);`],
    ['no-zod-in-browser', 'src/features/news/state.ts', `import { z } from 'zod';\nexport const a = z;`],
    ['no-zod-in-browser', 'src/features/news/ui/List.tsx', `import { z } from 'zod/v4';\nexport const a = z;`],
    ['no-astro-modules', 'src/features/news/news.server.ts', `import { getSecret } from 'astro:env/server';\nexport const a = getSecret;`],
    ['ask-the-clock', 'src/features/news/news.server.ts', 'export const a = Date.now();'],
    ['ask-the-clock', 'src/features/news/news.server.ts', 'export const a = new Date();'],
    ['ask-the-clock', 'src/pages/index.astro', page('const a = new Date();', '{a}')],
    ['no-skipped-test', 'tests/news.test.ts', `test.only('a', () => undefined);`],
    ['no-skipped-test', 'e2e/news.spec.ts', `test.describe.skip('a', () => undefined);`],
    ['no-sleeping', 'e2e/news.spec.ts', 'await page.waitForTimeout(100);'],
    ['no-sleeping', 'tests/news.test.ts', 'await new Promise((resume) => setTimeout(resume, 100));'],
    ['no-sleeping', 'tests/news.test.ts', `import { setTimeout as sleep } from 'node:timers/promises';\nawait sleep(1);`],
    ['disable-says-why', 'src/features/news/news.ts', '// eslint-disable-next-line no-console\nconsole.log(1);'],
    ['disable-says-why', 'src/features/news/news.ts', '/* eslint-disable */\nconsole.log(1);'],
    ['kit-test', 'e2e/news.spec.ts', `import { expect, test } from 'playwright/test';\nexport const a = [expect, test];`],
    ['kit-test', 'e2e/news.spec.ts', `import { test as base } from '@playwright/test';\nexport const a = base;`],
    ['disable-says-why', 'src/features/news/news.ts', 'console.log(1); // eslint-disable-line'],
    ['disable-says-why', 'src/features/news/news.ts', '// prettier-ignore\nexport const a = [1];'],
    ['disable-says-why', 'src/ui/Bar.astro', page('// prettier-ignore\nconst a = [1];', '{a}')],
  ])('%s in %s', async (rule, file, code) => {
    expect(await refusals(file, code)).toEqual([expect.stringMatching(`^house/${rule}: `)]);
  });

  test.each([
    ['// @ts-ignore', 'ban-ts-comment'],
    ['// @ts-nocheck', 'ban-ts-comment'],
    ['// @ts-expect-error', 'ban-ts-comment'],
  ])('%s without a reason', async (comment, rule) => {
    const [refused, ...others] = await refusals('src/features/news/news.ts', `${comment}\nexport const a: number = '';`);
    expect([refused, others]).toEqual([expect.stringMatching(`^@typescript-eslint/${rule}: `), []]);
  });

  test('and accepts its right neighbour', async () => {
    expect(await refusals('e2e/news.spec.ts', `import type { Page } from 'playwright/test';\nimport { test } from './kit/test.ts';\nexport const a = (page: Page) => test(page.url(), () => undefined);`)).toEqual([]);
    expect(await refusals('src/features/news/news.ts', '// a table reads better in columns\n// prettier-ignore\nexport const a = [1];')).toEqual([]);
    expect(await refusals('src/features/news/news.ts', `// @ts-expect-error the types of the library are wrong\nexport const a: number = '';`)).toEqual([]);
    expect(await refusals('src/features/news/news.ts', '// eslint-disable-next-line no-console -- said to the person at the terminal\nconsole.log(1);')).toEqual([]);
    expect(await refusals('src/features/news/store.server.ts', 'export const a = sql`select ${b}`;\nexport const c = sql.raw(`now()`);')).toEqual([]);
    expect(await refusals('src/features/news/state.ts', `import type { z } from 'zod';\nexport type A = z.ZodType;\nexport const b = new Date();`)).toEqual([]);
    expect(await refusals('src/features/news/rules.ts', `import { z } from 'zod/mini';\nexport const a = z;`)).toEqual([]);
    expect(await refusals('src/pages/index.astro', script('export const a = new Date();'))).toEqual([]);
  });
});

describe('server code cannot reach a browser bundle', () => {
  const resolve = (environment: string, id: string): unknown => serverDoors.resolveId.call({ environment: { name: environment } }, id, 'src/features/documents/ui/Uploader.tsx');

  test('the build of the browser’s files fails on a server file, and says where it came from', () => {
    for (const id of ['#platform/log.server.ts', '#features/documents/documents.server.ts', '../documents.server.ts', '/src/platform/config.server.ts']) {
      expect(() => resolve('client', id), id).toThrow(/Uploader\.tsx would carry .* into the browser/);
    }
    expect(resolve('client', '#platform/words.ts')).toBeNull();
    expect(resolve('ssr', '#platform/log.server.ts')).toBeNull();
  });
});

import { defineConfig } from 'playwright/test';
import { findChromium, findHeadless } from './scripts/toolchain.mjs';
import { useMemoryDisk } from './tests/support/memory-disk.ts';
import { onPostgres, WHOLE } from './tests/support/whole.ts';

useMemoryDisk();

const chromium = findHeadless() ?? findChromium();
/**
 * What a page weighs, how it looks and what a browser does with it, which does not come from PostgreSQL and
 * S3: there in the large form.
 */
const OF_PAGES = WHOLE
  ? []
  : [
      'budget',
      'pages',
      'dark',
      'css',
      'look',
      'islands',
      'keyboard',
      'language',
      'mobile-bridge',
      'redirects',
    ];
/**
 * What the API tests, which all run there too, say of access, sessions, clients, second steps, issuers and
 * figures: the same.
 */
const OF_RULES = WHOLE
  ? []
  : [
      'switcher',
      'access',
      'second-step',
      'issuer',
      'view-as',
      'session',
      'recovery',
      'fuzz',
      'authz',
      'metrics',
      'logs',
      'trouble',
    ];
/**
 * Journeys along pages whose SQL the API tests run there, and which `pinned-tab` opens there, too; what
 * stays is about files, several nodes and lasting states.
 */
const OF_SCREENS = WHOLE
  ? []
  : [
      'first-day',
      'forms',
      'lists',
      'tree',
      'rights',
      'sign-out',
      'no-scripts',
      'nets',
      'security-txt',
      'isolation',
    ];
// these two are about services
const LEFT_OUT = onPostgres ? [...OF_PAGES, ...OF_RULES, ...OF_SCREENS] : ['two-nodes', 'lost-database'];

/** Journeys of people through the portal. The fixtures of e2e/support start the portal themselves. */
export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/support/every-page.ts',
  testIgnore: LEFT_OUT.map((name) => `${name}.spec.ts`),
  outputDir: 'test-results/e2e',
  reporter: [['list'], ['json', { outputFile: process.env['E2E_REPORT'] ?? 'test-results/e2e.json' }]],
  workers: 3, // one of them mostly waits for a page
  retries: 1, // scripts/test.mjs names what passed only then; docs/decisions/0048-second-tries.md
  forbidOnly: true,
  timeout: 120_000,
  expect: { timeout: 20_000 }, // a shared machine is slow at times; no test waits for time to pass
  use: {
    browserName: 'chromium',
    launchOptions: {
      ...(chromium !== undefined && { executablePath: chromium }),
      // The last three: a third less of the processor, for what no test looks at.
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-component-update',
        '--no-first-run',
        '--disable-gpu',
        '--disable-software-rasterizer',
        '--disable-site-isolation-trials',
      ],
    },
  },
});

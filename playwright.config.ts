import { defineConfig } from 'playwright/test';
import { findChromium, findHeadless } from './scripts/toolchain.mjs';
import { useMemoryDisk } from './tests/support/memory-disk.ts';
import { onPostgres, WHOLE } from './tests/support/whole.ts';

useMemoryDisk();

const chromium = findHeadless() ?? findChromium();
/** About several nodes and a database server: only on PostgreSQL and S3. */
const ON_SERVICES = ['two-nodes', 'live-nodes', 'lost-database', 'lost-connections'];
/**
 * What `npm test` repeats on PostgreSQL and S3: journeys in which many bytes move. The SQL and the rules of all others
 * are in the API tests, which all run there too.
 */
const REPEATED = ['uploads', 'exports'];
const specsOf = (names: readonly string[]): string[] => names.map((name) => `${name}.spec.ts`);

/** Journeys of people through the portal. The fixtures of e2e/support start the portal themselves. */
export default defineConfig({
  testDir: 'e2e',
  globalSetup: ['./e2e/support/every-page.ts', './e2e/support/demo-data.ts'],
  ...(onPostgres
    ? !WHOLE && { testMatch: specsOf([...ON_SERVICES, ...REPEATED]) }
    : { testIgnore: specsOf(ON_SERVICES) }),
  outputDir: 'test-results/e2e',
  reporter: [['list'], ['json', { outputFile: process.env['E2E_REPORT'] ?? 'test-results/e2e.json' }]],
  workers: 3, // one of them mostly waits for a page
  retries: 1, // scripts/test.mjs names what passed only then; docs/decisions/0048-second-tries.md
  forbidOnly: true,
  timeout: 120_000,
  expect: {
    timeout: 20_000, // a shared machine is slow at times; no test waits for time to pass
    toMatchAriaSnapshot: { pathTemplate: '{testDir}/accessibility-tree/{arg}{ext}', children: 'deep-equal' },
  },
  use: {
    browserName: 'chromium',
    serviceWorkers: 'block', // what it does is in offline.spec.ts and push.spec.ts; elsewhere it would hide requests from tests
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

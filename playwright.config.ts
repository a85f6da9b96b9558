import { defineConfig } from 'playwright/test';
import { findChromium } from './scripts/toolchain.mjs';

const chromium = findChromium();
/**
 * On PostgreSQL and S3 the journeys run once more. How much a page weighs, how it looks and what a browser does with it does not come from
 * there; nor does what the API tests, which all run there too, say of access, sessions, clients, second steps and issuers.
 */
const onServices = Boolean(process.env['TEST_DATABASE_URL']);

/** Journeys of people through the portal. The fixtures of e2e/kit start the portal themselves. */
export default defineConfig({
  testDir: 'e2e',
  testIgnore: onServices ? ['budget', 'pages', 'look', 'islands', 'keyboard', 'language', 'mobile-bridge', 'redirects', 'switcher', 'access', 'second-step', 'issuer', 'view-as', 'session', 'recovery', 'fuzz'].map((name) => `${name}.spec.ts`) : ['two-nodes.spec.ts', 'lost-database.spec.ts'], // the last two are not for SQLite
  outputDir: 'test-results/e2e',
  reporter: [['list'], ['json', { outputFile: process.env['E2E_REPORT'] ?? 'test-results/e2e.json' }]],
  workers: 2,
  retries: 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 10_000 }, // a shared machine is slow at times; no test waits for time to pass
  use: {
    browserName: 'chromium',
    launchOptions: {
      ...(chromium !== undefined && { executablePath: chromium }),
      // The last three: a third less of the processor, for what no test looks at.
      args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--no-first-run', '--disable-gpu', '--disable-software-rasterizer', '--disable-site-isolation-trials'],
    },
  },
});

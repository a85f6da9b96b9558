import { defineConfig } from 'playwright/test';
import { findChromium } from './scripts/toolchain.mjs';

const chromium = findChromium();

/** Journeys of people through the portal. The fixtures of e2e/kit start the portal themselves. */
export default defineConfig({
  testDir: 'e2e',
  testIgnore: process.env['TEST_DATABASE_URL'] ? [] : ['two-nodes.spec.ts', 'lost-database.spec.ts'], // what SQLite is not for
  outputDir: 'test-results/e2e',
  reporter: [['list'], ['json', { outputFile: 'test-results/e2e.json' }]],
  workers: process.env['CI'] ? 1 : 2,
  retries: 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 10_000 }, // a shared machine is slow at times; no test waits for time to pass
  use: {
    browserName: 'chromium',
    trace: 'retain-on-failure',
    launchOptions: {
      ...(chromium !== undefined && { executablePath: chromium }),
      args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
    },
  },
});

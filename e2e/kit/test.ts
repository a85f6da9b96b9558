import { expect, test as base, type Page } from 'playwright/test';
import { DEMO_PASSWORD } from '#features/demo/demo.ts';
import { startPortal, type Portal } from './portal.ts';

/** People of the demo world, by what they are needed for. */
export const PEOPLE = { olivia: 'olivia@juniper.example', ana: 'ana@padaria.example', sophie: 'sophie@erable.example', marcus: 'marcus@holdings.example', nora: 'nora@newhere.example', leo: 'leo@closed.example', priya: 'priya@secure.example' } as const;

interface WorkerFixtures {
  portal: Portal;
}

/**
 * One portal per worker. Every page is watched: a script error, an unexpected `console.error` or a violated content policy fails the
 * test that caused it.
 */
export const test = base.extend<{ page: Page }, WorkerFixtures>({
  portal: [
    async ({}, use) => {
      const portal = await startPortal();
      await use(portal);
      await portal.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  baseURL: async ({ portal }, use) => use(`${portal.origin}/clientcenter/en-us/`),
  page: async ({ page }, use) => {
    const troubles: string[] = [];
    page.on('pageerror', (error) => troubles.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) troubles.push(message.text());
    });
    await use(page);
    expect(troubles, 'scripts ran without errors and within the content policy').toEqual([]);
  },
});

export { expect };

export async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(DEMO_PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

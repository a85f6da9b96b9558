import path from 'node:path';
import { startPortal, type Portal } from './support/portal.ts';
import { expect, PEOPLE, signIn, test } from './support/test.ts';

/*
 * What a page costs the database, which depends neither on the machine nor on the disk: the statements of a view,
 * and the commits that wait for the disk, of which there are none. On PostgreSQL each statement is a round trip.
 */

let portal: Portal;
test.beforeAll(async () => {
  const counter = path.join(import.meta.dirname, 'support/statements.mjs');
  portal = await startPortal({ NODE_OPTIONS: `--import ${counter}` });
});
test.afterAll(() => portal.stop());

/**
 * The most statements of a view by the path of the page: for a contact with one client, one with several, and staff.
 * One of each is the count of the bell.
 */
const MOST: Record<'olivia' | 'ana' | 'eleanor', Record<string, number>> = {
  olivia: { documents: 11, 'partials/documents': 7, home: 15, shares: 9, tasks: 10, clients: 9, profile: 7 },
  ana: { documents: 11, home: 18 },
  // staff read on a client’s documents when no one is notified of them: one of the thirteen
  eleanor: { documents: 13, 'staff/clients': 19, 'staff/people': 21, 'staff/inbox': 11, 'staff/tasks': 18 },
};

interface Count {
  statements: number;
  synced: number;
}

/** The counts since the portal started. */
async function counted(): Promise<Count> {
  const lines = (): string[] => portal.output().match(/^statements \{.*\}$/gm) ?? [];
  const before = lines().length;
  portal.signal('SIGUSR2');
  await expect.poll(() => lines().length).toBe(before + 1);
  return JSON.parse(lines().at(-1)?.slice('statements '.length) ?? '') as Count;
}

for (const [who, pages] of Object.entries(MOST) as [keyof typeof MOST, Record<string, number>][])
  test(`pages take ${who} few statements and no wait for the disk`, async ({ page }) => {
    const home = `${portal.origin}/clientcenter/en-us/`;
    await page.goto(`${home}auth`);
    await signIn(page, PEOPLE[who]);
    await expect(page.locator('h1')).toBeVisible();
    for (const [address, most] of Object.entries(pages)) {
      const views: Count[] = [];
      // jobs may run beside one of them
      for (let view = 0; view < 4; view += 1) {
        const before = await counted();
        const response = await page.request.get(home + address);
        expect(response.url(), address).toContain(address);
        expect(response.status(), address).toBe(200);
        const after = await counted();
        views.push({
          statements: after.statements - before.statements,
          synced: after.synced - before.synced,
        });
      }
      const least = Math.min(...views.map(({ statements }) => statements));
      expect.soft(least, `statements of ${address}`).toBeLessThanOrEqual(most);
      expect.soft(Math.min(...views.map(({ synced }) => synced)), `synced commits of ${address}`).toBe(0);
    }
  });

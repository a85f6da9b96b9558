import type { Page } from 'playwright/test';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/* The firm reads who of a client gets an email before it asks, writes or publishes, and afterwards. */

const note = (page: Page) => page.locator('[data-recipients]').first();
const alerts = (page: Page) => page.locator('.alerts .alert');

async function newClient(page: Page, name: string): Promise<string> {
  await page.goto('staff/clients/new');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.waitForURL(/staff\/clients\/client_/);
  return /client_\w+/.exec(page.url())?.[0] ?? '';
}

async function ask(page: Page, clientId: string): Promise<void> {
  await page.goto(`staff/tasks/new?to=${clientId}`);
  await page.getByLabel('Title', { exact: true }).fill('Hours of November');
  await page.getByLabel('Document or question').fill('Your hours');
  await page.getByRole('button', { name: 'Create task', exact: true }).click();
}

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test(`a request to a client without a contact says so before and after, ${javaScriptEnabled ? 'with' : 'without'} scripts, with the way to invite one`, async ({
      page,
      portal,
    }) => {
      await enter(page, PEOPLE.eleanor, 'staff');
      const name = `Lonely Lighthouse ${crypto.randomUUID().slice(0, 8)}`;
      const id = await newClient(page, name);
      const nobody = `No one at ${name} will get an email: it has no contact.`;
      await page.goto(`staff/tasks/new?to=${id}`);
      await expect(note(page)).toContainText(nobody);
      await ask(page, id);
      await expect(alerts(page).filter({ hasText: nobody })).toBeVisible();

      for (const where of ['staff/tasks/payment?to=', 'staff/tasks/review?to=', 'documents?client=']) {
        await page.goto(`${where}${id}`);
        await expect(note(page), where).toContainText(nobody);
        await expect(
          note(page).getByRole('link', { name: `Invite a contact of ${name}` }),
          'leads to the form that invites one',
        ).toHaveAttribute('href', new RegExp(`staff/people/new\\?for=${id}\\b`));
      }

      const [juniper] = await portal.sql(
        "select client_id from clients where name = 'Juniper Street Bakery LLC'",
      );
      await ask(page, String(juniper?.['client_id']));
      await expect(
        alerts(page).filter({ hasText: 'Olivia Bennett will get an email.' }),
        'who is told of it otherwise',
      ).toBeVisible();
    });
  });

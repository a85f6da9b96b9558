import { expectUsable } from './support/accessibility.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/* What the firm tells its clients about itself (issue 18, settings). */

test('staff changes the data of the firm, and a client reads it in the help menu', async ({
  page,
  browser,
}) => {
  await enter(page, PEOPLE.eleanor, 'staff/settings');
  await page.goto('staff/settings');
  await page.getByRole('link', { name: 'Firm details' }).click();
  await page.getByLabel('Contact person').fill('Eleanor Hart');
  await page.getByLabel('Opening hours').fill('Monday to Friday, 9 am to 5 pm');
  await page.getByLabel('Email').fill('office');
  const address = page.getByRole('group', { name: /^Address/ });
  await address.getByLabel('Country').selectOption({ label: 'Canada' });
  await address.getByLabel('Address line 1').fill('100 King Street West');
  await address.getByLabel('City').fill('Toronto');
  await address.getByRole('combobox', { name: 'Province' }).selectOption({ label: 'Ontario' });
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByLabel('Email')).toHaveAccessibleDescription('Enter a valid email address.');
  await expectUsable(page, 'the data of the firm with an error');
  await page.getByLabel('Email').fill('office@maplehart.example');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Firm details saved.')).toBeVisible();

  const context = await browser.newContext({ baseURL: page.url().replace(/staff.*/, '') });
  const client = await context.newPage();
  await enter(client, PEOPLE.olivia, 'documents');
  await client.goto('documents');
  await client.locator('#help summary').click();
  const help = client.locator('#help');
  await expect(help.getByText('Ask for Eleanor Hart')).toBeVisible();
  await expect(help.getByRole('link', { name: 'office@maplehart.example' })).toBeVisible();
  await expect(help.getByText('Toronto, Ontario')).toBeVisible();
  await context.close();
});

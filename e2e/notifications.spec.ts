import { linkInMailbox } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/* What people choose about their email notifications, and the link that turns them off. */

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('a contact chooses which emails come and when, and nothing chosen is lost on an error', async ({
    page,
  }) => {
    await enter(page, PEOPLE.sophie, 'profile/notifications');
    await page.getByLabel(/^Comments/).uncheck();
    await page.getByLabel('Hold emails during quiet hours').check();
    await page.getByLabel('From', { exact: true }).selectOption('22');
    await page.getByLabel('Until', { exact: true }).selectOption('22');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByRole('alert')).toContainText('Choose a different time');
    await expect(page.getByLabel(/^Comments/)).not.toBeChecked();
    await page.getByLabel('Until', { exact: true }).selectOption('6');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByRole('status').first()).toContainText('Email notifications saved.');
    await expect(page.getByLabel(/^Comments/)).not.toBeChecked();
    await expect(page.getByLabel(/^New documents/)).toBeChecked();
    await expect(page.getByLabel('Until', { exact: true })).toHaveValue('6');
  });

  test('the link in an email asks, turns off its kind without signing in, and says how to undo that', async ({
    page,
    browser,
    portal,
    request,
  }) => {
    await enter(page, PEOPLE.eleanor, 'documents');
    await page.getByRole('main').getByRole('checkbox', { name: /\.pdf/ }).first().check();
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByLabel('Your comment').fill('Please check this.');
    await page.getByRole('button', { name: 'Add comment' }).click();
    const { mail } = await linkInMailbox(page, 'New comments on');
    const link = /http\S+\/unsubscribe\/\S+/.exec(mail)?.[0] ?? '';
    const reader = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    for (let scans = 0; scans < 2; scans += 1) {
      await reader.goto(link);
      await expect(reader.getByRole('heading', { level: 1 })).toHaveText('Turn off these emails?');
    }
    await reader.getByRole('button', { name: 'Turn off' }).click();
    await expect(reader.getByRole('heading', { level: 1 })).toHaveText('These emails are turned off');
    await expect(reader.getByRole('main')).toContainText('Comments and messages');
    await reader.goto(link);
    await expect(reader.getByRole('heading', { level: 1 })).toHaveText('These emails are turned off');
    await reader.getByRole('link', { name: 'Email notifications' }).click();
    await expect(reader).toHaveURL(/\/auth\?r=.*notifications/);
    await reader.context().close();

    await portal.sql('delete from notification_opt_outs');
    const oneClick = await request.post(link, {
      form: { 'List-Unsubscribe': 'One-Click' },
      maxRedirects: 0,
    });
    expect(oneClick.status()).toBe(200);
    expect(await portal.sql('select kind from notification_opt_outs')).toEqual([{ kind: 'comment' }]);
  });
});

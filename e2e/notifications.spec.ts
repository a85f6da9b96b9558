import { linkInMailbox } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/* What people choose about their email notifications, and the link that turns them off. */

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('a contact chooses which emails come and when, and nothing chosen is lost on an error', async ({
    page,
  }) => {
    await enter(page, PEOPLE.sophie, 'profile/notifications');
    const kinds = page.getByRole('group', { name: 'Email me about' });
    const daily = page.getByRole('group', { name: /^Once a day/ });
    await kinds.getByLabel(/^Comments/).uncheck();
    await daily.getByLabel(/^New documents/).check();
    await page.getByLabel('Daily email at').selectOption('7');
    await page.getByLabel('Hold emails during quiet hours').check();
    await page.getByLabel('From', { exact: true }).selectOption('22');
    await page.getByLabel('Until', { exact: true }).selectOption('22');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByRole('alert')).toContainText('Choose a different time');
    await expect(kinds.getByLabel(/^Comments/)).not.toBeChecked();
    await page.getByLabel('Until', { exact: true }).selectOption('6');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByRole('status').first()).toContainText('Email notifications saved.');
    await expect(kinds.getByLabel(/^Comments/)).not.toBeChecked();
    await expect(kinds.getByLabel(/^New documents/)).toBeChecked();
    await expect(daily.getByLabel(/^New documents/)).toBeChecked();
    await expect(page.getByLabel('Daily email at')).toHaveValue('7');
    await expect(page.getByLabel('Until', { exact: true })).toHaveValue('6');
  });

  test('the bell counts what is unread; it is read, archived and taken back on its page', async ({
    page,
    browser,
  }) => {
    const staff = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await enter(staff, PEOPLE.eleanor, 'documents');
    await staff.getByRole('main').getByRole('checkbox', { name: /\.pdf/ }).first().check();
    await staff.getByText('More', { exact: true }).click();
    await staff.getByRole('button', { name: 'Comment', exact: true }).click();
    const title = (await staff.getByRole('heading', { level: 1 }).textContent()) ?? '';
    await staff.getByRole('textbox', { name: 'Your comment' }).fill('Have you seen this?');
    await staff.getByRole('button', { name: 'Add comment' }).click();
    await staff.context().close();

    await enter(page, PEOPLE.marcus, 'notifications?state=all');
    const name = title.replace(/^Comments on /, '').trim();
    // another test may have commented on the same document
    const row = page
      .getByRole('row')
      .filter({ hasText: `New comment on ${name}` })
      .filter({ hasText: 'unread' });
    await expect(row).toContainText('unread');
    const bell = page.locator('#bell summary');
    await expect(bell).toContainText(/\d+ unread/);
    await row.getByRole('button', { name: /^Archive/ }).click();
    await expect(page.getByText('1 notification archived.', { exact: true })).toBeVisible();
    await expect(row).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(row).toContainText('unread');
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await expect(bell).not.toContainText('unread');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('#bell summary').click();
    await page.getByRole('link', { name: 'See all notifications' }).click();
    await row.getByRole('link').click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title.trim());
    await page.goBack();
    await page.reload();
    await expect(row).toHaveCount(0);
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
    await page.getByRole('textbox', { name: 'Your comment' }).fill('Please check this.');
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

test('an open bell lists what came since the page was loaded', async ({ page, browser }) => {
  await enter(page, PEOPLE.marcus, 'documents');
  const staff = await (await browser.newContext()).newPage();
  await enter(staff, PEOPLE.eleanor, 'documents');
  await staff.getByRole('main').getByRole('checkbox', { name: /\.pdf/ }).first().check();
  await staff.getByText('More', { exact: true }).click();
  await staff.getByRole('button', { name: 'Comment', exact: true }).click();
  await staff.getByRole('textbox', { name: 'Your comment' }).fill('And this?');
  await staff.getByRole('button', { name: 'Add comment' }).click();
  await staff.context().close();
  await page.locator('#bell > summary').click();
  await page
    .locator('#bell')
    .getByRole('link', { name: /^New comment on|new comments on/ })
    .click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Comments on');
});

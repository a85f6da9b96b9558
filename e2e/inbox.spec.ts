import { PEOPLE, enter, expect, test } from './support/test.ts';

/* What is new to a member of staff in the inbox, and undoing what they marked. */

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('opening an entry marks it as read for oneself, and it can be marked as unread', async ({ page }) => {
    await enter(page, PEOPLE.eleanor, 'staff/inbox?of=mine');
    const navigation = page.getByRole('navigation', { name: 'Firm navigation' });
    const rows = page.getByRole('main').locator('[data-row]');
    const unread = rows.filter({ hasText: '(unread)' });
    const before = await unread.count();
    expect(before).toBeGreaterThan(0);
    await expect(navigation).toContainText(`${before} unread`);
    await unread.first().getByRole('link').first().click();
    await expect(page).not.toHaveURL(/staff\/inbox/);
    await page.goto('staff/inbox?of=mine');
    await expect(unread).toHaveCount(before - 1);
    await rows.filter({ hasNotText: '(unread)' }).getByRole('checkbox').last().check();
    await page.locator('.more summary').click();
    await page.getByRole('button', { name: 'Mark as unread' }).click();
    await expect(unread).toHaveCount(before);
  });

  test('"Not mine" is undone', async ({ page, portal }) => {
    await portal.sql('update staff_clients set is_responsible = 1');
    await enter(page, PEOPLE.eleanor, 'staff/inbox?of=mine');
    const rows = page.getByRole('main').locator('[data-row]');
    const before = await rows.count();
    await page
      .getByRole('button', { name: /^Not mine / })
      .first()
      .click();
    await expect(page.getByRole('main').getByText(/not yours/)).toHaveText('1 item marked as not yours.');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(rows).toHaveCount(before);
  });
});

test('the inbox has a group for each client with how long it waits, and keys for its rows', async ({
  page,
}) => {
  await enter(page, PEOPLE.eleanor, 'staff/inbox?of=all');
  const groups = page.getByRole('main').getByRole('region');
  expect(await groups.count()).toBeGreaterThan(1);
  await expect(groups.first()).toContainText(/Waiting \d+ days?/);
  const rows = page.locator('[data-row]');
  const before = await rows.count();
  await expect(rows.first().locator('.step')).toHaveText(/^(Open|Review|Reply)$/);
  await rows.first().getByRole('link').focus();
  await page.keyboard.press('j');
  await expect(rows.nth(1).getByRole('link')).toBeFocused();
  await page.keyboard.press('x');
  await expect(rows.nth(1).getByRole('checkbox')).toBeChecked();
  await page.keyboard.press('x');
  await page.keyboard.press('k');
  await expect(rows.first().getByRole('link')).toBeFocused();
  const next = await rows.nth(2).locator('bdi').first().textContent();
  await page.keyboard.press('j');
  await page.keyboard.press('e');
  await expect(rows).toHaveCount(before - 1);
  await expect(rows.nth(1).getByRole('link'), 'the row that took its place').toBeFocused();
  await expect(rows.nth(1)).toContainText(next ?? '');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(rows).toHaveCount(before);
});

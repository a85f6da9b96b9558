import { PEOPLE, enter, expect, test } from './support/test.ts';

/* What is new to a member of staff in the inbox, and undoing what they marked. */

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('opening an entry marks it as read for oneself, and it can be marked as unread', async ({ page }) => {
    await enter(page, PEOPLE.eleanor, 'staff/inbox?of=mine');
    const navigation = page.getByRole('navigation', { name: 'Firm navigation' });
    const unread = page.getByRole('row', { name: /\(unread\)/ });
    const before = await unread.count();
    expect(before).toBeGreaterThan(0);
    await expect(navigation).toContainText(`${before} unread`);
    await unread.first().getByRole('link').first().click();
    await expect(page).not.toHaveURL(/staff\/inbox/);
    await page.goto('staff/inbox?of=mine');
    await expect(unread).toHaveCount(before - 1);
    await page.getByRole('row').filter({ hasNotText: '(unread)' }).getByRole('checkbox').last().check();
    await page.locator('.more summary').click();
    await page.getByRole('button', { name: 'Mark as unread' }).click();
    await expect(unread).toHaveCount(before);
  });

  test('"Not mine" is undone', async ({ page, portal }) => {
    await portal.sql('update staff_clients set is_responsible = 1');
    await enter(page, PEOPLE.eleanor, 'staff/inbox?of=mine');
    const rows = page.getByRole('main').getByRole('row');
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

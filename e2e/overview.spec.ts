import { PEOPLE, enter, expect, test } from './support/test.ts';

test.describe(() => {
  test.use({ javaScriptEnabled: false });

  test('each figure of the overview is the number of rows of the list to which it leads', async ({
    page,
  }) => {
    await enter(page, PEOPLE.eleanor, 'staff/overview');
    const links = await page.locator('[data-figure], .numbers td a').evaluateAll((all) =>
      all.map((link) => ({
        href: link.getAttribute('href') ?? '',
        number: (link.querySelector('strong') ?? link).textContent?.trim() ?? '',
      })),
    );
    expect(links.length).toBeGreaterThan(12);
    expect(links.filter(({ number }) => number !== '0').length).toBeGreaterThan(3);
    for (const { href, number } of links) {
      await page.goto(href);
      const total = page.locator('.grid-total').or(page.getByText(/^\d+\+? items? of one kind/));
      const text = (await total.count()) > 0 ? ((await total.first().textContent()) ?? '') : '0';
      expect(/[\d,]+/.exec(text)?.[0], `${href}: ${text}`).toBe(number.replace('+', ''));
    }
  });
});

test('the overview is an area of those who manage clients', async ({ page }) => {
  await enter(page, PEOPLE.eleanor, 'staff/inbox');
  const area = page
    .getByRole('navigation', { name: 'Firm navigation' })
    .getByRole('link', { name: 'Overview' });
  await area.first().click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
  await page.getByRole('link', { name: /^Tasks past their due date/ }).click();
  await expect(page).toHaveURL(/staff\/tasks\?view=overdue/);
  await expect(page.getByRole('link', { name: 'Overdue', exact: true })).toHaveAttribute(
    'aria-current',
    'page',
  );
});

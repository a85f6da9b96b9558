import { enter, expect, PEOPLE, test, WAYS } from './support/test.ts';

/* A firm writes its own words into emails. */

for (const { viewport, javaScriptEnabled } of WAYS)
  test.describe(`at ${viewport.width} px with scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });

    test('a text is previewed, refused with a reason, saved, and set back to the standard', async ({
      page,
    }) => {
      await enter(page, PEOPLE.eleanor, 'staff/mail-texts?kind=comment&text=en-us');
      await expect(page.getByRole('heading', { level: 1, name: 'Email texts' })).toBeVisible();
      const preview = page.getByRole('region', { name: 'Preview' });
      await page.getByLabel('Subject').fill('[{firm}] {subject}');
      await page.getByLabel('Introduction').fill('Dear {nmae},');
      await page.getByRole('button', { name: 'Preview' }).click();
      await expect(page.getByRole('alert')).toContainText('There is no placeholder “nmae”');
      await page.getByLabel('Introduction').fill('Dear {name},');
      await page.getByRole('button', { name: 'Preview' }).click();
      await expect(preview).toContainText('It isn’t saved yet');
      await expect(preview).toContainText('Dear Eleanor,');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expect(page.getByText('Text saved. It is used from the next email on.')).toBeVisible();
      await expect(preview).toContainText('Dear Eleanor,');
      await expect(page.getByRole('navigation', { name: 'Kind of email' })).toContainText('(your text)');
      await page.getByRole('button', { name: 'Reset to standard' }).click();
      await expect(page.getByLabel('Subject')).toHaveValue('');
      await expect(preview).not.toContainText('Dear Eleanor,');
    });
  });

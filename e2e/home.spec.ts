import { PEOPLE, enter, expect, test } from './support/test.ts';

for (const javaScriptEnabled of [true, false])
  test.describe(() => {
    test.use({ javaScriptEnabled });

    test(`a new document on the home page opens, with scripts ${javaScriptEnabled ? 'on' : 'off'}`, async ({
      page,
    }) => {
      await enter(page, PEOPLE.ana, 'home');
      const documents = page.getByRole('region', { name: 'New from' }).getByRole('listitem');
      const name = (await documents.first().locator('bdi').first().textContent()) ?? '';
      await documents.first().getByRole('link').click();
      await expect(page).toHaveURL(/\/documents\/doc_\w+/);
      await expect(page.getByRole('heading', { level: 1 })).toContainText(name);
    });
  });

import { pdf } from './support/steps.ts';
import { PEOPLE, PHONE, enter, expect, test } from './support/test.ts';

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

for (const javaScriptEnabled of [true, false])
  test.describe(() => {
    test.use({ javaScriptEnabled });

    test(`somebody arranges their home page, with scripts ${javaScriptEnabled ? 'on' : 'off'}`, async ({
      page,
    }) => {
      await enter(page, PEOPLE.sophie, 'home');
      const headings = page.getByRole('main').getByRole('heading', { level: 2 });
      const before = await headings.allTextContents();
      await page.getByRole('link', { name: 'Arrange this page' }).click();
      await page.getByRole('button', { name: 'Hide Your contact' }).click();
      await expect(page).toHaveURL(/home\/edit#contact$/);
      await page
        .getByRole('button', { name: /^Move up: (?!Your tasks)/ })
        .first()
        .click();
      await page.getByRole('link', { name: 'Home' }).last().click();
      const after = await headings.allTextContents();
      expect(after).toHaveLength(before.length - 1);
      expect(after[0]).toBe(before[1]);

      await page.getByRole('link', { name: 'Arrange this page' }).click();
      await page.getByRole('button', { name: 'Back to your firm’s arrangement' }).click();
      await page.getByRole('link', { name: 'Home' }).last().click();
      expect(await headings.allTextContents()).toEqual(before);
    });
  });

test('who has several companies reads to which of them an upload goes before it, and can choose another', async ({
  page,
}) => {
  await enter(page, PEOPLE.marcus, 'home');
  const goesTo = page.getByRole('main').getByText(/^Uploads go to .+\./);
  const [company = ''] = /(?<=^Uploads go to )[^.]+/.exec(await goesTo.innerText()) ?? [];
  await page
    .locator('input[name="file[]"]')
    .setInputFiles({ name: 'From home.pdf', mimeType: 'application/pdf', buffer: pdf('From home') });
  await expect(page.locator('#alerts').getByText('From home.pdf uploaded.')).toBeVisible();
  await page.goto('documents');
  await expect(page.getByRole('banner'), 'the active company').toContainText(company);
  await expect(page.getByRole('link', { name: 'From home.pdf', exact: true })).toBeVisible();
  await page.goto('home');
  await page.getByRole('link', { name: 'Choose another company' }).click();
  await expect(page).toHaveURL(/\/clients$/);
});

test.describe('on a phone', () => {
  test.use({ viewport: { ...PHONE, height: 640 } });

  test('the first task begins within the first third of the screen, and the company of uploads is named at the buttons', async ({
    page,
  }) => {
    for (const person of ['olivia', 'marcus'] as const) {
      await page.context().clearCookies();
      await enter(page, PEOPLE[person], 'home');
      const row = await page
        .getByRole('region', { name: 'Your tasks' })
        .getByRole('listitem')
        .first()
        .boundingBox();
      expect(row?.y, person).toBeLessThanOrEqual(210);
    }
    const goesTo = await page.getByText(/^Uploads go to .+\./).boundingBox();
    const upload = await page.getByText('Upload', { exact: true }).locator('visible=true').boundingBox();
    if (!goesTo || !upload) throw new Error('One of them is not shown.');
    expect(goesTo.height).toBeLessThanOrEqual(32);
    expect(goesTo.y + goesTo.height).toBeLessThanOrEqual(upload.y);
    expect(upload.y - goesTo.y).toBeLessThanOrEqual(48);
  });
});

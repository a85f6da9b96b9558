import { nameBatch, pdf } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

const FILES = 20;

test('staff publish twenty payslips by number, correct the one that no client matches, and undo it', async ({
  page,
}) => {
  await enter(page, PEOPLE.eleanor, 'staff/publish');
  await nameBatch(page, 'Payslips November');
  await page.getByLabel('Folder').fill('Payroll {year}/Payslips');
  await page.getByRole('button', { name: 'Create batch' }).click();
  const names = Array.from({ length: FILES }, (_, index) =>
    // no numbers: other tests add clients to this firm, whose numbers these could be
    index === 0 ? 'Wrong.pdf' : `JB-1042 payslip ${'abcdefghijklmnopqrst'.charAt(index)}.pdf`,
  );
  await page
    .getByLabel('Files', { exact: true })
    .setInputFiles(names.map((name) => ({ name, mimeType: 'application/pdf', buffer: pdf(name) })));
  await page.getByRole('button', { name: 'Add files' }).click();
  await expect(page.getByText('20 files added.')).toBeVisible();
  const wrong = page.getByRole('row').filter({ hasText: 'Wrong.pdf' });
  await expect(wrong).toContainText('No client found');
  await expect(page.getByText('19 ready')).toBeVisible();
  await expect(page.getByRole('link', { name: '1 needs attention' })).toBeVisible();
  await expect(wrong.locator('.cell-problem svg'), 'an icon beside the problem').toBeVisible();
  await expect(page.locator('tbody tr').first(), 'problems are first').toContainText('Wrong.pdf');
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await expect(page.getByRole('button', { name: 'Publish 19 files' })).toBeInViewport();
  await wrong.getByRole('link', { name: /Choose client/ }).click();
  await page.getByLabel('Client name or number').fill('Juniper');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('button', { name: /Juniper Street Bakery/ }).click();
  await expect(page.getByText('20 ready')).toBeVisible();
  await expect(page.getByText('1 of 1 client has someone who will get an email.')).toBeVisible();
  await page.getByRole('button', { name: 'Publish 20 files' }).click();
  await expect(async () => {
    await page.reload();
    await expect(page.getByText('Published: 20 of 20')).toBeVisible({ timeout: 1000 });
  }).toPass();
  await expect(page.getByText(/^Contacts will be notified at .*, in (?:9|10) minutes\./)).toBeVisible();
  await page.getByRole('link', { name: 'Withdraw' }).click();
  await expect(page.getByText('Move 20 documents to the trash?')).toBeVisible();
  await expect(page.getByText('None of these clients’ contacts has opened')).toBeVisible();
  await page.getByRole('button', { name: 'Withdraw' }).click();
  await expect(page.getByText('20 documents moved to trash. No one was notified.')).toBeVisible();
});

for (const scripts of ['on', 'off'])
  test.describe(`with scripts ${scripts}`, () => {
    test.use({ javaScriptEnabled: scripts === 'on' });

    test('what is not certain is listed first, says what was found, and is published only after it is confirmed', async ({
      page,
    }) => {
      const other = `Marsh Marine Supply ${scripts}`;
      await enter(page, PEOPLE.eleanor, 'staff/clients/new');
      await page.getByLabel('Name', { exact: true }).fill(other);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expect(page.getByRole('heading', { name: other })).toBeVisible();
      await page.goto('staff/publish');
      await nameBatch(page, `Uncertain, scripts ${scripts}`);
      await page.getByRole('button', { name: 'Create batch' }).click();
      const texts = {
        'Juniper Street Bakery LLC.pdf': 'Juniper Street Bakery LLC',
        'Juniper Street Bakery.pdf': other,
        'Invoice JB-1042.pdf': 'Dear all',
      };
      await page.getByLabel('Files', { exact: true }).setInputFiles(
        Object.entries(texts).map(([name, text]) => ({
          name,
          mimeType: 'application/pdf',
          buffer: pdf(text),
        })),
      );
      await page.getByRole('button', { name: 'Add files' }).click();
      await expect(page.getByText('1 ready')).toBeVisible();
      await expect(page.getByText('2 files need your decision.')).toBeVisible();
      const doubtful = page.getByRole('row').filter({ hasText: 'Invoice JB-1042.pdf' });
      await expect(doubtful).toContainText('Needs your confirmation');
      await expect(doubtful).toContainText('This number can also be an invoice');
      const wrong = page.getByRole('row').filter({ hasText: 'Juniper Street Bakery.pdf' });
      await expect(wrong).toContainText('Several clients match');
      await expect(wrong).toContainText('In the PDF: name of');
      await expect(page.getByRole('button', { name: 'Publish 1 file' })).toBeVisible();
      await doubtful.getByRole('button', { name: /^Confirm Juniper Street Bakery LLC/ }).click();
      await expect(page.getByRole('button', { name: 'Publish 2 files' })).toBeVisible();
      await wrong.getByRole('button', { name: `Assign to ${other}` }).click();
      await expect(page.getByRole('button', { name: 'Publish 3 files' })).toBeVisible();
    });

    test('staff publish to one client, into a new folder, with a message that an error does not lose', async ({
      page,
    }) => {
      await enter(page, PEOPLE.eleanor, 'staff/publish');
      await page.getByLabel('Client name or number').fill('Juniper');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('link', { name: 'Juniper Street Bakery LLC JB-1042' }).click();
      await page.getByLabel('Folder', { exact: true }).selectOption({ label: 'New folder' });
      await page.getByLabel('Service').selectOption('Payroll');
      await page.getByLabel(/^Message to the contacts/).fill('Please sign <page 2>.');
      await page.getByRole('button', { name: 'Continue to files' }).click();
      await expect(page.getByText('Enter a folder name.').first()).toBeVisible();
      await expect(page.getByLabel(/^Message to the contacts/)).toHaveValue('Please sign <page 2>.');
      await expect(page.getByLabel('Folder', { exact: true })).toHaveValue('new');
      await expect(page.getByLabel('Service')).toHaveValue('Payroll');
      await page.getByLabel(/^New folder name/).fill(`Payroll, scripts ${scripts}`);
      await page.getByRole('button', { name: 'Continue to files' }).click();
      await expect(page.getByText('Please sign <page 2>.')).toBeVisible();
      await page
        .getByLabel('Files', { exact: true })
        .setInputFiles([{ name: 'Signed.pdf', mimeType: 'application/pdf', buffer: pdf(scripts) }]);
      await page.getByRole('button', { name: 'Add files' }).click();
      await expect(page.getByText('1 ready')).toBeVisible();
      await page.getByRole('button', { name: 'Publish 1 file' }).click();
      await expect(async () => {
        await page.reload();
        await expect(page.getByText('Published: 1 of 1')).toBeVisible({ timeout: 1000 });
      }).toPass();
    });
  });

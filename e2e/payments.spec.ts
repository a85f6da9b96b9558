import type { Page } from 'playwright/test';
import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/*
 * Payments from the request of the firm to the receipt: online by the sandbox, declined and then paid, by Pix, and by
 * bank with the confirmation of the firm.
 */

const INVOICE = {
  name: 'invoice.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF'),
};

async function requestInvoice(page: Page, number: string): Promise<void> {
  await enter(page, PEOPLE.eleanor, 'staff/tasks/payment?q=juniper');
  await page.locator('main .choices a').first().click();
  await page.getByRole('button', { name: 'Request payment' }).click();
  await expect(page.locator('.error-summary')).toContainText('Enter the invoice number.');
  await page.getByLabel('Invoice number').fill(number);
  await page.getByLabel('Amount').fill('1250.50');
  await page.getByLabel('Invoice as a PDF').setInputFiles(INVOICE);
  await page.getByRole('button', { name: 'Request payment' }).click();
  await expect(page.locator('body')).toContainText('Payment requested from');
  await expect(page.getByRole('main')).toContainText('$1,250.50');
}

async function openInvoice(page: Page, number: string): Promise<void> {
  await enter(page, PEOPLE.olivia, 'tasks');
  await page.getByRole('link', { name: `Payment Request - Invoice #${number}` }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Payment Request - Invoice #${number}`);
}

const chooseInSandbox = async (page: Page, outcome: string | RegExp): Promise<void> => {
  await page.getByRole('button', { name: 'Pay $1,250.50 online' }).click();
  await expect(page.getByRole('heading', { name: 'Payment test' })).toBeVisible();
  await expect(page.getByRole('main')).toContainText('$1,250.50');
  await page.getByRole('button', { name: outcome, exact: true }).click();
};

for (const { viewport, javaScriptEnabled } of WAYS)
  test.describe(`at ${viewport.width} px with scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });
    const where = `at ${viewport.width} px${javaScriptEnabled ? '' : ' without scripts'}`;
    const tail = `${viewport.width}${javaScriptEnabled ? 'on' : 'off'}`;

    test(`an invoice is declined and then paid online ${where}`, async ({ page, context }) => {
      await requestInvoice(page, `online-${tail}`);
      await context.clearCookies();
      await openInvoice(page, `online-${tail}`);
      await expect(page.getByRole('link', { name: /^invoice/ })).toBeVisible();
      await chooseInSandbox(page, 'Leave without paying');
      await expect(page.getByRole('button', { name: /^Pay / })).toBeVisible();
      await chooseInSandbox(page, 'Decline payment');
      await expect(page.getByRole('main')).toContainText('The payment was declined');
      await chooseInSandbox(page, 'Pay and send the confirmation twice');
      await expect(page.getByRole('main')).toContainText('received $1,250.50');
      await page.getByRole('link', { name: /^Confirmation \d+/ }).click();
      await expect(page.getByRole('main')).toContainText('Invoice paid');
      await expect(page.getByRole('main')).toContainText(`online-${tail}`);
    });

    test(`an invoice that is paid later is being confirmed until the bank has paid it ${where}`, async ({
      page,
      context,
    }) => {
      await requestInvoice(page, `later-${tail}`);
      await context.clearCookies();
      await openInvoice(page, `later-${tail}`);
      await page.getByRole('button', { name: /^Pay / }).click();
      // whoever comes back before the message of the provider, or types this address, has not paid
      const sandbox = page.url();
      await openInvoice(page, `later-${tail}`);
      await page.goto(`${page.url().split('?')[0]}?payment=done`);
      await expect(page.getByRole('main')).toContainText('Your payment is being confirmed');
      await expect(page.getByRole('link', { name: 'Check again' })).toBeVisible();
      await page.goto(sandbox);
      await page.getByRole('button', { name: 'Pay later' }).click();
      await expect(page.getByRole('main')).toContainText('Your payment is being processed');
      await expect(page.getByRole('button', { name: /^Pay / })).toHaveCount(0);
    });

    test(`an open payment page is closed when the invoice is paid or deleted meanwhile ${where}`, async ({
      page,
      context,
      browser,
      baseURL,
    }) => {
      const number = `closed-${tail}`;
      await requestInvoice(page, number);
      await context.clearCookies();
      await openInvoice(page, number);
      const invoice = page.url();
      await page.getByRole('button', { name: /^Pay / }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payment test');

      // paid in another tab: this page takes no second payment, and leads to the invoice
      const other = await context.newPage();
      await other.goto(page.url());
      await other.getByRole('button', { name: 'Pay', exact: true }).click();
      await expect(other.getByRole('main')).toContainText('received $1,250.50');
      await page.getByRole('button', { name: 'Pay', exact: true }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('This payment page is closed');
      await page.getByRole('link', { name: 'See the invoice' }).click();
      await expect(page.getByRole('main')).toContainText('received $1,250.50');
      expect(page.url().split('?')[0]).toBe(invoice.split('?')[0]);

      // deleted by the firm: the invoice is not there any more, so it leads to the tasks
      await context.clearCookies();
      await requestInvoice(page, `gone-${tail}`);
      const client = await browser.newContext({ baseURL: baseURL ?? '', viewport, javaScriptEnabled });
      const open = await client.newPage();
      await openInvoice(open, `gone-${tail}`);
      await open.getByRole('button', { name: /^Pay / }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tasks');
      await open.getByRole('button', { name: 'Pay', exact: true }).click();
      await expect(open.getByRole('heading', { level: 1 })).toHaveText('This payment page is closed');
      await expect(open.getByRole('main')).toContainText('No payment can be made here.');
      await open.getByRole('link', { name: 'See your tasks' }).click();
      await expect(open).toHaveURL(/\/tasks/);
      await client.close();
    });

    test(`an invoice is paid by bank when the firm confirms it ${where}`, async ({ page, context }) => {
      const number = `bank-${tail}`;
      await requestInvoice(page, number);
      await context.clearCookies();
      await openInvoice(page, number);
      await expect(page.getByLabel('Account number')).toHaveValue('0001234567');
      await page.getByRole('button', { name: 'I’ve paid' }).click();
      await expect(page.getByRole('main')).toContainText('Waiting for the money to arrive');
      await context.clearCookies();

      await enter(page, PEOPLE.eleanor, 'staff/inbox?of=all');
      await page.getByRole('link', { name: `Invoice ${number}: reported as paid by the client` }).click();
      await page.locator('summary', { hasText: 'The money didn’t arrive' }).click();
      await page.getByLabel('What should the client know?').fill('Nothing on our statement.');
      await page.getByRole('button', { name: 'The money didn’t arrive' }).click();
      await expect(page.locator('body')).toContainText('The invoice is open again');
      await context.clearCookies();

      await openInvoice(page, number);
      await expect(page.getByRole('main')).toContainText('Nothing on our statement.');
      await page.getByRole('button', { name: 'I’ve paid' }).click();
      await context.clearCookies();

      await enter(page, PEOPLE.eleanor, 'staff/inbox?of=all');
      await page.getByRole('link', { name: `Invoice ${number}: reported as paid by the client` }).click();
      await page.getByLabel('Bank reference').fill('ACH 4711');
      await page.getByRole('button', { name: 'Mark as received' }).click();
      await expect(page.locator('body')).toContainText('Payment confirmed');
      await expect(page.getByRole('main')).toContainText('ACH 4711');
      await context.clearCookies();

      await enter(page, PEOPLE.olivia, 'tasks?show=done');
      await page.getByRole('link', { name: `Payment Request - Invoice #${number}` }).click();
      await expect(page.getByRole('main')).toContainText('received $1,250.50');
    });

    test(`Pix is shown as a QR code and as text ${where}`, async ({ page, portal }) => {
      const home = `${portal.origin}/clientcenter/pt/`;
      await enter(page, PEOPLE.ana, `${home}tasks?of=all`);
      await page.getByRole('link', { name: /Fatura nº 2026-0311/ }).click();
      await expect(page.getByRole('img', { name: /^QR Code Pix de R\$\s1\.180,00/ })).toBeVisible();
      await expect(page.getByLabel('Pix copia e cola', { exact: true })).toHaveValue(
        /^000201.*br\.gov\.bcb\.pix.*54071180\.00.*6304[0-9A-F]{4}$/,
      );
    });
  });

test('the firm changes how it is paid only right after signing in, and a wrong account is refused', async ({
  page,
}) => {
  await enter(page, PEOPLE.eleanor, 'staff/settings');
  await page.getByRole('link', { name: 'Payments' }).click();
  await page.getByLabel('IBAN').fill('GB82 WEST 1234 5698 7654 33');
  await page.getByLabel(/^Pix key/).fill('nobody');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('.error-summary')).toContainText('check digits don’t match');
  await expect(page.locator('.error-summary')).toContainText('This isn’t a Pix key of the selected type.');
  await page.getByLabel('IBAN').fill('GB82 WEST 1234 5698 7654 32');
  await page.getByLabel(/^Pix key/).fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('body')).toContainText('Payment settings saved');
  await expect(page.getByLabel('IBAN')).toHaveValue('GB82WEST12345698765432');
});

test('the page of the sandbox is not found at an address that it has not signed', async ({ page }) => {
  const answer = await page.goto('sandbox-checkout/e30.AAAA');
  expect(answer?.status()).toBe(404);
});

import type { Page } from 'playwright/test';
import { PHONE_BY_KEYBOARD, test, type Operator } from './support/operator.ts';
import { openListed } from './support/tasks.ts';
import { PEOPLE, WAYS, enter, expect } from './support/test.ts';

/*
 * Payments from the request of the firm to the receipt: online by the sandbox, declined and then paid, by Pix, and by
 * bank with the confirmation of the firm.
 */

const INVOICE = {
  name: 'invoice.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF'),
};

/** 1,250.50 in any language. */
const AMOUNT = /1\D?250[.,]50/;

async function requestInvoice(operator: Operator, number: string): Promise<void> {
  const { page, says } = operator;
  const request = page.getByRole('button', { name: says('payments', 'request') });
  await enter(page, PEOPLE.eleanor, 'staff/tasks/payment?q=juniper');
  await operator.activate(page.locator('main .choices a').first());
  await operator.activate(request);
  await expect(page.getByRole('main').getByRole('alert')).toContainText(says('payments', 'invoiceMissing'));
  await operator.fill(page.getByLabel(says('payments', 'invoiceNumber')), number);
  await operator.fill(page.getByLabel(says('payments', 'amount')), '1250.50');
  await operator.attach(page.getByLabel(says('payments', 'invoiceFile')), INVOICE);
  await operator.activate(request);
  await expect(page.locator('body')).toContainText(says('payments', 'requested'));
  await expect(page.getByRole('main')).toContainText(AMOUNT);
}

const labelOf = ({ says }: Operator, number: string): string | RegExp =>
  says('tasks', 'labelInvoice', { number });

async function openInvoice(operator: Operator, number: string): Promise<void> {
  const { page } = operator;
  await enter(page, PEOPLE.olivia, 'tasks');
  await openListed(operator, labelOf(operator, number));
}

const payButton = ({ page, says }: Operator) =>
  page.getByRole('button', { name: says('payments', 'payOnline') });
/** That the client has paid; the amount follows who got it. */
const isPaid = ({ page, says }: Operator): Promise<void> =>
  expect(page.getByRole('main')).toContainText(says('payments', 'paidText'));

async function chooseInSandbox(
  operator: Operator,
  outcome: 'sandboxPay' | 'sandboxTwice' | 'sandboxFail' | 'sandboxLeave',
): Promise<void> {
  const { page, says } = operator;
  await operator.activate(payButton(operator));
  await expect(page.getByRole('heading', { name: says('payments', 'sandboxTitle') })).toBeVisible();
  await expect(page.getByRole('main')).toContainText(AMOUNT);
  await operator.activate(page.getByRole('button', { name: says('payments', outcome), exact: true }));
}

for (const { how, key, way } of PHONE_BY_KEYBOARD)
  test.describe(how, () => {
    const { viewport, javaScriptEnabled } = way;
    test.use(way);

    test(`an invoice is declined and then paid online ${how}`, async ({ page, context, operator }) => {
      const { says } = operator;
      await requestInvoice(operator, `online-${key}`);
      await context.clearCookies();
      await openInvoice(operator, `online-${key}`);
      await expect(page.getByRole('link', { name: /^invoice/ })).toBeVisible();
      await chooseInSandbox(operator, 'sandboxLeave');
      await expect(payButton(operator)).toBeVisible();
      await chooseInSandbox(operator, 'sandboxFail');
      await expect(page.getByRole('main')).toContainText(says('payments', 'failure_declined'));
      await chooseInSandbox(operator, 'sandboxTwice');
      await isPaid(operator);
      await operator.activate(page.getByRole('link', { name: says('payments', 'receipt') }));
      await expect(page.getByRole('main')).toContainText(says('payments', 'receiptKind'));
      await expect(page.getByRole('main')).toContainText(`online-${key}`);
    });

    test(`an invoice that is paid later is being confirmed until the bank has paid it ${how}`, async ({
      page,
      context,
      operator,
    }) => {
      const { says } = operator;
      await requestInvoice(operator, `later-${key}`);
      await context.clearCookies();
      await openInvoice(operator, `later-${key}`);
      await operator.activate(payButton(operator));
      await expect(page.getByRole('heading', { name: says('payments', 'sandboxTitle') })).toBeVisible();
      // whoever comes back before the message of the provider, or types this address, has not paid
      const sandbox = page.url();
      await openInvoice(operator, `later-${key}`);
      await page.goto(`${page.url().split('?')[0]}?payment=done`);
      await expect(page.getByRole('main')).toContainText(says('payments', 'awaitedTitle'));
      await expect(page.getByRole('link', { name: says('payments', 'checkAgain') })).toBeVisible();
      await page.goto(sandbox);
      await operator.activate(page.getByRole('button', { name: says('payments', 'sandboxLater') }));
      await expect(page.getByRole('main')).toContainText(says('payments', 'processingTitle'));
      await expect(payButton(operator)).toHaveCount(0);
    });

    test(`an open payment page is closed when the invoice is paid or deleted meanwhile ${how}`, async ({
      page,
      context,
      browser,
      baseURL,
      operator,
    }) => {
      const { says } = operator;
      const number = `closed-${key}`;
      const pay = (at: Page) => at.getByRole('button', { name: says('payments', 'sandboxPay'), exact: true });
      const heading = (at: Page) => at.getByRole('heading', { level: 1 });
      await requestInvoice(operator, number);
      await context.clearCookies();
      await openInvoice(operator, number);
      const invoice = page.url();
      await operator.activate(payButton(operator));
      await expect(heading(page)).toHaveText(says('payments', 'sandboxTitle'));

      // paid in another tab: this page takes no second payment, and leads to the invoice
      const other = operator.at(await context.newPage());
      await other.page.goto(page.url());
      await other.activate(pay(other.page));
      await isPaid(other);
      await operator.activate(pay(page));
      await expect(heading(page)).toHaveText(says('payments', 'sandboxClosed'));
      await operator.activate(page.getByRole('link', { name: says('payments', 'sandboxInvoice') }));
      await isPaid(operator);
      expect(page.url().split('?')[0]).toBe(invoice.split('?')[0]);

      // deleted by the firm: the invoice is not there any more, so it leads to the tasks
      await context.clearCookies();
      await requestInvoice(operator, `gone-${key}`);
      const client = await browser.newContext({ baseURL: baseURL ?? '', viewport, javaScriptEnabled });
      const open = operator.at(await client.newPage());
      await openInvoice(open, `gone-${key}`);
      await open.activate(payButton(open));
      await expect(heading(open.page)).toHaveText(says('payments', 'sandboxTitle'));
      await operator.activate(page.getByRole('button', { name: says('tasks', 'deleteTask') }));
      await expect(heading(page)).toHaveText(says('tasks', 'title'));
      await open.activate(pay(open.page));
      await expect(heading(open.page)).toHaveText(says('payments', 'sandboxClosed'));
      await expect(open.page.getByRole('main')).toContainText(says('payments', 'sandboxClosedText'));
      await open.activate(open.page.getByRole('link', { name: says('payments', 'sandboxTasks') }));
      await expect(open.page).toHaveURL(/\/tasks/);
      await client.close();
    });

    test(`an invoice is paid by bank when the firm confirms it ${how}`, async ({
      page,
      context,
      operator,
    }) => {
      const { says } = operator;
      const number = `bank-${key}`;
      const paid = page.getByRole('button', { name: says('payments', 'iHavePaid') });
      const inInbox = page.getByRole('link', { name: says('inbox', 'payment', { name: number }) });
      const notArrived = page.locator('details', { hasText: says('payments', 'notArrived') });
      await requestInvoice(operator, number);
      await context.clearCookies();
      await openInvoice(operator, number);
      await expect(page.getByLabel(says('payments', 'account'))).toHaveValue('0001234567');
      await operator.activate(paid);
      await expect(page.getByRole('main')).toContainText(says('payments', 'reportedTitle'));
      await context.clearCookies();

      await enter(page, PEOPLE.eleanor, 'staff/inbox?of=all');
      await operator.activate(inInbox);
      await operator.activate(notArrived.locator('summary'));
      await operator.fill(
        notArrived.getByLabel(says('payments', 'notArrivedReason')),
        'Nothing on our statement.',
      );
      await operator.activate(notArrived.getByRole('button', { name: says('payments', 'notArrived') }));
      await expect(page.locator('body')).toContainText(says('payments', 'didReject'));
      await context.clearCookies();

      await openInvoice(operator, number);
      await expect(page.getByRole('main')).toContainText('Nothing on our statement.');
      await operator.activate(paid);
      await expect(page.getByRole('main')).toContainText(says('payments', 'reportedTitle'));
      await context.clearCookies();

      await enter(page, PEOPLE.eleanor, 'staff/inbox?of=all');
      await operator.activate(inInbox);
      await operator.fill(page.getByLabel(says('payments', 'statementReference')), 'ACH 4711');
      await operator.activate(page.getByRole('button', { name: says('payments', 'markReceived') }));
      await expect(page.locator('body')).toContainText(says('payments', 'didReceive'));
      await expect(page.getByRole('main')).toContainText('ACH 4711');
      await context.clearCookies();

      await enter(page, PEOPLE.olivia, 'tasks?show=done');
      await openListed(operator, labelOf(operator, number));
      await isPaid(operator);
    });
  });

for (const { viewport, javaScriptEnabled } of WAYS)
  test.describe(`Pix at ${viewport.width} px with scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled, lang: 'pt' });

    test(`Pix is shown as a QR code and as text at ${viewport.width} px${javaScriptEnabled ? '' : ' without scripts'}`, async ({
      page,
    }) => {
      await enter(page, PEOPLE.ana, 'tasks?of=all');
      await page.getByRole('link', { name: /Cobrança 2026-0311/ }).click();
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
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText('check digits don’t match');
  await expect(page.getByRole('main').getByRole('alert')).toContainText(
    'This isn’t a Pix key of the selected type.',
  );
  await page.getByLabel('IBAN').fill('GB82 WEST 1234 5698 7654 32');
  await page.getByLabel(/^Pix key/).fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.locator('body')).toContainText('Payment settings saved');
  await expect(page.getByLabel('IBAN')).toHaveValue('GB82WEST12345698765432');
});

test('the page of the sandbox is not found at an address that it has not signed', async ({ page }) => {
  const answer = await page.goto('sandbox-checkout/e30.AAAA');
  expect(answer?.status()).toBe(404);
});

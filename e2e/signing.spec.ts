import { createHash } from 'node:crypto';
import type { BrowserContext, Page } from 'playwright/test';
import { pdfOf } from '../tests/support/pdf.ts';
import { PEOPLE, SIZES, WAYS, enter, expect, test } from './support/test.ts';

/*
 * A document from the firm's request to the sealed copy: staff place the fields and send it, a contact signs with
 * their account, somebody without one by their link, and the result verifies.
 */

const LETTER = pdfOf(['Section 4 Fees', 'Signed by']);

/** Starts a request for signatures of a contact and of somebody without an account, up to where they sign. */
async function start(page: Page, title: string): Promise<void> {
  await enter(page, PEOPLE.eleanor, 'staff/tasks/sign?q=ashland%20bakery');
  await page.locator('main .choices a').first().click();
  await page.getByLabel('Title', { exact: true }).fill(title);
  await upload(page, LETTER.subarray(0, 20));
  await expect(page.locator('body')).toContainText('This PDF is damaged or empty.');
  await upload(page, LETTER);
  await expect(page.locator('body')).toContainText('uploaded and selected below');
  await expect(page.getByLabel('Title', { exact: true })).toHaveValue(title);
  await page.getByLabel('Signer', { exact: true }).selectOption({ index: 1 });
  await page.getByRole('button', { name: 'Add signer' }).click();
  await page.getByLabel('Signer', { exact: true }).nth(1).selectOption('other');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.locator('.error-summary')).toContainText('Enter the name and the email address');
  await page.getByLabel('Name (without an account)').nth(1).fill('Łukasz Álvares');
  await page
    .getByLabel('Email address (without an account)')
    .nth(1)
    .fill(`lukasz-${title.replaceAll(' ', '-')}@out.example`.toLowerCase());
  await page.getByLabel('Order', { exact: true }).nth(1).selectOption('2');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Where they sign');
}

/** Sends such a request, and returns the access code of the signer without an account. */
async function request(page: Page, title: string): Promise<string> {
  await start(page, title);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.locator('body')).toContainText('Nothing was sent');
  await page.getByRole('button', { name: /^Place a signature for each signer/ }).click();
  await expect(page.locator('body')).toContainText('Fields saved.');
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.getByLabel('Type').last().selectOption('initials');
  await page.getByLabel('From the left').last().fill('10');
  await page.getByLabel('From the top').last().fill('8');
  await page.getByLabel('Width').last().fill('10');
  await page.getByLabel('Height').last().fill('4');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
  return (await page.locator('main dd code').first().textContent()) ?? '';
}

async function upload(page: Page, buffer: Buffer): Promise<void> {
  await page
    .getByLabel('Upload a PDF')
    .setInputFiles({ name: 'Letter.pdf', mimeType: 'application/pdf', buffer });
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
}

/** From the first step to the last; `name` is what is typed as the signature. */
async function signAll(page: Page, name: string, draws = false): Promise<void> {
  await page.getByRole('button', { name: 'Read and sign' }).click();
  if (await page.getByRole('heading', { name: 'Agreement to sign electronically' }).isVisible()) {
    await page.getByRole('button', { name: 'Agree and continue' }).click();
    await expect(page.locator('.error-summary')).toContainText('Select the box to agree');
    await page.getByLabel('I can open PDF files on this device').check();
    await page.getByLabel('I agree to sign electronically').check();
    await page.getByRole('button', { name: 'Agree and continue' }).click();
  }
  await expect(page.getByRole('heading', { name: /^Page 1 of/ })).toBeVisible();
  const next = page.getByRole('button', { name: 'Next page' });
  while (await next.isVisible()) {
    const shown = (await page.getByRole('heading', { name: /^Page / }).textContent()) ?? '';
    await next.click();
    await expect(page.getByRole('heading', { name: /^Page / })).not.toHaveText(shown);
  }
  await page.getByRole('button', { name: 'Continue to sign' }).click();
  await page.getByLabel('Your full name, as your signature').fill('');
  await page.getByRole('button', { name: 'Sign', exact: true }).click();
  await expect(page.locator('.error-summary')).toContainText('Enter your full name.');
  await page.getByLabel('Your full name, as your signature').fill(name);
  if (draws) await draw(page);
  await page.getByRole('button', { name: 'Sign', exact: true }).click();
  await expect(page.getByRole('main')).toContainText('You signed on');
  await expect(page.getByRole('main')).toContainText('Confirmation number');
}

async function draw(page: Page): Promise<void> {
  await page.getByText('Draw your signature (optional)').click();
  const canvas = page.locator('canvas');
  const field = page.locator('input[name="drawing"]');
  await expect(async () => {
    await canvas.scrollIntoViewIfNeeded();
    const area = await canvas.boundingBox();
    if (!area) throw new Error('There is no canvas.');
    await page.mouse.move(area.x + 20, area.y + 20);
    await page.mouse.down();
    await page.mouse.move(area.x + area.width / 2, area.y + area.height / 2, { steps: 3 });
    await page.mouse.up();
    await expect(field).toHaveValue(/^data:image\/png;base64,/, { timeout: 1000 });
  }).toPass();
}

/** The address in the mail of the demo to the signer without an account. */
async function mailedLink(page: Page, title: string): Promise<string> {
  const mail = page
    .getByRole('row')
    .filter({ hasText: 'out.example' })
    .getByRole('link', { name: new RegExp(`please sign “${title}”`) })
    .first();
  await expect(async () => {
    await page.goto('mailbox');
    await expect(mail).toBeVisible();
  }).toPass();
  await mail.click();
  const href = await page.locator('main a[href*="/sign/"]').first().getAttribute('href');
  return href ?? '';
}

async function freshPage(context: BrowserContext, page: Page): Promise<void> {
  await context.clearCookies();
  await page.goto('about:blank');
}

for (const { viewport, javaScriptEnabled } of WAYS)
  test.describe(`at ${viewport.width} px with scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });

    test(`a document is placed, sent, signed by two people and sealed at ${viewport.width} px${javaScriptEnabled ? '' : ' without scripts'}`, async ({
      page,
      context,
    }) => {
      const title = `Letter ${viewport.width} ${javaScriptEnabled ? 'on' : 'off'}`;
      const code = await request(page, title);
      await freshPage(context, page);
      await enter(page, PEOPLE.marcus, 'tasks?of=all');
      await page.getByRole('link', { name: title }).click();
      await signAll(page, 'Marcus A. Reed', javaScriptEnabled);
      await freshPage(context, page);
      const link = await mailedLink(page, title);
      await page.goto(link);
      await page.getByLabel('Access code').fill('0000');
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await expect(page.locator('.error-summary')).toContainText('Incorrect code.');
      await page.getByLabel('Access code').fill(code);
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await signAll(page, 'Łukasz Álvares');
      await expect(async () => {
        await page.reload();
        await expect(page.getByRole('main')).toContainText('has sealed the document');
      }).toPass();
      const sealed = await page.request.get(
        (await page.getByRole('link', { name: 'Download sealed document' }).getAttribute('href')) ?? '',
      );
      const bytes = await sealed.body();
      expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
      const digest = createHash('sha256').update(bytes).digest('hex');
      await expect(page.getByRole('main')).toContainText(
        `Fingerprint of the sealed file (SHA-256): ${digest}`,
      );
    });
  });

for (const viewport of SIZES)
  test.describe(`fields at ${viewport.width} px`, () => {
    test.use({ viewport });

    test(`fields are placed on a page by click, keys and drag, and saved as numbers at ${viewport.width} px`, async ({
      page,
    }) => {
      await start(page, `Fields ${viewport.width}`);
      const sheet = page.locator('[data-page="1"] svg');
      const left = page.getByLabel('From the left').first();
      const top = page.getByLabel('From the top').first();
      await page.locator('#new-signer').selectOption({ index: 1 });
      const area = await sheet.boundingBox();
      if (!area) throw new Error('The page is not shown.');
      await sheet.click({ position: { x: area.width / 5, y: area.height / 2 } });
      await expect(page.getByLabel('Type', { exact: true }).nth(1)).toHaveValue('signature');
      await expect(page.getByLabel('Signer', { exact: true }).nth(1)).toHaveValue('2');
      await expect.poll(async () => Number(await left.inputValue())).toBeCloseTo(20, 0);
      const field = sheet.getByRole('button', { name: '1. Signature, Łukasz Álvares' });
      await expect(field).toBeFocused();
      const before = Number(await left.inputValue());
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Shift+ArrowRight');
      const mm = 100 / (595 / (72 / 25.4));
      await expect.poll(async () => Number(await left.inputValue())).toBeCloseTo(before + 6 * mm, 1);
      const wide = page.getByLabel('Width').first();
      const width = Number(await wide.inputValue());
      await page.keyboard.press('+');
      await expect.poll(async () => Number(await wide.inputValue())).toBeCloseTo(width + mm, 1);
      const from = await field.locator('rect').first().boundingBox();
      if (!from) throw new Error('The field is not shown.');
      await page.mouse.move(from.x + 5, from.y + 5);
      await page.mouse.down();
      await page.mouse.move(from.x + 5, from.y + 5 - area.height / 10, { steps: 3 });
      await page.mouse.up();
      await expect.poll(async () => Number(await top.inputValue())).toBeCloseTo(40, 0);
      await sheet.click({ position: { x: area.width / 5, y: area.height / 5 } });
      await expect(sheet.getByRole('button')).toHaveCount(2);
      await page.keyboard.press('Delete');
      await expect(sheet.getByRole('button')).toHaveCount(1);
      const saved = await top.inputValue();
      await page.getByRole('button', { name: 'Save fields' }).click();
      await expect(page.locator('body')).toContainText('Fields saved.');
      await expect(top).toHaveValue(saved);
      await expect(page.locator('[data-page="1"] svg text')).toHaveText('ŁÁ · Signature');
    });
  });

test('somebody who is not the named person stops the link, and the firm is told', async ({
  page,
  context,
}) => {
  const title = 'Letter for another';
  const code = await request(page, title);
  await freshPage(context, page);
  await enter(page, PEOPLE.marcus, 'tasks?of=all');
  await page.getByRole('link', { name: title }).click();
  await page.locator('summary', { hasText: 'Decline to sign' }).click();
  await page.getByRole('button', { name: 'Decline to sign' }).click();
  await expect(page.locator('.error-summary')).toContainText('Enter a reason.');
  await signAll(page, 'Marcus Reed');
  await freshPage(context, page);
  await page.goto(await mailedLink(page, title));
  await page.getByLabel('Access code').fill(code);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByRole('button', { name: 'I’m not Łukasz Álvares' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This link has expired');
  await freshPage(context, page);
  await enter(page, PEOPLE.eleanor, 'staff/inbox?of=all');
  await page.getByRole('link', { name: `“${title}”: signatures need your attention` }).click();
  await expect(page.getByRole('main')).toContainText('said the link isn’t for them');
});

import { createHash } from 'node:crypto';
import type { BrowserContext, Page } from 'playwright/test';
import { pdfOf } from '../tests/support/pdf.ts';
import { DESK_BY_KEYBOARD, operatorOf, test, type Operator } from './support/operator.ts';
import { openListed } from './support/tasks.ts';
import { PEOPLE, SIZES, enter, expect } from './support/test.ts';

/*
 * A document from the firm's request to the sealed copy: staff place the fields and send it, a contact signs with
 * their account, somebody without one by their link, and the result verifies.
 */

const LETTER = pdfOf(['Section 4 Fees', 'Signed by']);

/** Starts a request for signatures of a contact and of somebody without an account, up to where they sign. */
async function start(by: Page | Operator, title: string): Promise<void> {
  const operator = operatorOf(by);
  const { page, says } = operator;
  const label = (key: 'titleLabel' | 'signerContact' | 'signerOrder') =>
    page.getByLabel(says('signing', key), { exact: true });
  const button = (key: 'signerAdd' | 'continue') =>
    page.getByRole('button', { name: says('signing', key), exact: true });
  await enter(page, PEOPLE.eleanor, 'staff/tasks/sign?q=ashland%20bakery');
  await operator.activate(page.locator('main .choices a').first());
  await operator.fill(label('titleLabel'), title);
  await upload(operator, LETTER.subarray(0, 20));
  await expect(page.locator('body')).toContainText(says('signing', 'documentDamaged'));
  await upload(operator, LETTER);
  await expect(page.locator('body')).toContainText(says('signing', 'documentUploaded'));
  await expect(label('titleLabel')).toHaveValue(title);
  await operator.select(label('signerContact'), { index: 1 });
  await operator.activate(button('signerAdd'));
  await operator.select(label('signerContact').nth(1), 'other');
  await operator.activate(button('continue'));
  await expect(page.getByRole('main').getByRole('alert')).toContainText(says('signing', 'signerNameMissing'));
  await operator.fill(page.getByLabel(says('signing', 'signerName')).nth(1), 'Łukasz Álvares');
  await operator.fill(
    page.getByLabel(says('signing', 'signerEmail')).nth(1),
    `lukasz-${title.replaceAll(' ', '-')}@out.example`.toLowerCase(),
  );
  await operator.select(label('signerOrder').nth(1), '2');
  await operator.activate(button('continue'));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(says('signing', 'placeTitle'));
}

/** Sends such a request, and returns the access code of the signer without an account. */
async function request(by: Page | Operator, title: string, movesField = false): Promise<string> {
  const operator = operatorOf(by);
  const { page, says } = operator;
  const button = (key: 'send' | 'placeAtEnd' | 'fieldAdd') =>
    page.getByRole('button', { name: says('signing', key), exact: true });
  await start(operator, title);
  await operator.activate(button('send'));
  await expect(page.locator('body')).toContainText(says('signing', 'notSent'));
  await operator.activate(button('placeAtEnd'));
  await expect(page.locator('body')).toContainText(says('signing', 'fieldsSaved'));
  if (movesField) await moveFirstField(operator);
  await operator.activate(button('fieldAdd'));
  await expect(page.getByLabel(says('signing', 'fieldX'))).toHaveCount(5);
  const kind = page.getByLabel(says('signing', 'fieldKind'), { exact: true }).last();
  await expect(kind, 'whoever adds a field goes on there').toBeFocused();
  await operator.select(kind, 'initials');
  for (const [key, value] of [
    ['fieldX', '10'],
    ['fieldY', '8'],
    ['fieldWidth', '10'],
    ['fieldHeight', '4'],
  ] as const)
    await operator.fill(page.getByLabel(says('signing', key)).last(), value);
  await operator.activate(button('send'));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
  return (await page.locator('main dd code').first().textContent()) ?? '';
}

/** Moves a field on its page, where the fields can be reached once somebody has touched the pages. */
async function moveFirstField(operator: Operator): Promise<void> {
  const { page, says } = operator;
  const top = page.getByLabel(says('signing', 'fieldY')).first();
  const before = await top.inputValue();
  await operator.select(page.locator('#new-signer'), { index: 1 });
  await operator.activate(page.locator('[data-page] svg').getByRole('button', { name: /^1\. / }));
  await page.keyboard.press('ArrowUp');
  await expect(top).not.toHaveValue(before);
}

async function upload(operator: Operator, buffer: Buffer): Promise<void> {
  const { page, says } = operator;
  const file = { name: 'Letter.pdf', mimeType: 'application/pdf', buffer };
  await operator.attach(page.getByLabel(says('signing', 'uploadFile')), file);
  await operator.activate(page.getByRole('button', { name: says('signing', 'upload'), exact: true }));
}

/** From the first step to the last; `name` is what is typed as the signature. */
async function signAll(by: Page | Operator, name: string, draws = false): Promise<void> {
  const operator = operatorOf(by);
  const { page, says } = operator;
  const button = (key: 'readAndSign' | 'agreeSubmit' | 'nextPages' | 'toSigning' | 'signSubmit') =>
    page.getByRole('button', { name: says('signing', key), exact: true });
  // that of another form may still be there
  const problem = (key: 'agreeMissing' | 'signNameMissing') =>
    page
      .getByRole('main')
      .getByRole('alert')
      .filter({ hasText: says('signing', key) });
  const headings = page.getByRole('heading', { name: says('signing', 'page') });
  const nameField = page.getByLabel(says('signing', 'signName'));
  await expect(button('readAndSign').or(button('agreeSubmit'))).toBeVisible();
  if (await button('readAndSign').isVisible()) await operator.activate(button('readAndSign'));
  else {
    await operator.activate(button('agreeSubmit'));
    await expect(problem('agreeMissing')).toBeVisible();
    await operator.check(page.getByLabel(says('signing', 'agreeBox')));
    await operator.activate(button('agreeSubmit'));
  }
  await expect(headings.first()).toBeVisible();
  while (await button('nextPages').isVisible()) {
    const shown = (await headings.first().textContent()) ?? '';
    await operator.activate(button('nextPages'));
    await expect(headings.first()).not.toHaveText(shown);
  }
  // where a code is asked for, it is entered on a page of its own
  if (await button('toSigning').isVisible()) await operator.activate(button('toSigning'));
  await operator.fill(nameField, '');
  await operator.activate(button('signSubmit'));
  await expect(problem('signNameMissing')).toBeVisible();
  await operator.fill(nameField, name);
  if (draws) await draw(page);
  await operator.activate(button('signSubmit'));
  await expect(page.getByRole('main')).toContainText(says('signing', 'youSigned'));
  await expect(page.getByRole('main')).toContainText(says('signing', 'receiptNumber'));
  await expect(page.getByText(says('reminders', 'promiseTitle'))).toHaveCount(0);
}

async function draw(page: Page): Promise<void> {
  await page.locator('summary', { has: page.locator('xpath=../..//canvas') }).click();
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

/** The address in the mail of the demo to the signer without an account, in the language of the journey. */
async function mailedLink(page: Page, title: string): Promise<string> {
  const mail = page
    .getByRole('row')
    .filter({ hasText: 'out.example' })
    .getByRole('link', { name: title })
    .first();
  await expect(async () => {
    await page.goto('mailbox');
    await expect(mail).toBeVisible({ timeout: 500 });
  }).toPass();
  await page.goto((await mail.getAttribute('href')) ?? '');
  const href = await page.locator('main a[href*="/sign/"]').first().getAttribute('href');
  return (href ?? '').replace(/.*(?=sign\/)/, '');
}

async function freshPage(context: BrowserContext, page: Page): Promise<void> {
  await context.clearCookies();
  await page.goto('about:blank');
}

for (const { how, key, way } of DESK_BY_KEYBOARD)
  test.describe(how, () => {
    test.use(way);

    test(`a document is placed, sent, signed by two people and sealed ${how}`, async ({
      page,
      context,
      operator,
    }) => {
      const { says } = operator;
      const title = `Letter ${key}`;
      const code = await request(operator, title, way.input === 'keyboard');
      await expect(page.getByRole('main')).toContainText(says('reminders', 'mailsOfSigners'));
      await expect(page.getByRole('main')).not.toContainText(says('reminders', 'mailsNone'));
      await freshPage(context, page);
      await enter(page, PEOPLE.marcus, 'tasks?of=all');
      await openListed(operator, title);
      await signAll(operator, 'Marcus A. Reed', way.javaScriptEnabled && way.input === 'pointer');
      await freshPage(context, page);
      await page.goto(await mailedLink(page, title));
      const codeField = page.getByLabel(says('signing', 'linkCode'));
      const open = page.getByRole('button', { name: says('signing', 'linkOpen'), exact: true });
      await operator.fill(codeField, '0000');
      await operator.activate(open);
      await expect(page.getByRole('main').getByRole('alert')).toContainText(
        says('signing', 'linkCodeWrong', { count: 4 }),
      );
      await operator.fill(codeField, code);
      await operator.activate(open);
      await signAll(operator, 'Łukasz Álvares');
      await expect(async () => {
        await page.reload();
        await expect(page.getByRole('main')).toContainText(says('signing', 'isSealed'), { timeout: 500 });
      }).toPass();
      const sealed = await page.request.get(
        (await page.getByRole('link', { name: says('signing', 'getSealed') }).getAttribute('href')) ?? '',
      );
      const bytes = await sealed.body();
      expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
      const digest = createHash('sha256').update(bytes).digest('hex');
      await expect(page.getByRole('main')).toContainText(says('signing', 'digest'));
      await expect(page.getByRole('main')).toContainText(digest);
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
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Enter a reason.');
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

import { linkInMailbox } from './support/steps.ts';
import {
  createTask,
  openSubmission,
  openTask,
  STATEMENT,
  STATEMENTS_AND_MILES,
  submitTask,
} from './support/tasks.ts';
import { WAYS, expect, test } from './support/test.ts';

/*
 * What a client is asked for item by item: each is accepted or returned by itself.
 */

for (const { viewport, javaScriptEnabled } of WAYS) {
  const how = `at ${viewport.width} px${javaScriptEnabled ? '' : ' without scripts'}`;
  test.describe(how, () => {
    test.use({ viewport, javaScriptEnabled });

    test(`one item is returned with its reason, and only that one is open and reviewed again ${how}`, async ({
      page,
      context,
    }) => {
      const title = `Items ${viewport.width} ${javaScriptEnabled ? 'on' : 'off'}`;
      await createTask(page, title, STATEMENTS_AND_MILES);
      await context.clearCookies();
      await openTask(page, title);
      await page.getByLabel('Miles driven').fill('12');
      await page.getByLabel('Choose files').setInputFiles(STATEMENT);
      await page.getByRole('button', { name: 'Save and check' }).click();
      await submitTask(page, title);
      await context.clearCookies();
      await openSubmission(page, title);
      await page.getByRole('button', { name: 'Accept Bank statements' }).click();
      await expect(page.getByRole('status').filter({ hasText: '1 of 2 checked' })).toBeVisible();
      await page.locator('summary', { hasText: 'Return Miles driven' }).click();
      await page
        .getByRole('article', { name: 'Miles driven' })
        .getByLabel('What needs to change?')
        .fill('For the whole year, please.');
      await page.getByRole('button', { name: 'Mark for return Miles driven' }).click();
      await expect(page.getByRole('status').filter({ hasText: '1 to return' })).toBeVisible();
      await page.getByRole('button', { name: /^Return 1 and notify / }).click();
      await expect(page.locator('body')).toContainText('Returned. The client will get an email.');
      await context.clearCookies();
      await openTask(page, title);
      await page.getByRole('link', { name: 'Miles driven' }).click();
      await expect(page.getByRole('main')).toContainText('Bank statements: 1 file (accepted)');
      await expect(page.getByLabel('Choose files')).toHaveCount(0);
      await expect(page.getByLabel('Miles driven')).toHaveAttribute('aria-invalid', 'true');
      await page.getByLabel('Miles driven').fill('1,250');
      await page.getByRole('button', { name: 'Save and check' }).click();
      await submitTask(page, title);
      await context.clearCookies();
      await openSubmission(page, title);
      await expect(page.getByRole('main')).toContainText('Before: 12');
      await expect(page.getByRole('link', { name: /^statement/ })).toHaveCount(0);
      await page.getByRole('link', { name: 'Show all' }).click();
      await expect(page.getByRole('link', { name: /^statement/ })).toBeVisible();
      await page.getByRole('button', { name: 'Accept all' }).click();
      await expect(page.getByRole('main')).toContainText('Accepted');
    });
  });
}

test('in a review A accepts, R asks for a reason, and J and K move', async ({ page, context }) => {
  await createTask(page, 'Keys', STATEMENTS_AND_MILES);
  await context.clearCookies();
  await openTask(page, 'Keys');
  await page.getByLabel('Choose files').setInputFiles(STATEMENT);
  await page.getByRole('button', { name: 'Save and check' }).click();
  await submitTask(page, 'Keys');
  await context.clearCookies();
  await openSubmission(page, 'Keys');
  const item = (name: string) => page.getByRole('article', { name });
  await item('Bank statements').focus();
  await page.keyboard.press('j');
  await expect(item('Miles driven')).toBeFocused();
  await page.keyboard.press('r');
  await expect(item('Miles driven').getByLabel('What needs to change?')).toBeFocused();
  await page.keyboard.type('jak');
  await expect(item('Miles driven').getByLabel('What needs to change?')).toHaveValue('jak');
  await item('Miles driven').focus();
  await page.keyboard.press('k');
  await page.keyboard.press('a');
  await expect(item('Bank statements')).toContainText('Accepted');
  await expect(item('Bank statements')).toBeFocused();
});

for (const { viewport, javaScriptEnabled } of WAYS) {
  const how = `at ${viewport.width} px${javaScriptEnabled ? '' : ' without scripts'}`;
  test.describe(how, () => {
    test.use({ viewport, javaScriptEnabled });

    test(`a bookkeeper without an account answers by link, and the contact takes the answers ${how}`, async ({
      page,
      context,
      browser,
    }) => {
      const key = `${viewport.width}${javaScriptEnabled ? 'on' : 'off'}`;
      await createTask(page, `Asking ${key}`, STATEMENTS_AND_MILES);
      await context.clearCookies();
      await openTask(page, `Asking ${key}`);
      await page.getByRole('link', { name: 'Ask someone else' }).click();
      await page.getByLabel('Name').fill(`Bo ${key}`);
      await page.getByLabel('Email').fill(`bo-${key}@books.example`);
      const code = await page.getByLabel('Access code').inputValue();
      await page.getByRole('button', { name: 'Send link' }).click();
      await expect(page.locator('body')).toContainText(`Link sent to Bo ${key}`);
      const { link, mail } = await linkInMailbox(page, 'needs your answers', 1, `bo-${key}@books.example`);
      expect(mail).not.toContain(code);
      const stranger = await browser.newContext({ viewport, javaScriptEnabled });
      const there = await stranger.newPage();
      await there.goto(link);
      await there.getByLabel('Access code').fill('wrong-code');
      await there.getByRole('button', { name: 'Continue' }).click();
      await expect(there.locator('.error-summary')).toContainText('Incorrect code');
      await there.getByLabel('Access code').fill(code);
      await there.getByRole('button', { name: 'Continue' }).click();
      await there.getByLabel('Miles driven').fill('850');
      await there.getByLabel('Choose files').setInputFiles(STATEMENT);
      await there.getByRole('button', { name: /^Send to / }).click();
      await expect(there.getByRole('heading', { level: 1 })).toHaveText('Thank you');
      await stranger.close();
      await openTask(page, `Asking ${key}`);
      await expect(page.getByRole('main')).toContainText('Review these answers before you submit.');
      await page.getByRole('link', { name: 'Review', exact: true }).click();
      await expect(page.getByRole('main')).toContainText('850');
      await page.getByRole('button', { name: 'Use selected answers' }).click();
      await expect(page.locator('body')).toContainText('Answers added to the task');
      await openTask(page, `Asking ${key}`);
      await expect(page.getByRole('main'), 'nothing is missing, so it opens at the end').toContainText('850');
      await expect(page.getByRole('link', { name: /^statement/ })).toBeVisible();
    });

    test(`photos of a phone arrive at their question ${how}`, async ({ page, context, browser }) => {
      const title = `Phone ${viewport.width} ${javaScriptEnabled ? 'on' : 'off'}`;
      await createTask(page, title, STATEMENTS_AND_MILES);
      await context.clearCookies();
      await openTask(page, title);
      await page.getByRole('link', { name: 'Use my phone' }).click();
      await page.getByRole('button', { name: 'Show code' }).click();
      await expect(page.getByRole('img', { name: /^QR code/ })).toBeVisible();
      const token = (await context.cookies()).find(({ name }) => name.endsWith('phone'))?.value ?? '';
      const address = `${page.url().replace(/(\/en-us\/).*/, '$1')}task-link/${token}`;
      const phone = await browser.newContext({ viewport: { width: 360, height: 740 } });
      const there = await phone.newPage();
      await there.goto(address);
      for (const count of [1, 2]) {
        await there.getByLabel('Choose files').setInputFiles({ ...STATEMENT, name: `page-${count}.pdf` });
        await there.getByRole('button', { name: 'Send' }).click();
        await expect(there.locator('body')).toContainText('1 file received');
      }
      await phone.close();
      if (!javaScriptEnabled) await page.getByRole('link', { name: 'Check for photos' }).click();
      await expect(page.getByRole('link', { name: /^page-2/ })).toBeVisible();
      const other = await browser.newContext();
      const copied = await other.newPage();
      expect((await copied.request.get(address)).status()).toBe(410);
      await other.close();
      await page.getByRole('link', { name: 'Back to the task' }).click();
      await expect(page.getByRole('link', { name: /^page-1/ })).toBeVisible();
    });
  });
}

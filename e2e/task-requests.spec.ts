import { DESK_BY_KEYBOARD, test } from './support/operator.ts';
import { linkInMailbox } from './support/steps.ts';
import {
  createTask,
  openSubmission,
  openTask,
  saveAndCheck,
  STATEMENT,
  STATEMENTS_AND_MILES,
  submitTask,
} from './support/tasks.ts';
import { expect, settled } from './support/test.ts';

/*
 * What a client is asked for item by item: each is accepted or returned by itself.
 */

for (const { how, key, way } of DESK_BY_KEYBOARD) {
  test.describe(how, () => {
    test.use(way);

    test(`one item is returned with its reason, and only that one is open and reviewed again ${how}`, async ({
      page,
      context,
      operator,
    }) => {
      const { says } = operator;
      const title = `Items ${key}`;
      const miles = page.getByLabel('Miles driven');
      await createTask(operator, title, STATEMENTS_AND_MILES);
      await context.clearCookies();
      await openTask(operator, title);
      await operator.fill(miles, '12');
      await operator.attach(page.getByLabel(says('tasks', 'chooseFiles')), STATEMENT);
      await saveAndCheck(operator);
      await submitTask(operator, title);
      await context.clearCookies();
      await openSubmission(operator, title);
      const item = (name: string) => page.getByRole('article', { name });
      const button = (itemName: string, does: 'accept' | 'markReturn') =>
        item(itemName).getByRole('button', { name: says('task-review', does) });
      await operator.activate(button('Bank statements', 'accept'));
      const status = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text });
      await expect(status(says('task-review', 'checked', { checked: 1, all: 2 }))).toBeVisible();
      await operator.activate(item('Miles driven').locator('summary'));
      await operator.fill(
        item('Miles driven').getByLabel(says('task-review', 'reason')),
        'For the whole year, please.',
      );
      await operator.activate(button('Miles driven', 'markReturn'));
      await expect(status(says('task-review', 'toReturnCount', { count: 1 }))).toBeVisible();
      await operator.activate(
        page.getByRole('button', { name: says('task-review', 'returnItems', { count: 1 }) }),
      );
      await expect(page.locator('body')).toContainText(says('tasks', 'didReturn'));
      await context.clearCookies();
      await openTask(operator, title);
      await operator.activate(page.getByRole('link', { name: 'Miles driven' }));
      await expect(page.getByRole('main')).toContainText(
        says('task-review', 'acceptedAnswer', {
          question: 'Bank statements',
          answer: String(says('questionnaires', 'files', { count: 1 })),
        }),
      );
      await expect(page.getByLabel(says('tasks', 'chooseFiles'))).toHaveCount(0);
      await expect(miles).toHaveAttribute('aria-invalid', 'true');
      await operator.fill(miles, '1250');
      await saveAndCheck(operator);
      await submitTask(operator, title);
      await context.clearCookies();
      await openSubmission(operator, title);
      await expect(page.getByRole('main')).toContainText(says('task-review', 'before', { answer: '12' }));
      await expect(page.getByRole('link', { name: /^statement/ })).toHaveCount(0);
      await operator.activate(page.getByRole('link', { name: says('task-review', 'showAll') }));
      await expect(page.getByRole('link', { name: /^statement/ })).toBeVisible();
      await operator.activate(page.getByRole('button', { name: says('task-review', 'acceptAll') }));
      await expect(page.getByRole('main')).toContainText(says('tasks', 'status_Done'));
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

test('the reason of a return opens below the buttons, and is asked for beside its field', async ({
  page,
  context,
}) => {
  await createTask(page, 'Reasons', STATEMENTS_AND_MILES);
  await context.clearCookies();
  await openTask(page, 'Reasons');
  await page.getByLabel('Choose files').setInputFiles(STATEMENT);
  await page.getByRole('button', { name: 'Save and check' }).click();
  await submitTask(page, 'Reasons');
  await context.clearCookies();
  await openSubmission(page, 'Reasons');
  const item = page.getByRole('article', { name: 'Bank statements' });
  const button = item.locator('summary');
  // a click would scroll to it
  await button.scrollIntoViewIfNeeded();
  await settled(page);
  const before = await button.boundingBox();
  await button.click();
  const reason = item.getByLabel('What needs to change?');
  await expect(reason).toBeVisible();
  expect(await button.boundingBox(), 'nothing jumps').toEqual(before);
  await item.getByRole('button', { name: 'Mark for return' }).click();
  await expect(item.getByText('Enter what needs to change.')).toBeVisible();
  await expect(reason).toHaveAttribute('aria-invalid', 'true');
  await expect(reason).toBeFocused();
  await reason.fill('Page 2 is missing.');
  await item.getByRole('button', { name: 'Mark for return' }).click();
  await expect(item).toContainText('To return: Page 2 is missing.');
});

for (const { how, key, way } of DESK_BY_KEYBOARD) {
  const { viewport, javaScriptEnabled } = way;
  test.describe(how, () => {
    test.use(way);

    test(`a bookkeeper without an account answers by link, and the contact takes the answers ${how}`, async ({
      page,
      context,
      browser,
      baseURL,
      operator,
    }) => {
      const { says } = operator;
      const title = `Asking ${key}`;
      await createTask(operator, title, STATEMENTS_AND_MILES);
      await context.clearCookies();
      await openTask(operator, title);
      await operator.activate(page.getByRole('link', { name: says('task-links', 'askTitle') }));
      await operator.fill(page.getByLabel(says('task-links', 'person'), { exact: true }), `Bo ${key}`);
      await operator.fill(page.getByLabel(says('task-links', 'email')), `bo-${key}@books.example`);
      const code = await page.getByLabel(says('task-links', 'code')).inputValue();
      await operator.activate(page.getByRole('button', { name: says('task-links', 'askSend') }));
      await expect(page.locator('body')).toContainText(says('task-links', 'didAsk', { person: `Bo ${key}` }));
      const { link, mail } = await linkInMailbox(page, '', 1, `bo-${key}@books.example`);
      expect(mail).not.toContain(code);
      const stranger = await browser.newContext({ viewport, javaScriptEnabled, baseURL: baseURL ?? '' });
      const there = await stranger.newPage();
      const other = operator.at(there);
      await there.goto(link.replace(/.*(?=task-link)/, ''));
      const open = there.getByRole('button', { name: says('task-links', 'open') });
      await other.fill(there.getByLabel(says('task-links', 'code')), 'wrong-code');
      await other.activate(open);
      await expect(there.getByRole('main').getByRole('alert')).toContainText(
        says('task-links', 'codeWrong', { count: 4 }),
      );
      await other.fill(there.getByLabel(says('task-links', 'code')), code);
      await other.activate(open);
      await other.fill(there.getByLabel('Miles driven'), '850');
      await other.attach(there.getByLabel(says('task-links', 'chooseFiles')), STATEMENT);
      await other.activate(there.getByRole('button', { name: says('task-links', 'send') }));
      await expect(there.getByRole('heading', { level: 1 })).toHaveText(says('task-links', 'sentTitle'));
      await stranger.close();
      await openTask(operator, title);
      await expect(page.getByRole('main')).toContainText(says('task-links', 'decideFirst'));
      await operator.activate(
        page.getByRole('link', { name: says('task-links', 'reviewProposal'), exact: true }),
      );
      await expect(page.getByRole('main')).toContainText('850');
      await operator.activate(page.getByRole('button', { name: says('task-links', 'take') }));
      await expect(page.locator('body')).toContainText(says('task-links', 'didTake'));
      await openTask(operator, title);
      await expect(page.getByRole('main'), 'nothing is missing, so it opens at the end').toContainText('850');
      await expect(page.getByRole('link', { name: /^statement/ })).toBeVisible();
    });

    test(`photos of a phone arrive at their question ${how}`, async ({
      page,
      context,
      browser,
      baseURL,
      operator,
    }) => {
      const { says } = operator;
      const title = `Phone ${key}`;
      await createTask(operator, title, STATEMENTS_AND_MILES);
      await context.clearCookies();
      await openTask(operator, title);
      await operator.activate(page.getByRole('link', { name: says('tasks', 'usePhone') }));
      await operator.activate(page.getByRole('button', { name: says('task-links', 'phoneStart') }));
      await expect(page.getByRole('img', { name: says('task-links', 'phoneQr') })).toBeVisible();
      const token = (await context.cookies()).find(({ name }) => name.endsWith('phone'))?.value ?? '';
      const address = `${baseURL}task-link/${token}`;
      const phone = await browser.newContext({ viewport: { width: 360, height: 740 } });
      const there = await phone.newPage();
      const onPhone = operator.at(there);
      await there.goto(address);
      for (const count of [1, 2]) {
        await onPhone.attach(there.getByLabel(says('task-links', 'chooseFiles')), {
          ...STATEMENT,
          name: `page-${count}.pdf`,
        });
        await onPhone.activate(there.getByRole('button', { name: says('task-links', 'phoneSend') }));
        await expect(there.locator('body')).toContainText(says('task-links', 'received', { count: 1 }));
      }
      await phone.close();
      if (!javaScriptEnabled)
        await operator.activate(page.getByRole('link', { name: says('task-links', 'phoneCheck') }));
      await expect(page.getByRole('link', { name: /^page-2/ })).toBeVisible();
      const other = await browser.newContext();
      const copied = await other.newPage();
      expect((await copied.request.get(address)).status()).toBe(410);
      await other.close();
      await operator.activate(page.getByRole('link', { name: says('task-links', 'phoneDone') }));
      await expect(page.getByRole('link', { name: /^page-1/ })).toBeVisible();
    });
  });
}

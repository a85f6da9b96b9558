import type { Page, Route } from 'playwright/test';
import { createTask, openTask, STATEMENT } from './support/tasks.ts';
import { ONE_SIZE, PEOPLE, enter, expect, signIn, test } from './support/test.ts';

/*
 * The editor of a step saves what is typed: two tabs, a lost connection, a closed tab and an ended session lose nothing. Neither
 * do files that could not be uploaded.
 */

const ANSWERS = '**/api/client-center/v3/tasks/*/answers';
const FILES = '**/api/client-center/v3/tasks/*/sections/*';

/** Asks a client for something, and opens it as that client. Returns its address. */
async function ask(page: Page, title: string): Promise<string> {
  await createTask(page, title, [
    { label: 'About the year', answer: 'paragraph' },
    { label: 'Miles driven', answer: 'number' },
  ]);
  await page.context().clearCookies();
  await openTask(page, title);
  return `${page.url()}&step=request`;
}

const saved = (page: Page) => expect(page.locator('[data-saving-state]')).toHaveText('Changes saved');

for (const viewport of ONE_SIZE)
  test.describe(`at ${viewport.width} px`, () => {
    test.use({ viewport });

    test(`what is typed is saved by itself, with the keyboard alone, at ${viewport.width} px`, async ({
      page,
    }) => {
      const address = await ask(page, `Autosave ${viewport.width}`);
      await page.getByLabel('About the year').focus();
      await page.keyboard.type('A quiet year');
      await saved(page);
      await page.keyboard.press('Tab');
      await page.keyboard.type('many');
      await page.keyboard.press('Tab');
      await expect(page.getByLabel('Miles driven')).toHaveAttribute('aria-invalid', 'true');
      await page.getByLabel('Miles driven').fill('1,250');
      await expect(page.getByLabel('Miles driven')).not.toHaveAttribute('aria-invalid', 'true');
      await saved(page);
      await page.goto(address);
      await expect(page.getByLabel('About the year')).toHaveValue('A quiet year');
      await expect(page.getByLabel('Miles driven')).toHaveValue('1250');
    });

    test(`of two tabs that change one answer each keeps its text until one is chosen, at ${viewport.width} px`, async ({
      page,
      context,
    }) => {
      const address = await ask(page, `Two tabs ${viewport.width}`);
      const other = await context.newPage();
      await other.goto(address);
      await page.getByLabel('About the year').fill('From the first tab');
      await saved(page);
      await other.getByLabel('About the year').fill('From the second tab');
      const choice = other.locator('[data-conflict]');
      await expect(choice).toContainText('From the first tab');
      await expect(choice).toContainText('From the second tab');
      await other.getByRole('button', { name: 'Keep both texts' }).click();
      await expect(choice).toHaveCount(0);
      await saved(other);
      await page.goto(address);
      await expect(page.getByLabel('About the year')).toHaveValue(
        'From the first tab\n\nFrom the second tab',
      );
    });
  });

test('no key is lost while the scripts of the editor load on a slow phone', async ({ page }) => {
  const address = await ask(page, 'Slow phone');
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  const text = 'Sold the van in May, moved in June, hired two in September. '.repeat(4).trim();
  await page.getByLabel('About the year').focus();
  await page.keyboard.type(text, { delay: 2 });
  await saved(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await page.goto(address);
  await expect(page.getByLabel('About the year')).toHaveValue(text);
});

test('what is typed without a connection is saved when it is back', async ({ page, context, trouble }) => {
  trouble.expect(/request failed/);
  const address = await ask(page, 'Offline');
  await page.getByLabel('About the year').fill('Before');
  await saved(page);
  await context.setOffline(true);
  await page.getByLabel('About the year').fill('In a tunnel');
  await expect(page.locator('[data-saving-state]')).toContainText(
    'Not saved yet. We’ll save it when you’re back online.',
  );
  await context.setOffline(false);
  await saved(page);
  await page.goto(address);
  await expect(page.getByLabel('About the year')).toHaveValue('In a tunnel');
});

test('what was typed just before a tab is closed is saved', async ({ page, context }) => {
  const address = await ask(page, 'Closed tab');
  await page.getByLabel('About the year').fill('First');
  await saved(page);
  await page.getByLabel('About the year').pressSequentially(' and last');
  await page.close({ runBeforeUnload: true });
  const again = await context.newPage();
  await expect
    .poll(async () => {
      await again.goto(address);
      return again.getByLabel('About the year').inputValue();
    })
    .toBe('First and last');
});

test('what was typed when the session ended is saved after signing in again', async ({ page, context }) => {
  const address = await ask(page, 'Ended session');
  await page.getByLabel('About the year').fill('First');
  await saved(page);
  await context.clearCookies();
  await page.getByLabel('About the year').fill('Typed too late');
  await expect(page).toHaveURL(/\/auth/);
  await enter(page, PEOPLE.olivia, address.replace(/^.*\/clientcenter\/en-us\//, ''));
  await expect(page.getByLabel('About the year')).toHaveValue('Typed too late');
  await saved(page);
  await page.route(ANSWERS, (route) => route.abort());
  await page.goto(address);
  await expect(page.getByLabel('About the year')).toHaveValue('Typed too late');
});

test('what is refused for another reason than a closed task says so, and is saved when the person goes on', async ({
  page,
}) => {
  await ask(page, 'Refused for now');
  let code = 'FORBIDDEN';
  await page.route(ANSWERS, (route) =>
    route.fulfill({ status: 403, json: { errors: [{ code, reason: code }] } }),
  );
  const state = page.locator('[data-saving-state]');
  await page.getByLabel('About the year').fill('First');
  await expect(state).toHaveText(
    /^Not saved\. Your text is still here\. Save it again, or contact your firm/,
  );
  code = 'TERMS_REQUIRED';
  await page.getByLabel('About the year').fill('Second');
  await expect(state).toHaveText(/^Your firm has published new terms\./);
  await expect(page.getByRole('link', { name: 'Read and accept the terms' })).toBeVisible();
  await page.unroute(ANSWERS);
  await page.getByLabel('About the year').fill('Third');
  await saved(page);
});

test('what is typed when the task was closed meanwhile says so', async ({ page, portal }) => {
  await ask(page, 'Closed meanwhile');
  await portal.sql("update tasks set status = 'Cancelled' where label = 'Closed meanwhile'");
  await page.getByLabel('About the year').fill('Too late');
  await expect(page.locator('[data-saving-state]')).toHaveText(
    'Not saved, because this task can no longer be changed. Your text is still here.',
  );
});

/** Asks a client for a document, and opens it as that client. */
async function askForStatements(page: Page, title: string): Promise<void> {
  await createTask(page, title, [{ label: 'Bank statements' }]);
  await page.context().clearCookies();
  await openTask(page, title);
}

const uploads = (page: Page) => page.locator('.file-uploads');
/** The stored file; a number is added to its name, if another test has stored one. */
const stored = (page: Page) => page.getByRole('main').getByRole('link', { name: /^statement.*\.pdf$/ });

const PROXY_PAGE = { contentType: 'text/html', body: '<h1>nginx</h1>' };

test('a file that a proxy refuses as too large says so, and can only be removed', async ({ page }) => {
  await askForStatements(page, 'Too large for the proxy');
  await page.route(FILES, (route) => route.fulfill({ status: 413, ...PROXY_PAGE }));
  await page.getByLabel('Choose files').setInputFiles(STATEMENT);
  await expect(uploads(page).getByRole('alert')).toHaveText(
    /^Upload failed\. The file is too large for the connection to the portal\./,
  );
  await expect(uploads(page).getByRole('button', { name: 'Try again' })).toHaveCount(0);
  await uploads(page)
    .getByRole('button', { name: `Remove ${STATEMENT.name}` })
    .click();
  await expect(uploads(page)).toHaveCount(0);
});

for (const { what, refuse, reason, problem } of [
  {
    what: 'the portal could not be reached',
    refuse: (route: Route) => route.fulfill({ status: 502, ...PROXY_PAGE }),
    reason: /^Upload failed\. We couldn’t reach the portal\./,
    problem: /answered 502/,
  },
  {
    what: 'the connection was lost',
    refuse: (route: Route) => route.abort(),
    reason: /^Upload failed\. The connection was lost\./,
    problem: /request failed/,
  },
])
  test(`a file that was not uploaded since ${what} is kept, and sent by “Try again”`, async ({
    page,
    trouble,
  }) => {
    trouble.expect(problem);
    await askForStatements(page, `Sent again since ${what}`);
    await page.route(FILES, refuse);
    await page.getByLabel('Choose files').setInputFiles(STATEMENT);
    await expect(uploads(page).getByRole('alert')).toHaveText(reason);
    await expect(uploads(page).getByRole('button', { name: `Remove ${STATEMENT.name}` })).toBeVisible();
    const again = uploads(page).getByRole('button', { name: `Try again ${STATEMENT.name}` });
    await page.getByRole('button', { name: 'Save and check' }).click();
    await expect(again, 'the page is not left without the file').toBeFocused();
    await page.unroute(FILES);
    await again.click();
    await expect(stored(page)).toBeVisible();
    await expect(uploads(page)).toHaveCount(0);
  });

test('a file that was chosen when the session had ended is uploaded after signing in in another tab', async ({
  page,
  context,
}) => {
  await askForStatements(page, 'Chosen too late');
  await context.clearCookies();
  await page.getByLabel('Choose files').setInputFiles(STATEMENT);
  const panel = page.getByRole('alert').filter({ hasText: 'Your files are still here' });
  await expect(panel).toBeVisible();
  const tab = await context.newPage();
  await tab.goto((await panel.getByRole('link', { name: 'Sign in' }).getAttribute('href')) ?? '');
  await signIn(tab, PEOPLE.olivia);
  await expect(tab.getByRole('heading', { level: 1 })).toHaveText('Chosen too late');
  await tab.evaluate(() => localStorage.removeItem('ccSessionEnds')); // as if closed before its scripts ran
  await tab.close();
  await page.bringToFront();
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await expect(stored(page)).toBeVisible();
  await expect(panel).toHaveCount(0);
  await expect(uploads(page)).toHaveCount(0);
});

import type { Page } from 'playwright/test';
import { openRowMenu, rowAction } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/* Between the sizes at which other tests look, such as those of tablets on their side. */

const LISTS = ['staff/inbox', 'staff/clients', 'staff/people', 'staff/tasks', 'staff/mails', 'staff/audit'];
const WIDTHS = Array.from({ length: 42 }, (_, at) => 480 + 20 * at);

for (const lang of ['en-us', 'fr', 'pt'])
  test.describe(`in ${lang}`, () => {
    test.use({
      baseURL: async ({ portal }, use) => use(`${portal.origin}/clientcenter/${lang}/`),
    });

    test(`no list of the firm scrolls the page sideways, however wide it is, in ${lang}`, async ({
      page,
    }) => {
      await enter(page, PEOPLE.eleanor, 'staff/inbox');
      for (const path of LISTS) {
        await page.goto(path);
        const sideways: number[] = [];
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          if (overflow > 0) sideways.push(width);
        }
        expect(sideways, path).toEqual([]);
      }
    });

    test(`the tools above the documents are on one line on a tablet, in ${lang}`, async ({ page }) => {
      await enter(page, PEOPLE.olivia, 'documents?name=zzzz');
      await page.setViewportSize({ width: 768, height: 1024 });
      const [title, menu] = await Promise.all(
        ['main h1', '.page-menu'].map((one) => page.locator(one).boundingBox()),
      );
      expect(menu?.y).toBeLessThan((title?.y ?? 0) + (title?.height ?? 0));
    });
  });

test('the parties of an invoice have room for an address, however wide the page is', async ({ page }) => {
  await enter(page, PEOPLE.ana, 'clients');
  await page.getByRole('button', { name: /Padaria Sol Nascente/ }).click();
  await page.waitForURL((url) => !url.pathname.endsWith('clients'));
  await page.goto('documents?view=flat&name=nfe-1001');
  await page.locator('#document-list tbody th a').first().click();
  const values = page.locator('.fiscal-parties dd');
  await values.first().waitFor();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const widths = await values.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
    expect(Math.min(...widths), `${width} px`).toBeGreaterThanOrEqual(200);
  }
});

/* On the widest screens. */

const TEXTS = [
  'settings',
  'retention',
  'seal',
  'imports',
  'data-exports',
  'access-review',
  'tasks/seal-waits',
];
const FORMS = [
  'firm',
  'payments',
  'sharing',
  'theme',
  'terms',
  'rescue',
  'access',
  'people/new',
  'people/invite',
  'clients/new',
];

/** The lines of paragraphs that are too long: those of 70 characters on average may have a few more. */
const longLines = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main p')].flatMap((paragraph) => {
      const lines = new Map<number, string>();
      const texts = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const text = texts.currentNode.textContent ?? '';
        for (const { index, 0: word } of text.matchAll(/\S+\s*/g)) {
          const range = document.createRange();
          range.setStart(texts.currentNode, index);
          range.setEnd(texts.currentNode, index + word.length);
          const { bottom } = range.getBoundingClientRect();
          lines.set(bottom, (lines.get(bottom) ?? '') + word);
        }
      }
      return [...lines.values()].filter((line) => line.trim().length > 77);
    }),
  );

test('pages of text and forms of the firm keep the measure and have their title above their cards', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await enter(page, PEOPLE.eleanor, 'staff/inbox');
  for (const path of [...TEXTS, ...FORMS].map((name) => `staff/${name}`)) {
    await page.goto(path);
    expect(await longLines(page), path).toEqual([]);
    await expect(page.locator('main h1'), path).toHaveCount(1);
    await expect(page.locator('main .card h1'), path).toHaveCount(0);
    const widest = await page
      .locator('main :is(textarea, input[type=text], input[type=email])')
      .evaluateAll((fields) => Math.max(0, ...fields.map((field) => field.getBoundingClientRect().width)));
    expect(widest, path).toBeLessThanOrEqual(640);
  }
});

test('on pages with one card the buttons are as wide as the fields, the main one first', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const path of ['auth', 'auth/forgot', 'auth/rescue', 'verify']) {
    await page.goto(path);
    const widthOf = async (what: string): Promise<number> =>
      Math.round((await page.locator(what).first().boundingBox())?.width ?? 0);
    expect(await widthOf('main form .button-primary'), path).toBe(await widthOf('main form .input'));
  }
});

test('the bar of who views as a contact ends where the page does', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await enter(page, PEOPLE.eleanor, 'staff/people?searchTerm=olivia%40juniper.example');
  await openRowMenu(page, 'Olivia Bennett');
  await rowAction(page, 'View as client').click();
  await page.getByRole('button', { name: 'The client asked for help' }).click();
  await page.getByRole('button', { name: 'Close preview' }).waitFor();
  const endOf = async (what: string): Promise<number> => {
    const box = await page.locator(what).first().boundingBox();
    return Math.round((box?.x ?? 0) + (box?.width ?? 0));
  };
  expect(await endOf('.preview-bar form')).toBe(await endOf('main > div'));
});

test('the team keeps its navigation on the pages of the account', async ({ page }) => {
  await enter(page, PEOPLE.eleanor, 'staff/inbox');
  for (const path of ['', '/security', '/notifications', '/email', '/activity']) {
    await page.goto(`profile${path}`);
    await expect(page.getByRole('navigation').getByRole('link', { name: 'Inbox' }), path).toBeVisible();
    await expect(page.locator('.client-bar'), path).toHaveCount(0);
  }
});

test('languages have the names that they have in the choice of language, and the edited one stands out', async ({
  page,
}) => {
  await enter(page, PEOPLE.eleanor, 'staff/tasks/templates/starter-us-1040');
  await page.getByRole('button', { name: 'Copy and adapt' }).click();
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  const languages = page.getByRole('navigation', { name: 'Language' });
  await expect(languages.getByRole('link', { name: 'Português (Brasil)' })).toHaveAttribute('lang', 'pt-BR');
  await expect(languages.locator('[aria-current]')).toHaveText('English (United States)');
  await expect(languages.locator('[aria-current]')).toHaveCSS('font-weight', '600');
  await page.goto('staff/payments');
  await expect(page.getByLabel('Language').first().locator('option').first()).toHaveText(
    'English (United States)',
  );
});

import type { Page } from 'playwright/test';
import { openView, pdf } from './support/steps.ts';
import { LANGS } from '../src/platform/text/languages.ts';
import { PEOPLE, enter, expect, settled, test } from './support/test.ts';

/* What fits on a small phone in the languages with the longest words. */

test.use({ viewport: { width: 360, height: 740 } });

const LANGUAGES = ['fr', 'pt', 'es'] as const;

for (const lang of LANGUAGES) {
  test.describe(`in ${lang}`, () => {
    test.use({
      baseURL: async ({ portal }, use) => use(`${portal.origin}/clientcenter/${lang}/`),
    });

    test('the tools of a selection take two lines, and messages are above them', async ({
      page,
      context,
      trouble,
    }) => {
      await enter(page, PEOPLE.olivia);
      await page.locator('#document-list input[name=id]').first().check();
      const tools = page.locator('.tools');
      await expect(page.locator('[data-tool=delete]')).toBeVisible();
      expect((await tools.boundingBox())?.height).toBeLessThanOrEqual(112);
      // so that its script is there
      await page.locator('[data-tool=delete]').click();
      await page.getByRole('alertdialog').waitFor();
      await page.keyboard.press('Escape');
      trouble.expect(/request failed/);
      await context.setOffline(true);
      await page.locator('[data-tool=delete]').click();
      await expect(page.locator('.alerts .alert')).toBeVisible();
      const boxes = [];
      for (const place of ['.alerts .alert', '.offline', '.tools'])
        boxes.push(await page.locator(place).boundingBox());
      const [alert, offline, bar] = boxes;
      expect(bottomOf(alert)).toBeLessThanOrEqual(offline?.y ?? 0);
      expect(bottomOf(offline)).toBeLessThanOrEqual(bar?.y ?? 0);
      await context.setOffline(false);
    });

    test('the filters of tasks are whole, show the current one, and are easy to hit', async ({ page }) => {
      await enter(page, PEOPLE.marcus, 'tasks');
      const filters = page.locator('main .choice > a');
      for (const path of ['tasks?of=all', 'tasks']) {
        await page.goto(path);
        await expect(filters).toHaveCount(4);
        for (const filter of await filters.all()) await expect(filter).toBeInViewport({ ratio: 1 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(360);
      }
      const grounds = await filters.evaluateAll((all) =>
        all.map((one) => [one.ariaCurrent !== null, getComputedStyle(one).backgroundColor] as const),
      );
      const current = new Set(grounds.filter(([isCurrent]) => isCurrent).map(([, ground]) => ground));
      const others = new Set(grounds.filter(([isCurrent]) => !isCurrent).map(([, ground]) => ground));
      expect(current.isDisjointFrom(others)).toBe(true);
      for (const path of ['tasks', 'documents']) {
        await page.goto(path);
        const heights = await page.locator('.choice > a, .chips > .chip').evaluateAll((all) =>
          all.slice(0, 2).map((one) => {
            const { x, y, height } = one.getBoundingClientRect();
            const isHit = (at: number): boolean =>
              document.elementFromPoint(x + 12, at)?.closest('a, button') === one;
            return isHit(y + height / 2 - 21) && isHit(y + height / 2 + 21);
          }),
        );
        expect(new Set(heights), `44 px on ${path}`).toEqual(new Set([true]));
      }
    });

    test('lists of the firm begin within 210 px, and what can be done with rows comes with a selection', async ({
      page,
    }) => {
      await enter(page, PEOPLE.eleanor, 'staff/inbox');
      const heights = new Set<number | undefined>();
      for (const path of ['staff/inbox', 'staff/clients', 'staff/people', 'staff/tasks']) {
        await page.goto(path);
        heights.add((await page.locator('.staff-nav').boundingBox())?.height);
        const row = page.locator('main :is(tbody tr, [data-row])').first();
        expect((await row.boundingBox())?.y, path).toBeLessThanOrEqual(210);
        if (path === 'staff/inbox') continue;
        const acts = page.locator('main .chosen');
        await expect(acts, path).toBeHidden();
        await page.locator('main tbody input[type=checkbox]').first().check();
        await expect(acts.getByRole('button').first(), path).toBeInViewport({ ratio: 1 });
        expect((await acts.boundingBox())?.height, path).toBeLessThanOrEqual(132);
      }
      expect(heights.size, 'the navigation is as high on every page').toBe(1);
    });

    for (const width of [320, 360])
      test(`no word of the bar is cut at ${width} px, and each is easy to hit`, async ({ page }) => {
        await page.setViewportSize({ width, height: 740 });
        await enter(page, PEOPLE.ana, 'home');
        const tabs = page.locator('.tabs > a');
        await expect(tabs).toHaveCount(5);
        const small = await tabs.evaluateAll((all) =>
          all.flatMap((tab) => {
            const word = tab.querySelector('span');
            const { width: wide, height: high } = tab.getBoundingClientRect();
            const isCut = !word || word.scrollWidth > word.clientWidth;
            return isCut || wide < 44 || high < 44 ? [`${tab.textContent.trim()}: ${wide} × ${high}`] : [];
          }),
        );
        expect(small).toEqual([]);
        const last = await tabs.last().boundingBox();
        expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(width);
      });

    test('the tools of a document are within the screen', async ({ page }) => {
      await enter(page, PEOPLE.olivia, 'documents?view=flat&name=tax+return');
      await page.locator('#document-list tbody th a').first().click();
      const tools = page.locator('.page-tools :is(.tool, summary)');
      await tools.last().waitFor();
      for (const tool of await tools.all()) await expect(tool).toBeInViewport({ ratio: 1 });
    });

    test('no icon is on a line of its own above the text that it belongs to', async ({ page }) => {
      await enter(page, PEOPLE.olivia, 'tasks?of=all');
      expect(await lonelyIcons(page), 'the tasks').toEqual([]);
      // the last one has no new message, which would be in a box
      await page.locator('main a[href*="/task/"]').last().click();
      await page.locator('.beside').first().waitFor();
      await settled(page); // with all of its styles
      expect(await lonelyIcons(page), 'a task').toEqual([]);
    });
  });
}

const bottomOf = (box: { y: number; height: number } | null | undefined): number =>
  (box?.y ?? 0) + (box?.height ?? 0);

/** The texts whose first line is below their icon. */
const lonelyIcons = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main .row > .icon')].flatMap((icon) => {
      const text = icon.nextElementSibling;
      return text && text.getBoundingClientRect().top >= icon.getBoundingClientRect().bottom
        ? [text.textContent.trim()]
        : [];
    }),
  );

test('beside the views of the tasks the search and the filters are icons, until they are used', async ({
  page,
}) => {
  await enter(page, PEOPLE.eleanor, 'staff/tasks');
  const [views, search] = [page.getByRole('navigation', { name: 'View' }), page.getByRole('searchbox')];
  const widthOf = async (): Promise<number> => (await search.boundingBox())?.width ?? 0;
  expect(await widthOf()).toBe(44);
  await views.getByRole('link', { name: 'Waiting for us' }).click();
  await expect(page).toHaveURL(/view=/);
  await views.getByRole('link', { name: 'All' }).click();
  await openView(page);
  await expect(page.locator('#search-status')).toBeInViewport();
  await page.keyboard.press('Escape');
  await search.click();
  expect(await widthOf()).toBeGreaterThan(240);
  await search.fill('sales tax');
  await search.press('Enter');
  await expect(page.getByRole('link', { name: 'Remove filter Search by title: sales tax' })).toBeVisible();
  await expect(page.locator('main tbody tr')).toHaveCount(1);
});

test('the account menu of someone with two firms is whole, down to signing out', async ({ page }) => {
  await enter(page, 'daniel@twofirms.example', 'home');
  await page.locator('#account > summary').click();
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeInViewport({ ratio: 1 });
});

test('the name of the firm stays on one line, and where it is when the first alert comes', async ({
  page,
}) => {
  await enter(page, PEOPLE.sophie);
  const name = page.locator('.header-logo');
  const before = await name.boundingBox();
  expect(before?.height).toBe(44);
  expect(await name.evaluate((one) => one.scrollWidth <= one.clientWidth && one.scrollHeight <= 44)).toBe(
    true,
  );
  await page
    .locator('input[name="file[]"]')
    .setInputFiles({ name: 'Rings.pdf', mimeType: 'application/pdf', buffer: pdf('rings') });
  await expect(page.locator('#bell > summary')).toBeVisible();
  expect(await name.boundingBox()).toEqual(before);
});

test('what is empty looks alike: in the trash, among shares and tasks', async ({ page }) => {
  await enter(page, PEOPLE.marcus, 'documents/trash');
  for (const path of ['documents/trash', 'shares', 'tasks?show=done']) {
    await page.goto(path);
    const empty = page.locator('main .card.empty');
    await expect(empty.locator('.icon'), path).toBeVisible();
    await expect(empty, path).toHaveCSS('text-align', 'center');
  }
});

test('the button that shows a password is in its field, a finger wide', async ({ page }) => {
  await page.goto('auth');
  const [button, field] = await Promise.all(
    ['[data-show-password]', 'input[type=password]'].map((one) => page.locator(one).boundingBox()),
  );
  if (!button || !field) throw new Error('The field or its button is not shown.');
  expect(button.width).toBeGreaterThanOrEqual(44);
  expect(button.x + button.width).toBeCloseTo(field.x + field.width, 0);
  expect([button.y, button.height]).toEqual([field.y, field.height]);
});

test('the dialog with all clients is as wide as the screen', async ({ page }) => {
  await enter(page, PEOPLE.marcus);
  await page.getByRole('button', { name: 'Switch company' }).click();
  await page.getByRole('button', { name: 'All companies' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  expect((await dialog.boundingBox())?.width).toBe(360);
});

test('what cannot be undone comes last among the actions for a task', async ({ page }) => {
  await enter(page, PEOPLE.eleanor, 'staff/tasks');
  await page.getByRole('rowheader').getByRole('link').first().click();
  await page.waitForURL(/tasks\/task_/); // with its styles
  const actions = page
    .locator('form.actions')
    .filter({ has: page.getByRole('button', { name: 'Delete task' }) });
  const tops = await actions
    .getByRole('button')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  expect(tops.length).toBeGreaterThan(1);
  expect(tops).toEqual(tops.toSorted((a, b) => a - b));
  await expect(actions.getByRole('button').last()).toHaveText('Delete task');
});

test('the label of a text to copy is on one line above it and its button', async ({ page }) => {
  await enter(page, PEOPLE.ana, 'tasks?of=all');
  await page.getByRole('link', { name: /Invoice \d/ }).click();
  const label = page.getByText('Pix copy and paste code').first();
  const { height = 0 } = (await label.boundingBox()) ?? {};
  expect(height).toBeLessThan(30);
});

test('lines of a text or file are named as such', async ({ page }) => {
  await enter(page, PEOPLE.eleanor, 'staff/people/invite');
  await page.getByLabel('People', { exact: true }).fill('Nobody at all');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'People', level: 2 })).toBeVisible();
  await expect(page.locator('[data-label="Line"]')).toHaveText('1');
});

test('an invitation that was used already leads to the sign-in', async ({ page }) => {
  await page.goto('auth/invitation/none');
  await page.getByRole('main').getByRole('link', { name: 'Sign in', exact: true }).click();
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
});

for (const lang of LANGS)
  test.describe(`the bar at the bottom in ${lang}`, () => {
    test.use({
      baseURL: async ({ portal }, use) => use(`${portal.origin}/clientcenter/${lang}/`),
    });

    for (const [person, path] of [
      [PEOPLE.eleanor, 'staff/overview'],
      [PEOPLE.olivia, 'documents'],
      [PEOPLE.ana, 'documents'],
    ] as const)
      test(`no label of the bar of ${path} is cut for ${person}, in ${lang}`, async ({ page }) => {
        await enter(page, person, path);
        for (const width of [320, 360]) {
          await page.setViewportSize({ width, height: 740 });
          expect(await cutLabels(page), `${width} px`).toEqual([]);
        }
      });
  });

/** The labels of the bar that are wider than their place, or lie outside of the bar or over each other. */
const cutLabels = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const labels = [
      ...document.querySelectorAll<HTMLElement>(
        '.staff-nav > ul > li > a > span:not(.badge), .staff-nav summary > span, .tabs a > span:not(.badge)',
      ),
    ].filter((label) => label.checkVisibility());
    if (labels.length < 3) return ['there is no bar'];
    const bar = labels[0]?.closest('nav')?.getBoundingClientRect() ?? new DOMRect();
    const boxOf = (label: HTMLElement): DOMRect => {
      const range = document.createRange();
      range.selectNodeContents(label);
      return range.getBoundingClientRect();
    };
    return labels.flatMap((label, at) => {
      const box = boxOf(label);
      const own = (label.closest('a, summary') ?? label).getBoundingClientRect();
      const next = labels[at + 1];
      const isWhole =
        label.scrollWidth <= label.clientWidth + 1 &&
        box.left >= Math.max(0, own.left) - 0.5 &&
        box.right <= Math.min(innerWidth, own.right) + 0.5 &&
        box.top >= bar.top &&
        box.bottom <= bar.bottom + 0.5 &&
        (next === undefined || box.right <= boxOf(next).left) &&
        !getComputedStyle(label).textOverflow.includes('ellipsis');
      return isWhole ? [] : [`${label.innerText} ${box.left}-${box.right} of ${own.left}-${own.right}`];
    });
  });

import type { Page } from 'playwright/test';
import { expectUsable } from './support/accessibility.ts';
import { openRowMenu, openView } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/* Grids of the firm's side (docs/decisions/0052), by the list of people and the audit log. */

test.use({ viewport: { width: 1280, height: 800 } });

const grid = (page: Page) => page.getByRole('grid');
const rowsOf = (page: Page) => grid(page).getByRole('rowheader');

/** Opens a list, and lets the grid take over its table. */
async function openGrid(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('table').hover();
  await expect(page.getByRole('table')).toHaveCount(0);
}

/** Writes 120 entries to the audit log. */
async function fillAuditLog(page: Page): Promise<void> {
  for (let entries = 0; entries < 120; entries += 1)
    await page.request.get('/api/staff/v1/grids/audit/export?format=csv&person=zzzz');
}

test('arrow keys move between the cells of a grid, and typing in the search box filters its rows', async ({
  page,
}) => {
  await enter(page, PEOPLE.eleanor);
  await openGrid(page, 'staff/people?who=contacts');
  await expectUsable(page, 'the grid of people', [1280]);
  const total = await rowsOf(page).count();
  await expect(grid(page)).toHaveAttribute('aria-rowcount', String(total + 1));
  await expect(grid(page).locator('[tabindex="0"]')).toHaveCount(1);
  await rowsOf(page).first().focus();
  await page.keyboard.press('ArrowDown');
  await expect(rowsOf(page).nth(1)).toBeFocused();
  await page.keyboard.press('Control+End');
  await expect(grid(page).getByRole('row').last().getByRole('gridcell').last()).toBeFocused();
  await page.keyboard.press('Enter');
  const menu = page.getByRole('menu');
  await expect(menu.getByRole('menuitem').first()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(menu).toHaveCount(0);
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('ArrowRight'); // past the checkbox
  await expect(rowsOf(page).first()).toBeFocused();
  await page.keyboard.press('ArrowUp');
  const heading = grid(page).getByRole('columnheader', { name: 'Name' });
  await expect(heading).toBeFocused();
  await expect(heading).toHaveAttribute('aria-sort', 'ascending');
  const first = await rowsOf(page).first().textContent();
  await page.keyboard.press('Enter');
  await expect(heading).toHaveAttribute('aria-sort', 'descending');
  await expect(rowsOf(page).last()).toHaveText(first ?? '');
  await page.getByRole('searchbox').fill('olivia');
  await expect(rowsOf(page)).toHaveText([/Olivia Bennett/]);
  await expect(page).toHaveURL(/searchTerm=olivia/);
  await expect(page.getByRole('status').filter({ hasText: '1 row' })).toBeVisible();
  await page.getByRole('searchbox').fill('zzzz');
  await expect(page.getByText('No people match')).toBeVisible();
});

test('the menu of a row is the same in the table and in the grid, where keys open it', async ({ page }) => {
  await enter(page, PEOPLE.eleanor);
  await page.setViewportSize({ width: 1000, height: 800 }); // where the table stays
  await page.goto('staff/clients');
  const row = page.getByRole('row').nth(1);
  const client = (await row.getByRole('rowheader').getByRole('link').textContent())?.trim() ?? '';
  await openRowMenu(page, client);
  const acts = row.locator('.acts-menu').getByRole('link');
  await expect(acts).toHaveText(['Publish', 'Ask for documents', 'Documents', 'Contacts', 'Edit']);
  const [button, menu] = await Promise.all(
    [row.getByRole('button'), row.locator('.acts-menu')].map((one) => one.boundingBox()),
  );
  expect(menu?.y, 'below its button').toBeGreaterThan(button?.y ?? 0);
  await acts.filter({ hasText: 'Contacts' }).click();
  await expect(page).toHaveURL(/\/staff\/people\?(.*&)?clientName=/);
  await openView(page);
  await expect(page.getByLabel('Client name or number')).toHaveValue(client);
  await page.setViewportSize({ width: 1280, height: 800 });
  await openGrid(page, 'staff/clients');
  await grid(page).getByRole('row').nth(1).getByRole('gridcell').last().focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem')).toHaveText([
    'Publish',
    'Ask for documents',
    'Documents',
    'Contacts',
    'Edit',
  ]);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/edit/);
});

test('the next rows come at the last row, and failed ones are tried again', async ({ page, trouble }) => {
  await enter(page, PEOPLE.eleanor);
  await fillAuditLog(page);
  await openGrid(page, 'staff/audit');
  const heights = await rowsOf(page).evaluateAll((cells) =>
    cells.map((cell) => cell.closest('tr')?.getBoundingClientRect().height),
  );
  expect(new Set(heights)).toEqual(new Set([50]));
  expect(heights.length, 'only the visible rows are drawn').toBeLessThan(40);
  await grid(page).evaluate((table) => {
    table.addEventListener('grid:last-row', () => (document.body.dataset['lastRow'] = 'reached'));
  });
  trouble.expect(/503|Failed to load/);
  await page.route(/grids\/audit\?/, (route) => route.fulfill({ status: 503 }));
  await rowsOf(page).first().focus();
  await page.keyboard.press('Control+End');
  await expect(page.getByText('We couldn’t load the rows.')).toBeVisible();
  await page.unroute(/grids\/audit\?/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('We couldn’t load the rows.')).toHaveCount(0);
  await expect(grid(page).locator('[aria-rowindex="105"]')).toHaveCount(1);
  await expect(page.locator('body')).toHaveAttribute('data-last-row', 'reached');
});

/** Holds the script of the grid back, until `release` is called. */
async function holdIslands(page: Page): Promise<{ release: () => void }> {
  const gate = Promise.withResolvers<undefined>();
  await page.route(/_astro\/GridIsland/, async (route) => {
    await gate.promise;
    await route.continue();
  });
  return { release: () => gate.resolve(undefined) };
}

/** The places of the cells of the first rows. */
const placesOf = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main thead th, main tbody :is(th, td)')]
      .filter((cell) => cell.checkVisibility() && !cell.closest('.grid-spacer'))
      .filter((cell) => (cell.closest('tr')?.sectionRowIndex ?? 0) < 17)
      .map((cell) => {
        const { x, y, width, height } = cell.getBoundingClientRect();
        return [x, y, width, height].map((number) => Math.round(number)).join(' ');
      }),
  );

for (const path of ['staff/tasks', 'staff/clients', 'staff/people', 'staff/mails', 'staff/audit'])
  test(`nothing of ${path} moves when the grid takes over from its table`, async ({ page }) => {
    await enter(page, PEOPLE.eleanor);
    await fillAuditLog(page);
    await page.goto(path);
    const box = page.locator('.grid-page .table-wrap');
    await box.evaluate((wrap) => wrap.scrollTo(0, 0));
    const before = await placesOf(page);
    const heightOf = () => page.getByRole('main').evaluate((main) => main.getBoundingClientRect().height);
    const height = await heightOf();
    await page.mouse.move(700, 400);
    await expect(page.getByRole('table')).toHaveCount(0);
    expect((await placesOf(page)).slice(0, 60)).toEqual(before.slice(0, 60));
    expect(await heightOf(), 'what is below stays').toBe(height);
    await page.goto(path);
    await box.evaluate((wrap) => wrap.scrollTo(0, 130));
    const scrolled = await box.evaluate((wrap) => wrap.scrollTop);
    await page.mouse.move(700, 400);
    await expect(page.getByRole('table')).toHaveCount(0);
    expect(await page.locator('.grid-scroller').evaluate((scroller) => scroller.scrollTop)).toBe(scrolled);
  });

for (const path of ['staff/tasks', 'staff/clients', 'staff/people'])
  test(`what is clicked on ${path} before the grid is there stays selected, where it was`, async ({
    page,
  }) => {
    await enter(page, PEOPLE.eleanor);
    const { release } = await holdIslands(page);
    await page.goto(path);
    const row = page.locator('main tbody tr').nth(2);
    const name = (await row.getByRole('rowheader').textContent())?.trim() ?? '';
    const place = await row.boundingBox();
    const point = await row.getByRole('checkbox').boundingBox();
    await page.mouse.move((point?.x ?? 0) + 10, (point?.y ?? 0) + 10);
    await page.mouse.down();
    await page.mouse.up();
    await expect(row.getByRole('checkbox')).toBeChecked();
    await expect(
      page.getByRole('form', { name: 'With the selected' }).getByRole('button').first(),
    ).toBeVisible();
    release();
    await expect(page.getByRole('table')).toHaveCount(0);
    const selected = page.locator('main tbody tr[aria-selected=true]');
    await expect(selected).toHaveCount(1);
    await expect(selected.getByRole('rowheader')).toContainText(name);
    expect(await selected.boundingBox()).toEqual(place);
    await expect(selected.locator('[tabindex="0"]'), 'the cell that was clicked').toBeFocused();
    await page.keyboard.press('Space');
    await expect(selected).toHaveCount(0);
  });

test('"Select all", a sort and typed text before the grid is there do what they do later', async ({
  page,
}) => {
  await enter(page, PEOPLE.eleanor);
  let { release } = await holdIslands(page);
  await page.goto('staff/clients');
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  await expect(page.locator('main tbody input:checked')).toHaveCount(25);
  release();
  await expect(page.getByRole('table')).toHaveCount(0);
  await expect(page.getByRole('checkbox', { name: 'Select all' })).toBeChecked();
  await expect(grid(page).locator('tbody [aria-selected=false]')).toHaveCount(0);
  await page.unrouteAll();
  ({ release } = await holdIslands(page));
  await page.goto('staff/clients');
  await page.getByRole('searchbox').pressSequentially('dover');
  release();
  await expect(page).toHaveURL(/searchTerm=dover/);
  await expect(rowsOf(page).first()).toHaveText(/dover/i);
  for (const text of await rowsOf(page).allTextContents()) expect(text).toMatch(/dover/i);
  await page.unrouteAll();
  ({ release } = await holdIslands(page));
  await page.goto('staff/clients');
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('link').click();
  await expect(page).toHaveURL(/sort=-name/);
  release();
});

test('the grid does not take over under a pressed button', async ({ page }) => {
  await enter(page, PEOPLE.eleanor);
  await page.goto('staff/clients');
  const row = page.locator('main tbody tr').nth(3);
  const name = (await row.getByRole('rowheader').textContent())?.trim() ?? '';
  const point = await row.getByRole('checkbox').boundingBox();
  const rows = page.waitForResponse(/grids\/clients\?/);
  await page.mouse.move((point?.x ?? 0) + 10, (point?.y ?? 0) + 10);
  await page.mouse.down();
  await (await rows).finished();
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  await expect(page.getByRole('table')).toHaveCount(1);
  await page.mouse.up();
  await expect(page.getByRole('table')).toHaveCount(0);
  await expect(page.locator('main tbody tr[aria-selected=true]')).toContainText(name);
});

test('the grid does not take over while the menu of a row is open', async ({ page }) => {
  await enter(page, PEOPLE.eleanor);
  await page.goto('staff/clients');
  const row = page.locator('main tbody tr').nth(3);
  const rows = page.waitForResponse(/grids\/clients\?/);
  await row.getByRole('button').click();
  await (await rows).finished();
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  await expect(row.locator('.acts-menu').getByRole('link', { name: 'Publish' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('table')).toHaveCount(0);
});

for (const lang of ['en-us', 'es', 'pt', 'fr'])
  test(`no grid cuts a state, a date or a number at 1280 px, in ${lang}`, async ({ page, portal }) => {
    await enter(page, PEOPLE.eleanor);
    for (const path of ['staff/tasks', 'staff/clients', 'staff/people', 'staff/mails', 'staff/audit']) {
      await page.goto(`${portal.origin}/clientcenter/${lang}/${path}`);
      await page.mouse.move(700, 400);
      await expect(page.locator('.grid-scroller'), path).toBeVisible();
      const problems = await page.evaluate(() => {
        const scroller = document.querySelector<HTMLElement>('.grid-scroller');
        const rows = [...(scroller?.querySelectorAll<HTMLTableRowElement>('tbody tr[aria-rowindex]') ?? [])];
        const isCut = (cell: Element): boolean =>
          [cell, ...cell.querySelectorAll<HTMLElement>('bdi, strong, time')].some(
            (part) =>
              getComputedStyle(part).display !== 'inline' &&
              (part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight),
          );
        const cut = rows.flatMap((row) =>
          [...row.querySelectorAll('.short')].flatMap((cell) => (isCut(cell) ? [cell.textContent] : [])),
        );
        // what a filter offers may come in a row
        for (const select of document.querySelectorAll<HTMLSelectElement>('.view-part select')) {
          const label = select.labels[0]?.textContent.trim();
          const headings = [...(scroller?.querySelectorAll('thead th') ?? [])];
          const column = headings.findIndex((heading) => heading.textContent.trim() === label);
          const text = rows[0]?.cells[column]?.querySelector('bdi');
          if (!text?.closest('.short')) continue;
          for (const option of select.options) {
            text.textContent = option.text;
            if (isCut(text.closest('td') ?? text) || rows[0]?.getBoundingClientRect().height !== 50)
              cut.push(option.text);
          }
        }
        const sideways = (scroller?.scrollWidth ?? 0) - (scroller?.clientWidth ?? 0);
        return [...cut, ...(sideways > 0 ? [`scrolls by ${sideways} px`] : [])];
      });
      expect(problems, path).toEqual([]);
    }
  });

test('the search of a grid waits half a second after the last key', async ({ page }) => {
  await enter(page, PEOPLE.eleanor);
  await page.clock.install();
  await openGrid(page, 'staff/people?who=contacts');
  await page.clock.pauseAt(Date.now() + 60_000);
  const searches: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('searchTerm=')) searches.push(request.url());
  });
  await page.getByRole('searchbox').fill('oli');
  await page.clock.runFor(499);
  await page.getByRole('searchbox').fill('olivia');
  await page.clock.runFor(499);
  expect(searches).toEqual([]);
  await page.clock.runFor(1);
  await expect.poll(() => searches).toHaveLength(1);
  expect(searches[0]).toContain('searchTerm=olivia');
});

test('the box in the heading selects all rows, some or none', async ({ page }) => {
  await enter(page, PEOPLE.eleanor);
  await openGrid(page, 'staff/clients');
  const all = page.getByRole('checkbox', { name: 'Select all' });
  const first = grid(page).getByRole('row').nth(1);
  const acts = page.getByRole('form', { name: 'With the selected' });
  await expect(acts).toBeHidden();
  await first.getByRole('checkbox').check();
  await expect(acts).toBeVisible();
  await expect(first).toHaveAttribute('aria-selected', 'true');
  await expect(all).toBeChecked({ indeterminate: true });
  await expect(acts.getByRole('status')).toHaveText('1 selected');
  await all.click();
  await expect(all).toBeChecked();
  await expect(acts.getByRole('status')).toHaveText(/^\d+ selected$/);
  await first.getByRole('checkbox').uncheck();
  await expect(all).toBeChecked({ indeterminate: true });
  await all.click();
  await expect(all).toBeChecked();
  await all.click();
  await expect(all).not.toBeChecked();
  await expect(grid(page).locator('[aria-selected=true]')).toHaveCount(0);
  await expect(acts).toBeHidden();
});

test('what can be done with the selected tasks fits the view of the list', async ({ page }) => {
  await enter(page, PEOPLE.eleanor, 'staff/tasks?view=clients');
  const offered = () =>
    page
      .locator('#tasks button[name=do]:not([hidden])')
      .evaluateAll((all) => all.map((act) => act.getAttribute('value')));
  expect(await offered()).toEqual(['remind', 'reschedule', 'assign', 'cancel', 'delete']);
  await page.goto('staff/tasks?view=done');
  expect(await offered()).toEqual(['reschedule', 'assign', 'reopen', 'delete']);
  await page.goto('staff/tasks?view=all&status=Received');
  expect(await offered()).toEqual(['accept', 'return', 'reschedule', 'assign', 'reopen', 'cancel', 'delete']);
});

interface TraceEvent {
  name: string;
  args: { elementCount?: number };
}

test('a row that comes into view is styled, and of the rest of the page next to nothing', async ({
  page,
  browser,
}) => {
  await enter(page, PEOPLE.eleanor);
  for (const path of ['staff/clients', 'staff/people']) {
    await openGrid(page, path);
    await page.mouse.move(0, 0);
    const row = grid(page).locator('tbody tr[aria-rowindex]').first();
    const elements = await row.evaluate((first) => first.querySelectorAll('*').length + 1);
    // an icon is a copy of its symbol, which has some four elements
    const copied = await row.evaluate((first) => 4 * first.querySelectorAll('use').length);
    await browser.startTracing(page, { categories: ['devtools.timeline'] });
    await row.evaluate(async (first) => {
      const drawn = () => new Promise(requestAnimationFrame);
      for (let times = 0; times < 10; times += 1) {
        const other = first.cloneNode(true) as Element;
        first.before(other);
        await drawn();
        await drawn();
        other.remove();
        await drawn();
        await drawn();
      }
    });
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
      traceEvents: TraceEvent[];
    };
    const styled = traceEvents
      .filter(({ name }) => name === 'UpdateLayoutTree')
      .reduce((sum, { args }) => sum + (args.elementCount ?? 0), 0);
    expect(styled, path).toBeGreaterThanOrEqual(10 * elements);
    expect(styled, path).toBeLessThan(10 * (elements + copied + 20));
  }
});

for (const { width, most } of [
  { width: 1280, most: 240 },
  { width: 360, most: 210 },
])
  test.describe(`at ${width} px`, () => {
    test.use({ viewport: { width, height: 800 } });

    test('the first row of a grid is near the top, before and after the grid takes over', async ({
      page,
    }) => {
      await enter(page, PEOPLE.eleanor);
      for (const path of ['staff/clients', 'staff/people', 'staff/mails', 'staff/audit']) {
        await page.goto(path);
        const top = () =>
          page
            .locator('main tbody tr:visible')
            .first()
            .evaluate((row) => row.getBoundingClientRect().top + scrollY);
        expect(await top(), path).toBeLessThanOrEqual(most);
        if (width < 960) continue;
        await page.getByRole('table').hover();
        await expect(page.getByRole('table')).toHaveCount(0);
        expect(await top(), `${path}, taken over`).toBeLessThanOrEqual(most);
      }
    });
  });

test('rows are grouped by up to four columns, and groups open and close by keyboard', async ({ page }) => {
  await enter(page, PEOPLE.eleanor);
  await page.goto('staff/audit?action=session.start'); // of all actions its group might be further down
  await openView(page);
  await page.getByText('Group by', { exact: true }).first().click();
  await page.getByLabel('Group by').selectOption('action');
  await page.getByLabel('then by').first().selectOption('who');
  await page.getByRole('button', { name: 'Group', exact: true }).click();
  await expect(page).toHaveURL(/group=/);
  await page.getByRole('table').hover();
  const tree = page.getByRole('treegrid');
  const signedIn = tree.getByRole('row', { name: /^Signed in/ });
  await expect(signedIn).toHaveAttribute('aria-expanded', 'false');
  await signedIn.getByRole('rowheader').focus();
  await page.keyboard.press('ArrowRight');
  await expect(signedIn).toHaveAttribute('aria-expanded', 'true');
  const person = tree.getByRole('row', { name: /^Eleanor Hart/ }).first();
  await expect(person).toHaveAttribute('aria-level', '2');
  await person.getByRole('rowheader').focus();
  await page.keyboard.press('Enter');
  await expect(tree.locator('[aria-level="3"]').first()).toContainText('Signed in');
  await expectUsable(page, 'the grid with groups', [1280]);
  await signedIn.getByRole('rowheader').focus();
  await page.keyboard.press('ArrowLeft');
  await expect(person).toHaveCount(0);
});

test('columns and filters are kept for the person, and the list is exported as shown', async ({ page }) => {
  await enter(page, PEOPLE.eleanor);
  await openGrid(page, 'staff/people?who=contacts');
  await page.getByRole('searchbox').fill('olivia');
  await expect(rowsOf(page)).toHaveCount(1);
  await openView(page);
  await page.getByText('Columns', { exact: true }).click();
  await page.getByRole('checkbox', { name: 'Email address' }).check();
  await page.getByRole('checkbox', { name: 'Clients' }).uncheck();
  await page.getByRole('button', { name: 'Show columns' }).click();
  await expect(page.getByRole('columnheader')).toHaveText([
    /.*/,
    /Name/,
    'Email address',
    'Role',
    'Status',
    'Last active',
    /.*/,
  ]);
  await expect(page.getByRole('searchbox')).toHaveValue('olivia');
  await openView(page);
  await page.getByText('Saved filters', { exact: true }).click();
  await page.getByLabel('Filter name').fill('Only Olivia');
  await page.getByRole('button', { name: 'Save current filter' }).click();
  await page.goto('staff/people?who=contacts');
  await openView(page);
  await page.getByText('Saved filters', { exact: true }).click();
  await page.getByRole('link', { name: 'Only Olivia' }).click();
  await expect(page.getByRole('rowheader')).toHaveCount(1);
  await openView(page);
  await page.getByText('Export', { exact: true }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: /xlsx/ }).click();
  expect((await download).suggestedFilename()).toBe('people.xlsx');
  await page.getByText('Saved filters', { exact: true }).click();
  await page.getByRole('button', { name: 'Remove Only Olivia' }).click();
  await expect(page.getByRole('link', { name: 'Only Olivia' })).toHaveCount(0);
});

for (const { name, ...context } of [
  { name: 'on a desktop', viewport: { width: 1280, height: 800 } },
  { name: 'on a phone', viewport: { width: 360, height: 740 } },
  { name: 'on a phone without scripts', viewport: { width: 360, height: 740 }, javaScriptEnabled: false },
  { name: 'on a desktop without scripts', viewport: { width: 1280, height: 800 }, javaScriptEnabled: false },
])
  test.describe(name, () => {
    test.use(context);

    test('conditions are built by keyboard, corrected, combined, saved as a filter and cleared', async ({
      page,
    }) => {
      await enter(page, PEOPLE.eleanor, 'staff/audit');
      const menu = page.locator('summary').filter({ hasText: 'Conditions' });
      const condition = (number: number) => page.getByRole('group', { name: `Condition ${number}` });
      const fill = async (number: number, column: string, comparison: string, value: string) => {
        await condition(number).getByLabel('Column').selectOption({ label: column });
        await condition(number).getByLabel('Comparison').selectOption({ label: comparison });
        await condition(number).getByLabel('Value').fill(value);
      };
      await openView(page);
      await menu.focus();
      await page.keyboard.press('Enter');
      await fill(1, 'Action', 'is', 'Danced');
      await expect(condition(1).getByLabel('Combined with the previous condition')).toBeHidden();
      await page.keyboard.press('Enter');
      await expect(condition(1).getByText('This column doesn’t have that value.')).toBeVisible();
      await expect(condition(1).getByLabel('Value')).toHaveValue('Danced');
      await condition(1).getByLabel('Value').fill('Signed in');
      await page.getByRole('button', { name: 'Add condition' }).focus();
      await page.keyboard.press('Enter');
      await condition(2).getByLabel('Combined with the previous condition').selectOption('or');
      await fill(2, 'Date', 'is before or less than', '2000-01-01');
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
      await page.getByRole('button', { name: 'Apply conditions' }).click();
      await expect(page).toHaveURL(/filter=/);
      const active = page.getByRole('list', { name: 'Active filters' });
      await expect(active).toHaveText(/Conditions: 2/);
      const headers = page.getByRole('rowheader');
      await expect(headers.first()).toContainText('Signed in');
      for (const text of await headers.allTextContents()) expect(text).toContain('Signed in');
      const saved = page.getByText('Saved filters', { exact: true });
      await openView(page);
      await saved.click();
      await page.getByRole('button', { name: 'Save current filter' }).click();
      await expect(page.getByText('Enter a name for the filter.').last()).toBeVisible();
      await page.getByLabel('Filter name').fill('Signed in');
      await page.getByRole('button', { name: 'Save current filter' }).click();
      await openView(page);
      await expect(menu).toContainText('2');
      await menu.click();
      await page.getByRole('link', { name: 'Clear conditions' }).click();
      await expect(page).not.toHaveURL(/filter=/);
      await expect(active).toHaveCount(0);
      await openView(page);
      await saved.click();
      await page.getByRole('link', { name: 'Signed in', exact: true }).click();
      await expect(page).toHaveURL(/filter=/);
      await openView(page);
      await menu.click();
      await expect(condition(2).getByLabel('Value')).toHaveValue('2000-01-01');
      await saved.click();
      await page.getByRole('button', { name: 'Remove Signed in' }).click();
      await openView(page);
      await saved.click();
      await expect(page.getByText('No saved filters for this list')).toBeVisible();
    });
  });

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('without scripts what can be done with rows comes with a selection, too', async ({ page }) => {
    await enter(page, PEOPLE.eleanor);
    await page.goto('staff/clients');
    const acts = page.locator('main .chosen');
    await expect(acts).toBeHidden();
    const box = page.locator('main tbody input[type=checkbox]').first();
    await box.check();
    await expect(acts).toHaveCSS('display', 'flex');
    await box.uncheck();
    await expect(acts).toBeHidden();
  });

  test('without scripts a grid is a sorted, filtered, grouped and paged table', async ({ page }) => {
    await enter(page, PEOPLE.eleanor);
    await page.goto('staff/people?who=contacts');
    const names = page.getByRole('rowheader');
    const before = await names.allTextContents();
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('link').click();
    await expect(names).toHaveText(before.toReversed());
    await page.getByRole('searchbox').fill('olivia');
    await page.keyboard.press('Enter');
    await expect(names).toHaveCount(1);
    await expect(page).toHaveURL(/sort=-name/);
    await fillAuditLog(page);
    await page.goto('staff/audit');
    await page.getByRole('link', { name: 'Next' }).click();
    await expect(page.getByRole('status').filter({ hasText: /26–50 of/ })).toBeVisible();
    await page.getByRole('link', { name: 'Previous' }).click();
    await expect(page.getByRole('status').filter({ hasText: /1–25 of/ })).toBeVisible();
    await page.goto('staff/audit?group=action');
    await page.getByRole('link', { name: 'Signed in', exact: true }).click();
    await expect(page.getByRole('navigation', { name: 'Open groups' })).toContainText('Action: Signed in');
    await expect(page.getByRole('rowheader').first()).toContainText('Signed in');
    await page.goto('staff/audit?group=who');
    await page.getByRole('link', { name: 'Eleanor Hart', exact: true }).click();
    await expect(page.getByRole('navigation', { name: 'Open groups' })).toContainText('Person: Eleanor Hart');
  });
});

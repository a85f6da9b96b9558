import type { Page } from 'playwright/test';
import { expectUsable } from './support/accessibility.ts';
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

/** Shows the filters and the menus, which phones hide until then. */
async function openFilters(page: Page): Promise<void> {
  const more = page.locator('summary').filter({ hasText: /^\s*Filters\s*$/ });
  const menus = page.locator('summary').filter({ hasText: 'Conditions' });
  if (await menus.isVisible()) return;
  await more.focus();
  await page.keyboard.press('Enter');
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

test('the action beside a cell opens what it names, by keyboard and without the grid', async ({ page }) => {
  await enter(page, PEOPLE.eleanor);
  await page.goto('staff/clients');
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Show', exact: true }) });
  const client = await row.first().getByRole('rowheader').getByRole('link').textContent();
  const address = new RegExp(`/staff/people\\?(.*&)?clientName=`);
  await row.first().getByRole('link', { name: 'Show', exact: true }).click();
  await expect(page).toHaveURL(address);
  await expect(page.getByLabel('Client name or number')).toHaveValue(client?.trim() ?? '');
  await expect(page.getByRole('rowheader').first()).toBeVisible();
  await openGrid(page, 'staff/clients');
  const cell = grid(page).getByRole('gridcell').filter({ hasText: 'Show' }).first();
  await cell.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(address);
  await expect(page.getByRole('rowheader').first()).toBeVisible();
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
  await all.click();
  await expect(all).toBeChecked();
  await first.getByRole('checkbox').uncheck();
  await expect(all).toBeChecked({ indeterminate: true });
  await all.click();
  await expect(all).toBeChecked();
  await all.click();
  await expect(all).not.toBeChecked();
  await expect(grid(page).locator('[aria-selected=true]')).toHaveCount(0);
  await expect(acts).toBeHidden();
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
    expect(styled, path).toBeLessThan(10 * (elements + 20));
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
  await page.getByText('Saved filters', { exact: true }).click();
  await page.getByLabel('Filter name').fill('Only Olivia');
  await page.getByRole('button', { name: 'Save current filter' }).click();
  await page.goto('staff/people?who=contacts');
  await page.getByText('Saved filters', { exact: true }).click();
  await page.getByRole('link', { name: 'Only Olivia' }).click();
  await expect(page.getByRole('rowheader')).toHaveCount(1);
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
      await openFilters(page);
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
      await openFilters(page);
      await saved.click();
      await page.getByRole('button', { name: 'Save current filter' }).click();
      await expect(page.getByText('Enter a name for the filter.').last()).toBeVisible();
      await page.getByLabel('Filter name').fill('Signed in');
      await page.getByRole('button', { name: 'Save current filter' }).click();
      await openFilters(page);
      await expect(menu).toContainText('2');
      await menu.click();
      await page.getByRole('link', { name: 'Clear conditions' }).click();
      await expect(page).not.toHaveURL(/filter=/);
      await expect(active).toHaveCount(0);
      await openFilters(page);
      await saved.click();
      await page.getByRole('link', { name: 'Signed in', exact: true }).click();
      await expect(page).toHaveURL(/filter=/);
      await openFilters(page);
      await menu.click();
      await expect(condition(2).getByLabel('Value')).toHaveValue('2000-01-01');
      await saved.click();
      await page.getByRole('button', { name: 'Remove Signed in' }).click();
      await openFilters(page);
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

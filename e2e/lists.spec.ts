import type { Page } from 'playwright/test';
import { expectUsable } from './support/accessibility.ts';
import { openView } from './support/steps.ts';
import { ONE_SIZE, PEOPLE, enter, expect, test } from './support/test.ts';

/* Every list is built from one table and one filter form (docs/decisions/0045). */

for (const { width } of ONE_SIZE) {
  test.describe(`at ${width} px`, () => {
    test.use({ viewport: { width, height: 800 } });

    test('a list is a table with headings and rows for screen readers, however its rows are laid out', async ({
      page,
    }) => {
      await enter(page, PEOPLE.eleanor);
      for (const [address, columns, minor] of [
        ['receipts', 5, 0],
        ['staff/people', 7, width < 750 ? 1 : 0],
        ['staff/audit', 5, 0],
        ['kit', 5, 0],
      ] as const) {
        await page.goto(address);
        const table = page.getByRole('table');
        await expect(table.getByRole('columnheader'), address).toHaveCount(columns - minor);
        const cells = table.getByRole('row').nth(1).locator('td, th');
        await expect(cells, address).toHaveCount(columns);
        await expect(cells.and(page.locator('.minor:not(:visible)')), address).toHaveCount(minor);
        for (const cell of await cells.and(page.locator(':not(.minor)')).all())
          if ((await cell.textContent()) !== '') await expect(cell, address).toBeVisible();
        await expectUsable(page, address);
      }
    });

    test('an invitation is one row, and leads to the button that revokes it', async ({ page }) => {
      await enter(page, PEOPLE.eleanor);
      await page.goto('staff/people/new');
      await page.getByLabel('Email address').fill(`row${width}@new.example`);
      await page.getByLabel('First name').fill('Rowena');
      await page.getByLabel('Last name').fill(`Of ${width}`);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForURL(/staff\/people$/);
      await page.goto('staff/invitations'); // which moved
      const row = page.getByRole('row', { name: `Rowena Of ${width}` });
      await expect(row).toContainText(`row${width}@new.example`);
      await expect(row).toContainText('Invited');
      await expectUsable(page, 'invitations');
      await row.getByRole('link', { name: `Rowena Of ${width}` }).click();
      await page.getByRole('button', { name: 'Revoke invitation' }).click();
      await expect(page.getByText(`Invitation to row${width}@new.example revoked.`)).toBeVisible();
      await expect(row).toHaveCount(0);
    });

    test('a new person is asked about assigned clients only with a role that can be limited to them', async ({
      page,
    }) => {
      await enter(page, PEOPLE.eleanor);
      await page.goto('staff/people/new');
      const scope = page.getByRole('group', { name: 'Clients a team member can see' });
      const role = page.getByLabel('Role');
      await expect(scope).toBeHidden();
      for (const [label, isThere] of [
        ['Member', true],
        ['Owner', false],
        ['Manager', true],
        ['Contact', false],
      ] as const) {
        await role.selectOption({ label });
        await expect(scope, label).toBeVisible({ visible: isThere });
      }
      await role.selectOption({ label: 'Member' });
      await scope.getByLabel('Only assigned clients').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByRole('alert'), 'its own problems are shown').toContainText(
        'Nothing was changed',
      );
      await expect(scope.getByLabel('Only assigned clients')).toBeChecked();
      await expectUsable(page, 'a new person of the team');
    });

    test('the audit log is filtered by a form, a link removes each filter, and the number of results is shown', async ({
      page,
    }) => {
      await enter(page, PEOPLE.eleanor);
      await page.goto('staff/audit');
      await page.getByRole('searchbox', { name: 'Person' }).fill('Eleanor');
      await openView(page);
      const action = page.getByRole('combobox', { name: 'Action', exact: true });
      await action.fill('zzzz');
      await expect(page.getByText('No action has these words.')).toBeAttached();
      await action.fill('IN sígned');
      const found = page.getByRole('listbox', { name: 'Action' }).getByRole('option');
      await expect(found.first()).toBeVisible();
      expect(await found.count()).toBeLessThan(10);
      await expectUsable(page, 'the audit log with the list of actions');
      await found.getByText('Signed in', { exact: true }).click();
      await expect(action).toHaveValue('Signed in');
      await action.press('ArrowDown');
      await action.press('Escape');
      await expect(action).toHaveValue('Signed in');
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Audit log');
      const chosen = page.getByRole('list', { name: 'Active filters' }).getByRole('link');
      await expect(chosen).toHaveText([/Person: Eleanor/, /Action: Signed in/]);
      await expect(page.getByRole('status').filter({ hasText: /\d rows?/ })).toBeVisible();
      await expectUsable(page, 'the audit log with filters');
      await chosen.filter({ hasText: 'Person' }).click();
      await expect(chosen).toHaveText([/Action: Signed in/]);
      await expect(page.getByRole('searchbox', { name: 'Person' })).toHaveValue('');
      await expect(page.locator('select[name=action]')).toHaveValue('session.start');
    });
  });
}

test('without scripts the actions of the audit log are a plain list to choose from', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await enter(page, PEOPLE.eleanor, 'staff/audit');
  await openView(page);
  await page.getByLabel('Action', { exact: true }).selectOption({ label: 'Signed in' });
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect(page.getByRole('list', { name: 'Active filters' }).getByRole('link')).toHaveText(
    /Action: Signed in/,
  );
  await context.close();
});

test('an email that was not delivered stands out by an icon, words and color in the grid, and in the table without scripts', async ({
  page,
  browser,
}) => {
  await enter(page, PEOPLE.eleanor);
  const expectToStandOut = async (list: Page): Promise<void> => {
    const states = list.locator('.state-chip[data-tone=danger]:visible').first();
    await expect(states).toHaveText('Bounced');
    await expect(states.locator('svg')).toBeVisible();
    const colors = await states.evaluate((state) => {
      const example = state.ownerDocument.body.appendChild(state.ownerDocument.createElement('i'));
      example.className = 'button-danger';
      return [getComputedStyle(state).color, getComputedStyle(example).color];
    });
    expect(colors[0]).toBe(colors[1]);
  };
  await page.goto('staff/mails?state=bounced'); // other tests send more than a page of emails
  await page.getByRole('rowheader').first().getByRole('link').focus();
  await expect(page.getByRole('grid')).toBeVisible();
  await expectToStandOut(page);
  const plain = await browser.newContext({
    javaScriptEnabled: false,
    storageState: await page.context().storageState(),
  });
  const list = await plain.newPage();
  await list.goto(page.url());
  await expect(list.getByRole('grid')).toHaveCount(0);
  await expectToStandOut(list);
  await plain.close();
});

test('the logo in a letter is on the color for which it was drawn', async ({ page }) => {
  await enter(page, PEOPLE.lima, 'staff/mails?status=bounced');
  await page
    .locator('main')
    .getByRole('link', { name: /portal do cliente/ })
    .click();
  await page.getByRole('link', { name: 'Print a letter' }).click();
  const header = await page.locator('.header').evaluate((one) => getComputedStyle(one).backgroundColor);
  await expect(page.locator('.letter header img')).toHaveCSS('background-color', header);
});

test('invalid parameters in the address of a list are ignored, and the valid ones apply', async ({
  page,
}) => {
  await enter(page, PEOPLE.eleanor);
  await page.goto('staff/audit?from=yesterday&person=zzzz&before=x');
  await expect(page.getByRole('searchbox', { name: 'Person' })).toHaveValue('zzzz');
  await expect(page.getByLabel('From')).toHaveValue('');
  await expect(page.getByRole('list', { name: 'Active filters' }).getByRole('link')).toHaveCount(1);
  await expect(page.getByText('No results')).toBeVisible();
  await page.goto('staff/contacts?pageNum=-3&searchTerm=olivia');
  await expect(page.getByRole('status').filter({ hasText: '1 row' })).toBeVisible();
});

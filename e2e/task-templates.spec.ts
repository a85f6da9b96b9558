import { DESK_BY_KEYBOARD, test, type Operator } from './support/operator.ts';
import { PEOPLE, enter, expect } from './support/test.ts';

/*
 * Templates of tasks: a ready-made one is adapted, published and used for one client; many clients are asked at once,
 * which is shown before, and undone afterwards.
 */

/** Uses the open template for the client of Olivia, up to the form of the task. */
async function useForJuniper(operator: Operator): Promise<void> {
  const { page, says } = operator;
  await operator.activate(page.getByRole('link', { name: says('task-templates', 'use') }));
  await operator.fill(page.locator('main input[type=search]'), 'juniper');
  await page.keyboard.press('Enter');
  await operator.activate(page.locator('main .choices a').first());
}

for (const { how, key, way } of DESK_BY_KEYBOARD)
  test.describe(how, () => {
    test.use(way);

    test(`a template is adapted, published and used ${how}`, async ({ page, operator }) => {
      const { says } = operator;
      const name = `Organizer ${key}`;
      const button = (text: 'adapt' | 'save' | 'publish') =>
        page.getByRole('button', { name: says('task-templates', text), exact: true });
      const link = (text: 'edit' | 'backToTemplate') =>
        page.getByRole('link', { name: says('task-templates', text), exact: true });
      const isSaved = () => expect(page.locator('body')).toContainText(says('task-templates', 'saved'));
      await enter(page, PEOPLE.eleanor, 'staff/tasks/templates');
      await operator.activate(page.locator('a[href*="starter-uk-personal"]'));
      await operator.activate(button('adapt'));
      await operator.activate(link('edit'));
      await operator.fill(page.getByLabel(says('task-templates', 'name'), { exact: true }), name);
      await operator.activate(
        page.locator('#details').getByRole('button', { name: says('task-templates', 'save') }),
      );
      await isSaved();
      await operator.activate(page.locator('main section a').first());
      await operator.fill(
        page.getByLabel(says('task-templates', 'question')).first(),
        'Which of these happened to you?',
      );
      await operator.activate(button('save'));
      await isSaved();
      await operator.activate(link('backToTemplate'));
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
      await operator.activate(button('publish'));
      await expect(page.locator('body')).toContainText(says('task-templates', 'publishedNow'));
      await operator.activate(page.locator('main details > summary').first());
      await expect(page.getByRole('main')).toContainText('Which of these happened to you?');

      await useForJuniper(operator);
      await operator.fill(page.getByLabel(says('task-batches', 'newTitle'), { exact: true }), name);
      await operator.fill(page.getByLabel(says('task-batches', 'newYear')), '2026');
      await operator.activate(page.getByRole('button', { name: says('task-batches', 'create') }));
      await expect(page.locator('body')).toContainText(says('task-batches', 'created'));
      await page.goto(`staff/tasks?searchTerm=${encodeURIComponent(name)}`);
      await expect(page.getByRole('rowheader').getByRole('link', { name: new RegExp(name) })).toBeVisible();
    });

    test(`a template of a document review is created and used ${how}`, async ({ page, operator }) => {
      const { says } = operator;
      const name = `Accounts review ${key}`;
      const label = (text: 'name' | 'isReview' | 'question' | 'kind') =>
        page.getByLabel(says('task-templates', text), { exact: true });
      const button = (text: 'createDraft' | 'publish') =>
        page.getByRole('button', { name: says('task-templates', text) });
      await enter(page, PEOPLE.eleanor, 'staff/tasks/templates/new');
      await operator.fill(label('name'), name);
      await operator.check(page.getByLabel(says('task-templates', 'isReview')));
      await operator.fill(label('question'), 'May we file them?');
      await operator.select(label('kind'), 'yesNo');
      await operator.activate(button('createDraft'));
      await operator.activate(button('publish'));
      await useForJuniper(operator);
      await expect(page.getByLabel(says('document-review', 'template'))).toHaveValue(/./);
      const documents = page.getByRole('group', { name: says('document-review', 'documentsLabel') });
      await operator.check(documents.getByRole('checkbox').first());
      await operator.activate(page.getByRole('button', { name: says('document-review', 'create') }));
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
      await expect(page.getByRole('main')).toContainText('May we file them?');
    });

    test(`tasks for many clients are reviewed, created and undone ${how}`, async ({ page, operator }) => {
      const { says } = operator;
      const label = (text: 'tag' | 'newTitle' | 'itemLabel') => page.getByLabel(says('task-batches', text));
      // with scripts a field in which clients are chosen, each a chip
      const numbers = page.locator('#new-tasks-numbers');
      const button = (text: 'review' | 'undo') =>
        page.getByRole('button', { name: says('task-batches', text), exact: true });
      await enter(page, PEOPLE.eleanor, 'staff/tasks/new');
      await operator.activate(page.getByRole('link', { name: says('task-batches', 'forMany') }));
      await operator.select(label('tag'), 'Reed Holdings');
      await operator.fill(label('newTitle'), `Documents of all ${key}`);
      await operator.fill(numbers, 'RH-ABA ZZ-99');
      await operator.activate(button('review'));
      await expect(page.getByRole('main').getByRole('alert')).toContainText(
        says('task-batches', 'itemsMissing'),
      );
      await operator.fill(label('itemLabel'), 'Bank statements');
      await operator.activate(button('review'));
      await expect(page.getByRole('main').getByRole('alert')).toContainText('ZZ-99');
      for (const number of ['RH-ABA', 'ZZ-99'])
        if (way.javaScriptEnabled) await operator.activate(page.getByRole('button', { name: number }));
        else await operator.fill(numbers, '');
      await operator.activate(button('review'));
      await expect(page.getByRole('heading', { name: says('task-batches', 'reviewTitle') })).toBeVisible();
      const review = page.getByRole('region', { name: says('task-batches', 'reviewTitle') });
      await expect(review, 'the task as its clients will see it').toContainText('Bank statements');
      await expect(review).toContainText(`Documents of all ${key}`);
      await expect(review, 'the email').toContainText(
        says('reminders', 'newTitle', { count: 1, firm: 'Maple & Hart CPAs' }),
      );
      await operator.activate(
        page.getByRole('button', { name: says('task-batches', 'confirmCreate', { count: 2 }) }),
      );
      const main = page.getByRole('main');
      await expect(main).toContainText(says('task-batches', 'did_create', { count: 2 }), { timeout: 30_000 });
      await operator.activate(button('undo'));
      await expect(main).toContainText(says('task-batches', 'didUndo', { count: 2 }), { timeout: 30_000 });
    });
  });

test('a draft tax return is sent for review with the ready-made template', async ({ page }) => {
  const title = 'Review of the draft tax return';
  await enter(page, PEOPLE.eleanor, 'staff/tasks/templates');
  await page.locator('a[href*="starter-us-draft-review"]').click();
  await page.getByRole('link', { name: 'New task from template' }).click();
  await page.locator('main input[type=search]').fill('juniper');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('main .choices a').first().click();
  await expect(page.getByLabel('Template').locator('option:checked')).toHaveText(`${title} (United States)`);
  await page.getByRole('group', { name: 'Documents to review' }).getByRole('checkbox').first().check();
  await page.getByRole('button', { name: 'Send for review' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
  await expect(page.getByRole('main')).toContainText('Is all of your income in the draft?');
});

import type { Page } from 'playwright/test';
import { operatorOf, type Operator } from './operator.ts';
import type { Portal } from './portal.ts';
import { pdf } from './steps.ts';
import { enter, expect, PEOPLE } from './test.ts';

/* What journeys of tasks have in common: the firm asks the client of Olivia, who answers and submits. */

interface Item {
  label: string;
  /** Documents by default. */
  answer?: 'paragraph' | 'number';
  isRequired?: true;
}

/** A document to answer with. */
export const STATEMENT = {
  name: 'statement.pdf',
  mimeType: 'application/pdf',
  buffer: pdf('A statement'),
};

export const STATEMENTS_AND_MILES: readonly Item[] = [
  { label: 'Bank statements' },
  { label: 'Miles driven', answer: 'number' },
];

/** Creates a task with these documents and questions, as staff. */
export async function createTask(by: Page | Operator, title: string, items: readonly Item[]): Promise<void> {
  const operator = operatorOf(by);
  const { page, says } = operator;
  const label = (key: 'newTitle' | 'itemLabel' | 'itemKind' | 'itemRequired') =>
    page.getByLabel(says('task-batches', key), { exact: true });
  const button = (key: 'itemAdd' | 'create') => page.getByRole('button', { name: says('task-batches', key) });
  await enter(page, PEOPLE.eleanor, 'staff/tasks/new?q=juniper');
  await operator.activate(page.locator('main .choices a').first());
  await operator.fill(label('newTitle'), title);
  for (const [at, { label: text, answer, isRequired }] of items.entries()) {
    if (at > 0) {
      await operator.activate(button('itemAdd'));
      await expect(label('itemLabel').nth(at), 'whoever adds a row goes on there').toBeFocused();
    }
    await operator.fill(label('itemLabel').nth(at), text);
    if (answer) await operator.select(label('itemKind').nth(at), answer);
    if (isRequired) await operator.check(label('itemRequired').nth(at));
  }
  await operator.activate(button('create'));
  await expect(page.locator('body')).toContainText(says('task-batches', 'created'));
}

/** Opens a task from the list of the contact. */
export async function openTask(by: Page | Operator, title: string): Promise<void> {
  const operator = operatorOf(by);
  await enter(operator.page, PEOPLE.olivia, 'tasks');
  await openListed(operator, title);
}

/** Opens a task from the open list, which has several pages when earlier tests have left many tasks. */
export async function openListed(by: Page | Operator, title: string | RegExp): Promise<void> {
  const operator = operatorOf(by);
  const { page, says } = operator;
  const link = page.getByRole('main').getByRole('link', { name: title });
  const next = page
    .getByRole('navigation', { name: says('common', 'pages') })
    .getByRole('link', { name: says('common', 'nextPage') });
  while ((await link.count()) === 0 && (await next.count()) > 0)
    await page.goto((await next.getAttribute('href')) ?? '');
  await operator.activate(link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
}

/** Saves the last step of the open task. */
export async function saveAndCheck(by: Page | Operator): Promise<void> {
  const operator = operatorOf(by);
  const { page, says } = operator;
  const save = page.getByRole('button', { name: says('tasks', 'saveCheck') });
  // the answers on the page that is left look the same
  await Promise.all([page.waitForEvent('load'), operator.activate(save)]);
}

/** Submits the open task; a page confirms it, with a number, and leads to the next one. */
export async function submitTask(by: Page | Operator, title: string): Promise<void> {
  const operator = operatorOf(by);
  const { page, says } = operator;
  await operator.activate(page.getByRole('button', { name: says('tasks', 'submit') }));
  const confirmed = page.getByRole('region', { name: says('tasks', 'sentTitle') });
  await expect(confirmed).toContainText(title);
  await expect(confirmed).toContainText(says('tasks', 'sentReceipt'));
}

/** Opens a submission from the inbox of staff. */
export async function openSubmission(by: Page | Operator, title: string): Promise<void> {
  const operator = operatorOf(by);
  const { page, says } = operator;
  await enter(page, PEOPLE.eleanor, 'staff/inbox?of=all');
  await operator.activate(page.getByRole('link', { name: says('inbox', 'task', { name: title }) }));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
  await page.waitForLoadState(); // keys work once the scripts have run
}

const TASKS = '/api/client-center/v3/tasks';

/** Asks the client of Olivia, with a call of the API as whoever is signed in. Returns the id of the task. */
export async function askByApi(
  page: Page,
  portal: Portal,
  asked: { label: string; taxYear: number; form: unknown },
): Promise<string> {
  const [client] = await portal.sql("select client_id from clients where name like 'Juniper Street Bakery%'");
  const { label, taxYear, form } = asked;
  const answer = await page.request.post(`${portal.origin}${TASKS}`, {
    headers: { Origin: portal.origin },
    data: { clientId: client?.['client_id'], type: 'questionnaire', params: { taxYear }, label, form },
  });
  expect(answer.status(), await answer.text()).toBe(200);
  const { data } = (await answer.json()) as { data: { taskId: string } };
  return data.taskId;
}

/** Answers a task as Olivia and submits it, with calls of the API. */
export async function answerByApi(
  page: Page,
  portal: Portal,
  taskId: string,
  answers: Readonly<Record<string, unknown>>,
): Promise<void> {
  await enter(page, PEOPLE.olivia, 'tasks');
  const saved = await page.request.post(`${portal.origin}${TASKS}/${taskId}/answers`, {
    headers: { Origin: portal.origin },
    data: {
      tab: 'tabOfTheTest',
      language: 'en-us',
      changes: Object.entries(answers).map(([path, value], at) => ({
        path,
        value,
        base: 0,
        sequence: at + 1,
      })),
    },
  });
  expect(saved.status(), await saved.text()).toBe(200);
  await completeByApi(page, portal, taskId);
}

/** Submits a task as a contact, and accepts it as staff. */
export async function completeByApi(page: Page, portal: Portal, taskId: string): Promise<void> {
  const answer = await page.request.patch(`${portal.origin}${TASKS}/${taskId}`, {
    headers: { Origin: portal.origin },
    data: { status: 2 },
  });
  expect(answer.status(), await answer.text()).toBe(200);
}

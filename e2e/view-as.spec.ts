import type { Page } from 'playwright/test';
import { PAGES } from '../src/routes.ts';
import { allRows, type Portal } from './support/portal.ts';
import { openPageMenu, openRowMenu, rowAction } from './support/steps.ts';
import { createTask, openListed, STATEMENT } from './support/tasks.ts';
import { PEOPLE, enter, expect, servedMarkup, test } from './support/test.ts';

/* Staff view the portal as a contact: exact, read-only and logged (threat-model.md T14, T15, T16). */

const HART = 'hart@maplehart.example';

/** Signs in as staff and views as Olivia; returns her contact id. */
async function viewAsOlivia(page: Page): Promise<string> {
  await enter(page, HART, '');
  await page.goto(`staff/people?searchTerm=${encodeURIComponent(PEOPLE.olivia)}`);
  await openRowMenu(page, 'Olivia Bennett');
  const link = rowAction(page, 'View as client');
  const contact = /view-as\/(\w+)/.exec((await link.getAttribute('href')) ?? '')?.[1] ?? '';
  await link.click();
  await expect(
    page.getByRole('navigation').getByRole('link', { name: 'People', includeHidden: true }).first(),
  ).toHaveAttribute('aria-current', 'page');
  await page.getByLabel('Reason').fill('She cannot find her payroll papers.');
  await page.getByRole('button', { name: 'Start viewing' }).click();
  await expect(page.getByText('Viewing as Olivia Bennett', { exact: true })).toBeVisible();
  await page.goto('documents');
  await expect(page.getByRole('heading', { name: 'Documents', exact: true })).toBeVisible();
  return contact;
}

/**
 * Tables that the portal changes by itself meanwhile: its own reminders, notices and mails of earlier tests, and expired
 * sign-ins.
 */
const BACKGROUND =
  /^(jobs|notices|mailbox|mails|mail_targets|mail_links|oidc_payloads|login_tickets|pending_sign_ins|sign_in_transactions|passkey_challenges|task_digests|task_reminders|unanswered_tasks)$/;

/** Postpones the jobs that earlier tests left: what they change would look like a change by viewing. */
const postponeJobs = (portal: Portal): Promise<unknown> =>
  portal.sql(`update jobs set run_at = run_at + ${60 * 60_000} where done_at is null`);

/**
 * Every row that viewing must not change, without the tables of the identity provider, the jobs and the
 * outbox.
 */
async function rows(portal: Portal): Promise<Record<string, string[]>> {
  const compared = [...(await allRows(portal))].filter(
    ([table]) => !/^(sessions|audit|audit_heads|sqlite_\w+)$/.test(table) && !BACKGROUND.test(table),
  );
  return Object.fromEntries(
    compared.map(([table, all]) => [
      table,
      all.filter((row) => !/"(?:fetched-|download:|calendar)/.test(row)).toSorted(),
    ]),
  ); // downloads and wrong addresses of calendars count for the staff member
}

const count = async (portal: Portal, action: string): Promise<number> =>
  Number((await portal.sql(`select count(*) as n from audit where action = '${action}'`))[0]?.['n']);

test('viewing as a contact shows everything, changes nothing, and logs every request in the audit log', async ({
  page,
  portal,
}) => {
  const contact = await viewAsOlivia(page);
  const ids = await page
    .locator('#document-list input[name=id]')
    .evaluateAll((boxes) =>
      boxes.map((box) => [box.getAttribute('value') ?? '', box.getAttribute('data-container') ?? '']),
    );
  const [document = '', container = ''] = ids[0] ?? [];
  const client = String(
    (await portal.sql(`select client_id from documents where document_id = '${document}'`))[0]?.['client_id'],
  );
  const pages = Object.entries(PAGES).flatMap(([pattern, { who }]) =>
    who === 'demo' || !pattern.startsWith('/[base]')
      ? []
      : [
          pattern
            .replace('[base]', 'clientcenter')
            .replace('[lang]', 'en-us')
            .replaceAll(/\[\w+\]/g, contact),
        ],
  );
  const described = (await (await page.request.get('/api/openapi.json')).json()) as {
    paths: Record<string, { get?: object }>;
  };
  const calls = Object.entries(described.paths).flatMap(([path, { get }]) =>
    // a stream does not end by itself
    get === undefined || path.startsWith('/api/demo/') || path.endsWith('/stream')
      ? []
      : [
          path
            .replace('{id}', container)
            .replace('{documentId}', document)
            .replace('{token}', 'x'.repeat(43)),
        ],
  );
  const addresses = [
    '/api/openapi.json',
    '/api/docs',
    ...pages,
    ...calls,
    `/api/storage/v1/containers/documents?clientId=${client}`,
    `/clientcenter/en-us/documents?folder=${container}`,
    '/clientcenter/en-us/nowhere',
  ];
  await postponeJobs(portal);
  const [before, reads] = [await rows(portal), await count(portal, 'view.read')];
  for (const address of addresses) {
    const { status } = await page.request
      .get(portal.origin + address, { maxRedirects: 0 })
      .then((answer) => ({ status: answer.status() }));
    expect(status, address).toBeLessThan(500);
  }
  await page.request.head(`${portal.origin}/clientcenter/en-us/documents`);
  expect(await count(portal, 'view.read')).toBe(reads + addresses.length + 1);
  expect(await rows(portal)).toEqual(before);
});

test('a change made while viewing as a contact is refused on pages and in the API, and says that nothing was changed', async ({
  page,
  portal,
}) => {
  await viewAsOlivia(page);
  await postponeJobs(portal);
  const before = await rows(portal);
  const headers = { Origin: portal.origin };
  const answer = await page.request.post('clients', {
    headers,
    form: { client: 'client_x' },
    maxRedirects: 0,
  });
  expect([answer.status(), await answer.text()]).toEqual([
    403,
    expect.stringMatching(/Nothing was changed[\s\S]*while viewing as Olivia Bennett/),
  ]);
  const call = await page.request.post('/api/storage/v1/folders', { headers, data: {} });
  expect([call.status(), await call.json()]).toEqual([
    403,
    { errors: [{ code: 'EMULATION_READ_ONLY', reason: 'EMULATION_READ_ONLY' }] },
  ]);
  expect(await rows(portal)).toEqual(before);
});

test('every control is shown as the contact has it, and those that change something say that it was not done', async ({
  page,
  portal,
}) => {
  await viewAsOlivia(page);
  await postponeJobs(portal);
  const before = await rows(portal);
  const notice = page
    .getByText('You’re viewing as Olivia Bennett, so this wasn’t done.')
    .filter({ visible: true });
  const isRefused = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    await page.goto('documents');
    await page.locator('#document-list input[name=id]').first().check();
    await expect(notice, what).toHaveCount(0);
    await act();
    await expect(notice.first(), what).toBeVisible();
  };
  for (const name of ['Download', 'Delete', 'Share']) {
    const button = page.getByRole('main').getByRole('button', { name, exact: true });
    // it is marked as disabled, but still explains why
    await isRefused(name, () => button.click({ force: true }));
    await expect(button).toHaveAttribute('aria-disabled', 'true');
    await expect(button).toHaveAccessibleDescription('View only. You can’t make changes.');
  }
  await isRefused('a new folder', async () => {
    await openPageMenu(page);
    await page.getByText('New folder').click();
    await page.getByRole('textbox', { name: 'Folder name' }).fill('Mine');
    await page.getByRole('textbox', { name: 'Folder name' }).press('Enter');
  });
  await isRefused('a mark', async () => {
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Mark as read' }).click({ force: true });
  });
  const file = { name: 'mine.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n%%EOF\n') };
  await isRefused('an upload', () => page.locator('input[type=file]').first().setInputFiles(file));
  await expect(page.getByText('The connection was lost')).toHaveCount(0);
  const id = await page.locator('#document-list input[name=id]').first().getAttribute('value');
  await page.goto(`documents/${id}/comments`);
  await page.getByRole('textbox').fill('A comment that nobody wrote');
  await page.getByRole('main').getByRole('button').last().click({ force: true });
  await expect(notice.first()).toBeVisible();
  await expect(page.getByRole('textbox'), 'the input is kept').toHaveValue('A comment that nobody wrote');
  expect(await rows(portal)).toEqual(before);
});

test('what is typed or chosen in a task while viewing as a contact is not sent, and says so once', async ({
  page,
  portal,
}) => {
  const title = 'Viewed while open';
  await createTask(page, title, [
    { label: 'About the year', answer: 'paragraph' },
    { label: 'Bank statements' },
  ]);
  await page.context().clearCookies();
  await viewAsOlivia(page);
  await page.goto('tasks');
  await openListed(page, title);
  await postponeJobs(portal);
  const before = await rows(portal);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.url());
  });
  const notice = page
    .getByText('You’re viewing as Olivia Bennett, so this wasn’t done.')
    .filter({ visible: true });
  await page.getByLabel('About the year').pressSequentially('Typed by staff');
  await expect(notice).toHaveCount(1);
  await page.getByLabel('About the year').pressSequentially(', and more');
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('About the year'), 'the input is kept').toHaveValue(
    'Typed by staff, and more',
  );
  await expect(page.locator('[data-saving-state]')).toHaveText('');
  await expect(notice, 'it is said once').toHaveCount(1);
  await page.locator('#alerts').getByRole('button', { name: 'Close' }).click();
  await expect(notice).toHaveCount(0);
  await page.getByLabel('Choose files').setInputFiles(STATEMENT);
  await expect(notice).toHaveCount(1);
  await expect(page.locator('.file-uploads')).toHaveCount(0);
  expect(sent).toEqual([]);
  expect(await page.evaluate(() => sessionStorage.getItem('ccTaskAnswers'))).toBeNull();
  expect(await rows(portal)).toEqual(before);
});

test('the server marks the same controls as read-only as the scripts do', async ({ page }) => {
  await viewAsOlivia(page);
  const id = await page.locator('#document-list input[name=id]').first().getAttribute('value');
  const marked = '[aria-disabled=true][aria-describedby~=viewing-note]';
  for (const address of ['documents', `documents/${id}/comments`, 'documents/scan']) {
    await page.goto(address);
    const [sent, shown] = await page.evaluate(
      async ([selector, html]) =>
        [new DOMParser().parseFromString(html, 'text/html'), document].map((tree) =>
          [...tree.querySelectorAll(selector)].map((control) => control.outerHTML),
        ),
      [marked, await servedMarkup(page)] as const,
    );
    expect(sent, address).toEqual(shown);
    expect(sent?.length, address).toBeGreaterThan(0);
  }
});

for (const [width, height] of [
  [360, 740],
  [1280, 800],
] as const) {
  test(`the name of the viewed contact stays visible on one line at ${width} px while scrolling`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height });
    await viewAsOlivia(page);
    const bar = page.locator('.preview-bar');
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect(bar).toBeInViewport({ ratio: 1 });
    await expect(bar.getByRole('button', { name: 'Close preview' })).toBeInViewport({ ratio: 1 });
    const { height: tall = 0, y = -1 } = (await bar.boundingBox()) ?? {};
    expect([y, tall <= (width < 768 ? 40 : 56)]).toEqual([0, true]);
    const header = (await page.locator('.header').boundingBox())?.y;
    expect(header, 'the header is below it').toBe(tall);
    if (width < 600) {
      const short = bar.getByText(/As Olivia · \d+\smin left/);
      await expect(short).toBeInViewport({ ratio: 1 });
      const text = bar.locator('p');
      expect(await text.evaluate((one) => one.scrollWidth <= one.clientWidth), 'nothing is cut').toBe(true);
    }
  });
}

test('ending the view leads back to the staff area, and the contact sees who viewed', async ({
  page,
  portal,
  browser,
}) => {
  await viewAsOlivia(page);
  await page.goto('staff');
  await expect(page.getByRole('heading', { name: 'You don’t have access' })).toBeVisible();
  await page.goto('staff/view-as/end');
  await page.getByRole('button', { name: 'Stop viewing' }).click();
  await expect(page.getByText('You’re back in your own account.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Inbox', level: 1 })).toBeVisible();
  await page.goto('staff/audit?action=view.start');
  await expect(page.getByText('Reason: She cannot find her payroll papers.').first()).toBeVisible();
  const hers = await (
    await browser.newContext({ baseURL: `${portal.origin}/clientcenter/en-us/` })
  ).newPage();
  await enter(hers, PEOPLE.olivia, 'profile/activity');
  const row = hers.getByRole('row').filter({ hasText: 'Started viewing the portal as' }).first();
  await expect(row).toContainText('Eleanor Hart');
  await expect(hers.getByText('She cannot find')).toHaveCount(0);
});

test('when the time limit is reached the next page is the staff area, and says so', async ({
  page,
  portal,
}) => {
  await viewAsOlivia(page);
  await portal.sql('update sessions set view_until = 1 where viewer_contact_id is not null');
  await page.goto('documents');
  await expect(page).toHaveURL(/\/en-us\/staff\/inbox$/);
  await expect(page.getByText('Your time to view the portal as a contact has ended.')).toBeVisible();
  await expect(page.getByText('Eleanor Hart').first()).toBeAttached();
});

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('without scripts the controls that change something are marked, and the way out is not', async ({
    page,
  }) => {
    await viewAsOlivia(page);
    const main = page.getByRole('main');
    await page.locator('#document-list input[name=id]').first().check();
    for (const control of [
      main.getByRole('button', { name: 'Download', exact: true }),
      main.getByRole('button', { name: 'Delete', exact: true }),
      main.locator('input[type=file]').first(),
    ]) {
      await expect(control).toHaveAttribute('aria-disabled', 'true');
      await expect(control).toHaveAccessibleDescription(/View only\. You can’t make changes\.$/);
    }
    await expect(page.getByRole('button', { name: 'Close preview' })).not.toHaveAttribute('aria-disabled');
    await expect(main.getByRole('button', { name: 'Search' })).not.toHaveAttribute('aria-disabled');
  });

  test('staff view as a contact and come back without scripts', async ({ page }) => {
    await viewAsOlivia(page);
    await page.goto('staff/view-as/end');
    await page.getByRole('button', { name: 'Stop viewing' }).click();
    await expect(page.getByText('You’re back in your own account.')).toBeVisible();
  });
});

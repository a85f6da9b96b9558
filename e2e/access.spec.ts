import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright/test';
import type { Portal } from './support/portal.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/*
 * The areas of the portal as people see them: tabs, fallbacks, deep links, and what a firm hides (spec 1
 * sections 2 and 6; threat-model.md T05, T11). Ana's firm has every area; Olivia's has tasks and documents.
 */

const idsOf = async (portal: Portal, email: string): Promise<{ company: string; contact: string }> => {
  const name =
    { [PEOPLE.ana]: 'Ana Souza', [PEOPLE.olivia]: 'Olivia Bennett', [PEOPLE.nora]: 'Nora Lind' }[email] ?? '';
  const [row] = await portal.sql(`select company_id, contact_id from contacts where full_name = '${name}'`);
  return { company: String(row?.['company_id']), contact: String(row?.['contact_id']) };
};

/** Applies access settings to one contact, replacing all earlier ones. */
async function setAccess(
  portal: Portal,
  email: string,
  ...settings: (readonly ['control' | 'permission' | 'flag', string, 0 | 1])[]
): Promise<void> {
  const { company, contact } = await idsOf(portal, email);
  await portal.sql(`delete from access_settings where contact_id = '${contact}'`);
  for (const [kind, name, granted] of settings)
    await portal.sql(
      `insert into access_settings (company_id, contact_id, kind, name, granted) values ('${company}', '${contact}', '${kind}', '${name}', ${granted})`,
    );
}

async function openDocuments(page: Page, email: string): Promise<void> {
  await enter(page, email);
  await page.getByRole('heading', { level: 1, name: 'Documents' }).waitFor();
}

const tabs = (page: Page): Promise<string[]> =>
  page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link').allInnerTexts();

/** Opens an address and returns where it redirects, without the base and the language. */
async function targetOf(page: Page, address: string): Promise<string> {
  await page.goto(address);
  return page.url().replace(/^.*\/clientcenter\/en-us\//, '');
}

test("the start page and the tabs follow the firm's access settings, and a hidden area redirects to the next one", async ({
  page,
  portal,
}) => {
  await openDocuments(page, PEOPLE.ana);
  expect(await tabs(page)).toEqual(['Home', 'Tasks', 'Documents', 'Actions', 'Shared']);
  expect(await targetOf(page, '')).toBe('home');
  await expect(
    page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Home' }),
  ).toHaveAttribute('aria-current', 'page');

  const cases = [
    {
      settings: [['control', 'HideDashboards', 1]],
      tabs: ['Tasks', 'Documents', 'Actions', 'Shared'],
      start: 'tasks',
      home: 'tasks',
      tasks: 'tasks',
      actions: 'actions',
    },
    {
      settings: [['control', 'HideTasks', 1]],
      tabs: ['Home', 'Documents', 'Actions', 'Shared'],
      start: 'home',
      home: 'home',
      tasks: 'documents',
      actions: 'actions',
    },
    {
      settings: [['control', 'HideActions', 1]],
      tabs: ['Home', 'Tasks', 'Documents', 'Shared'],
      start: 'home',
      home: 'home',
      tasks: 'tasks',
      actions: 'home',
    },
    {
      settings: [
        ['control', 'HideDashboards', 1],
        ['control', 'HideTasks', 1],
      ],
      tabs: ['Documents', 'Actions', 'Shared'],
      start: 'documents',
      home: 'documents',
      tasks: 'documents',
      actions: 'actions',
    },
    {
      settings: [['permission', 'AllDocsOnly', 1]],
      tabs: ['Documents', 'Shared'],
      start: 'documents',
      home: 'documents',
      tasks: 'documents',
      actions: 'documents',
    },
    {
      settings: [['permission', 'ccVnext', 0]],
      tabs: ['Documents', 'Shared'],
      start: 'documents',
      home: 'documents',
      tasks: 'documents',
      actions: 'documents',
    },
  ] as const;
  for (const { settings, tabs: expected, ...places } of cases) {
    await setAccess(portal, PEOPLE.ana, ...settings);
    for (const [name, place] of Object.entries(places))
      expect([settings, name, await targetOf(page, name === 'start' ? '' : name)]).toEqual([
        settings,
        name,
        place,
      ]);
    expect([settings, await tabs(page)]).toEqual([settings, expected]);
  }
  await setAccess(portal, PEOPLE.ana);
});

test('staff start in their inbox, contacts on a home page with what is new and what waits, or without one on their tasks if one waits', async ({
  browser,
  portal,
  baseURL,
}) => {
  const openAs = async (email: string, path = ''): Promise<Page> => {
    const page = await (await browser.newContext(baseURL ? { baseURL } : {})).newPage();
    await enter(page, email, path);
    return page;
  };
  await expect(await openAs(PEOPLE.lima)).toHaveURL(/\/en-us\/staff\/inbox$/);
  await expect(await openAs(PEOPLE.lima, 'home'), 'staff have no other home').toHaveURL(/\/staff\/inbox$/);
  const olivia = await openAs(PEOPLE.olivia);
  await expect(olivia).toHaveURL(/\/home$/);
  await expect(olivia.getByRole('region', { name: 'Your tasks' }).getByRole('link')).not.toHaveCount(1);
  await expect(olivia.getByRole('region', { name: 'New from Maple & Hart CPAs' })).toContainText('.pdf');
  await expect(olivia.getByRole('region', { name: 'Your contact' })).toContainText('Eleanor Hart');
  for (const email of [PEOPLE.olivia, PEOPLE.nora])
    await setAccess(portal, email, ['control', 'HideDashboards', 1]);
  await olivia.goto('');
  await expect(olivia, 'a task waits').toHaveURL(/\/tasks$/);
  await expect(await openAs(PEOPLE.nora), 'no task waits').toHaveURL(/\/documents$/);
  for (const email of [PEOPLE.olivia, PEOPLE.nora]) await setAccess(portal, email);
});

test('somebody with many companies sees on their home page where something waits, and one click leads there', async ({
  page,
}) => {
  await enter(page, PEOPLE.marcus, '');
  const rows = page.getByRole('region', { name: 'Your companies' }).getByRole('listitem');
  await expect(rows).toHaveCount(8);
  await expect(rows.first()).toContainText(/1 task, next due/);
  const company = (await rows.first().locator('bdi').first().textContent()) ?? '';
  await rows.first().getByRole('link').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Tasks' })).toBeVisible();
  await expect(page.locator('.client-bar')).toContainText(company);
});

test('someone without access to the portal sees why, and can only sign out', async ({ page, portal }) => {
  await openDocuments(page, PEOPLE.ana);
  await setAccess(portal, PEOPLE.ana, ['permission', 'DefaultClient', 0]);
  for (const address of ['documents', 'tasks', 'clients', ''])
    expect(await targetOf(page, address)).toBe('not-authorized');
  await expect(
    page.getByText('Your account doesn’t have access to the Contábil Aurora portal yet.'),
  ).toBeVisible();
  expect((await page.request.get('/api/client-center/v1/clients/')).status()).toBe(403);
  await setAccess(portal, PEOPLE.ana);
  await page.goto('not-authorized');
  await expect(page.getByRole('link', { name: 'Go to home page' })).toBeVisible();
});

test('the actions on offer are listed by section in alphabetical order, each begins where it is, and one that is not available says so at its own address', async ({
  page,
  portal,
}) => {
  await openDocuments(page, PEOPLE.ana);
  await page.goto('actions#service-request');
  const sections = page.getByRole('heading', { level: 2 });
  await expect(sections, 'nothing without a feature').toHaveText([
    'Confirmations',
    'Electronic documents (box-e)',
    'Invoice manifest',
    'Reports',
    'Service requests',
  ]);
  const names = await page.locator('#service-request').getByRole('link').allInnerTexts();
  expect(names).toHaveLength(14);
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b)));
  await page.getByRole('link', { name: 'Vacation notice' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Vacation notice');
  await expect(page.getByRole('button', { name: 'Begin' })).toBeVisible();

  await page.goto('actions/box-e/nfe-storage');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('NF-e archive');

  await setAccess(portal, PEOPLE.ana, ['flag', 'Reports', 0]);
  const answer = await page.goto('actions/br-reports/stored-documents');
  expect([answer?.status(), page.url().endsWith('/actions/br-reports/stored-documents')]).toEqual([
    403,
    true,
  ]);
  await expect(page.getByText('You don’t have access to “Archived documents”.')).toBeVisible();
  await page.getByRole('link', { name: 'View all actions' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Actions');
  expect(await targetOf(page, 'mobile/actions/service-request/vacation-notice')).toBe(
    'mobile/actions/service-request/vacation-notice',
  );
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Vacation notice');
  expect(await targetOf(page, 'mobile/actions')).toBe('mobile/actions');
  expect((await page.request.get('mobile/actions/br-reports/stored-documents')).status()).toBe(403);
  for (const unknown of ['actions/service-request/none', 'actions/none/mocks', 'actions/protocols/x'])
    expect((await page.request.get(unknown)).status()).toBe(404);

  await setAccess(
    portal,
    PEOPLE.ana,
    ['flag', 'ServiceRequest.Denied', 1],
    ['flag', 'BoxE', 0],
    ['flag', 'NfeManifest.Disabled', 1],
    ['flag', 'Reports', 0],
  );
  expect(await targetOf(page, 'actions'), 'nothing is on offer').toBe('home');
  expect(await tabs(page)).toEqual(['Home', 'Tasks', 'Documents', 'Shared']);
  expect(await targetOf(page, 'actions/box-e/nfe-storage')).toBe('home');
  await setAccess(portal, PEOPLE.ana);
});

test('an estimate is neither shown nor computed for a contact who has no simulations', async ({
  page,
  portal,
}) => {
  await openDocuments(page, PEOPLE.ana);
  const address = 'actions/service-request/mocks/vacation';
  const form = {
    form: 'vacation',
    salary: '4200',
    admission: '2021-03-10',
    dependants: '0',
    'parts.count': '1',
    'parts[0].start': '2026-12-21',
    'parts[0].days': '20',
    soldDays: '0',
    absences: '0',
    restDay: '7',
  };
  const post = (to: string) => page.request.post(to, { form, headers: { origin: portal.origin } });
  expect(await (await post(address)).text()).toContain('2,800.00');
  expect((await post(`${address}?as=pdf`)).headers()['content-type']).toBe('application/pdf');

  await setAccess(portal, PEOPLE.ana, ['flag', 'simulations', 0]);
  expect((await page.request.get(address)).status()).toBe(403);
  for (const to of [address, `${address}?as=pdf`]) {
    const refused = await post(to);
    expect([refused.status(), await refused.text()]).toEqual([403, expect.not.stringContaining('2,800.00')]);
  }
  await setAccess(portal, PEOPLE.ana);
});

for (const javaScriptEnabled of [true, false]) {
  test(`an action that is disabled while its list is open shows a dialog over the list, with scripts ${javaScriptEnabled ? 'on' : 'off'}`, async ({
    browser,
    baseURL,
    portal,
  }) => {
    const context = await browser.newContext({ baseURL: baseURL ?? '', javaScriptEnabled });
    const page = await context.newPage();
    await openDocuments(page, PEOPLE.ana);
    await page.goto('actions');
    await setAccess(portal, PEOPLE.ana, ['flag', 'ServiceRequest.Employee', 0]);
    await page.getByRole('link', { name: 'Register an employee' }).click();
    const dialog = page.getByRole('dialog', { name: 'You don’t have access to this' });
    await expect(dialog).toContainText('You don’t have access to “Register an employee”.');
    if (javaScriptEnabled) await expect(dialog.getByRole('link', { name: 'OK' })).toBeFocused();
    await dialog.getByRole('link', { name: 'OK' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Actions');
    await expect(dialog).toHaveCount(0);
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/clientcenter/en-us/actions');
    await setAccess(portal, PEOPLE.ana);
    await context.close();
  });
}

test('a document link opens the document, or shows it above the list in the classic view, for people who may use such links', async ({
  page,
  portal,
}) => {
  await openDocuments(page, PEOPLE.ana);
  const id = String(await page.locator('#document-list input[name=id]').first().getAttribute('value'));
  const shown = page.getByRole('heading', { name: 'Document you opened from a link' });
  expect(await targetOf(page, `documents/${id}`)).toMatch(
    new RegExp(`^documents/${id}/view\\?client=client_\\w+$`),
  );
  await expect(page.getByRole('link', { name: 'Back to documents' })).toBeVisible();

  await setAccess(portal, PEOPLE.ana, ['control', 'Revert2OldPreview', 1]);
  expect(await targetOf(page, `documents/${id}`)).toMatch(
    new RegExp(`^documents\\?client=client_\\w+&document=${id}$`),
  );
  expect(await targetOf(page, `documents/${id}/view`)).toMatch(
    new RegExp(`^documents\\?client=client_\\w+&document=${id}$`),
  );
  await expect(shown).toBeVisible();
  await expect(
    page
      .getByRole('region', { name: 'Document you opened from a link' })
      .getByRole('link', { name: 'Download' }),
  ).toHaveAttribute('href', new RegExp(`/documents/${id}$`));
  expect((await page.request.get('documents?document=doc_unknown')).status()).toBe(404);

  await setAccess(portal, PEOPLE.ana, ['control', 'DocumentDeepLink', 0]);
  expect(await targetOf(page, `documents/${id}`)).toBe('documents');
  await page.goto(`documents?document=${id}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Documents' })).toBeVisible();
  await expect(shown).toHaveCount(0);
  await setAccess(portal, PEOPLE.ana);
});

test('on a narrow screen the tabs become a menu that works without scripts; the tasks page keeps the tabs unless the old task list is on', async ({
  browser,
  portal,
  baseURL,
}) => {
  const phone = await browser.newContext({
    viewport: { width: 700, height: 740 },
    javaScriptEnabled: false,
    ...(baseURL && { baseURL }),
  });
  const page = await phone.newPage();
  await openDocuments(page, PEOPLE.ana);
  const menu = page.locator('.side-menu');
  expect(await tabs(page)).toEqual([]);
  await menu.locator('summary').click();
  await expect(menu.getByRole('link')).toHaveText(['Home', 'Tasks', 'Documents', 'Actions', 'Shared']);
  await menu.getByRole('link', { name: 'Tasks' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Tasks' })).toBeVisible();
  await expect(menu).toHaveCount(0);
  expect(await tabs(page)).toEqual(['Home', 'Tasks', 'Documents', 'Actions', 'Shared']);
  await setAccess(portal, PEOPLE.ana, ['control', 'ShowClientCenterNewTaskList', 0]);
  await page.reload();
  await expect(menu.locator('summary')).toBeVisible();
  await setAccess(portal, PEOPLE.ana);
  await phone.close();
});

for (const javaScriptEnabled of [true, false])
  test(`on a phone every page has the same areas at the bottom, with scripts ${javaScriptEnabled ? 'on' : 'off'}`, async ({
    browser,
    baseURL,
  }) => {
    const size = { width: 360, height: 740 };
    const phone = await browser.newContext({
      viewport: size,
      javaScriptEnabled,
      ...(baseURL && { baseURL }),
    });
    const page = await phone.newPage();
    await openDocuments(page, PEOPLE.ana);
    const bar = page.getByRole('navigation', { name: 'Main navigation' });
    for (const [address, current] of [
      ['home', 'Home'],
      ['tasks', 'Tasks'],
      ['documents', 'Documents'],
      ['shares', 'Shared'],
      ['actions', 'Actions'],
      ['profile', undefined],
    ]) {
      await page.goto(String(address));
      expect(await tabs(page)).toEqual(['Home', 'Tasks', 'Documents', 'Actions', 'Shared']);
      await expect(bar.locator('[aria-current]')).toHaveText(current ? [current] : []);
      const box = await bar.boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 0), `at the bottom of ${address}`).toBe(size.height);
    }
    await page.getByRole('contentinfo').getByRole('link').last().click(); // not covered by the bar
    await phone.close();
  });

test('debug flags are available in the browser only with the debug permission', async ({ page, portal }) => {
  const hasDebug = () => page.evaluate(() => 'ccDebug' in window);
  await openDocuments(page, PEOPLE.ana);
  for (const address of ['documents', 'tasks', 'home', 'clients']) {
    await page.goto(address);
    expect([address, await hasDebug()]).toEqual([address, false]);
    expect(await page.content()).not.toContain('ccDebug');
  }
  for (const permission of ['DebugMode', 'Internal']) {
    await setAccess(portal, PEOPLE.ana, ['permission', permission, 1]);
    await page.goto('documents');
    await expect.poll(hasDebug).toBe(true);
  }
  const flags = await page.evaluate(() => {
    const { ccDebug } = window as unknown as {
      ccDebug: { flags: Record<string, boolean>; set: (name: string, value: boolean) => void };
    };
    ccDebug.set('slow', true);
    return ccDebug.flags;
  });
  expect(flags).toEqual({ slow: true });
  await setAccess(portal, PEOPLE.ana);
  await page.goto('documents');
  expect(await hasDebug()).toBe(false);
});

test("a company/ link selects one of the person's own clients and no other", async ({ page, portal }) => {
  await openDocuments(page, PEOPLE.ana);
  const active = async () => (await page.context().cookies()).find(({ name }) => name === 'client')?.value;
  const { company } = await idsOf(portal, PEOPLE.ana);
  const own = (
    await portal.sql(`select client_id from clients where company_id = '${company}' order by name_key`)
  ).map((row) => String(row['client_id']));
  const [foreign] = await portal.sql(
    `select client_id from clients where company_id != '${company}' limit 1`,
  );
  expect(await targetOf(page, `company/${own[1]}`)).toBe('home');
  expect(await active()).toBe(own[1]);
  for (const [id, place] of [
    [String(foreign?.['client_id']), 'not-authorized?because=account'],
    ['client_0', 'not-authorized?because=account'],
    [company, 'home'],
  ]) {
    expect(await targetOf(page, `company/${id}`)).toBe(place);
    expect([id, await active()]).toEqual([id, own[1]]);
  }
  expect((await page.request.get('company/letters-only')).status()).toBe(404);
});

test('another firm in the path, the query, a cookie or a header changes nothing on a page', async ({
  page,
  portal,
}) => {
  await openDocuments(page, PEOPLE.ana);
  const { company: other, contact } = await idsOf(portal, PEOPLE.olivia);
  const plain = async (address: string, headers: Record<string, string> = {}): Promise<string> => {
    const answer = await page.request.get(address, { headers });
    return `${answer.status()} ${(await answer.text())
      .replaceAll(/SessionExpiresDateTime[^Z]*Z/g, '')
      .replaceAll(/name="request-key" value="[^"]*"/g, '')
      .replaceAll(/\?(?:r|companyId)=[^"]*/g, '')}`;
  };
  const cookies = (await page.context().cookies())
    .filter(({ name }) => ['sid', 'styles'].includes(name))
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');
  for (const address of [
    'home',
    'tasks',
    'actions',
    'actions/service-request/vacation-notice',
    'documents',
    'mobile',
  ]) {
    const own = await plain(address);
    expect(own.startsWith('200 ')).toBe(true);
    expect(own).not.toContain('Maple & Hart');
    expect(
      await plain(`${address}?companyId=${other}&contactId=${contact}&EmulateePrismGuid=${contact}`),
      address,
    ).toBe(own);
    expect(
      await plain(address, {
        'x-company-id': other,
        'x-contact-id': contact,
        authorization: `Bearer ${contact}`,
      }),
      address,
    ).toBe(own);
    expect(
      await plain(address, {
        cookie: `${cookies}; theme=${other}; companyId=${other}; EmulateePrismGuid=${contact}`,
      }),
      address,
    ).toBe(own);
  }
});

test('a deep link with a hostile redirect target never leaves the portal', async ({ page, portal }) => {
  const { hostile } = JSON.parse(
    readFileSync(path.join(import.meta.dirname, '../tests/corpora/redirects.json'), 'utf8'),
  ) as { hostile: { target: string }[] };
  await openDocuments(page, PEOPLE.olivia);
  // Longer addresses are refused before they get here; tests/deep-links.test.ts covers those targets.
  for (const { target } of hostile.filter((one) => one.target.length < 2000)) {
    const r = target.replaceAll('ORIGIN', portal.origin).replaceAll('HOST', new URL(portal.origin).host);
    const answer = await page.request.get(`.well-known/open?r=${encodeURIComponent(r)}`, { maxRedirects: 0 });
    const location = new URL(answer.headers()['location'] ?? 'https://missing.example', portal.origin);
    expect([target, answer.status(), location.origin]).toEqual([target, 303, portal.origin]);
  }
  expect(await targetOf(page, '.well-known/documents')).toBe('documents');
  expect((await page.request.get('.well-known/none')).status()).toBe(404);
});

test('the start page of the mobile app redirects to documents outside the app', async ({ page }) => {
  await openDocuments(page, PEOPLE.olivia);
  await page.goto('mobile');
  await expect(page).toHaveURL(/\/documents$/);
  await page.evaluate(() => sessionStorage.setItem('ccMobile', 'true'));
  await page.goto('mobile');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Client portal app');
});

test('staff who manage the firm see why a contact cannot see something, and change it', async ({
  page,
  browser,
  baseURL,
  portal,
}) => {
  const contacts = await browser.newContext(baseURL ? { baseURL } : {});
  const ana = await contacts.newPage();
  await openDocuments(ana, PEOPLE.ana);
  expect(await targetOf(ana, 'staff/access')).toBe('not-authorized?because=staff');
  await expect(ana.getByText('This page is only for Contábil Aurora’s team.')).toBeVisible();

  await enter(page, PEOPLE.lima, 'staff/access');
  await page.getByRole('searchbox', { name: 'Contact' }).fill('olivia');
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(page.getByText('No one at the firm matches.'), 'she belongs to another firm').toBeVisible();
  const { contact: olivia } = await idsOf(portal, PEOPLE.olivia);
  expect((await page.request.get(`staff/access?contact=${olivia}`)).status()).toBe(404);

  await page.getByRole('searchbox', { name: 'Contact' }).fill('ana');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('link', { name: 'Ana Souza' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'Tasks: Visible' })).toBeVisible();
  const row = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByTitle(name, { exact: true }) });
  await expect(row('HideTasks')).toContainText('Shown by default');
  await page.getByRole('button', { name: 'Hide Tasks', exact: true }).click();
  await expect(page.getByText('“Tasks” saved.')).toBeVisible();
  await expect(page, 'the list stays where it was').toHaveURL(/#access-areas$/);
  await expect(page.getByText('Tasks: Hidden – turned off below')).toBeVisible();
  await expect(row('HideTasks')).toContainText('Hidden for this person');
  expect(await targetOf(ana, 'tasks')).toBe('documents');
  await page.getByRole('button', { name: 'Use default Tasks', exact: true }).click();
  await expect(page.getByText('Tasks: Visible')).toBeVisible();
  expect(await targetOf(ana, 'tasks')).toBe('tasks');

  for (const name of ['ForceDataRoom', 'BoxE', 'ManageFirm'])
    await expect(row(name), 'what has no effect is not listed').toHaveCount(0);
  const labels = await page.locator('main').innerText();
  expect(labels).not.toMatch(/Hide[A-Z]|Vnext|OldPreview|effect|[a-z]-[a-z]+\/|[a-z]+\/[a-z]+-/);
  await page.getByRole('button', { name: 'Hide Register an employee' }).click();
  await expect(page.getByText('Register an employee: Hidden')).toBeVisible();
  await page.getByRole('button', { name: 'Use default Register an employee' }).click();
  await expect(page.getByText('Register an employee: Hidden')).toHaveCount(0);

  const { contact } = await idsOf(portal, PEOPLE.ana);
  const forge = (decision: string) =>
    page.request.post(`staff/access?contact=${contact}`, {
      form: { decision },
      headers: { Origin: portal.origin },
      maxRedirects: 0,
    });
  const rights = await forge('permission ManageFirm granted');
  expect([rights.status(), rights.headers()['location']]).toEqual([
    303,
    '/clientcenter/en-us/not-authorized',
  ]);
  for (const nonsense of [
    '',
    'control Unknown granted',
    'control HideTasks perhaps',
    'flag __proto__ granted',
  ])
    expect((await forge(nonsense)).status()).toBe(422);
  expect(await portal.sql(`select name from access_settings where contact_id = '${contact}'`)).toEqual([]);
  await contacts.close();
});

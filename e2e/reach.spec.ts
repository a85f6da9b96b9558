import type { Page } from 'playwright/test';
import { denialReason, PAGES } from '../src/routes.ts';
import type { Session } from '../src/features/base/people/people.ts';
import { EXAMPLES } from './examples/all.ts';
import { patternOf } from './support/every-page.ts';
import { linkInMailbox } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/*
 * Every page that a person may open is reached by links and forms from the page where they begin: a page that no other
 * page links is found by nobody. Forms are filled in where they search; what they post is not sent, so what a form makes
 * is reached where its form is (`MADE`).
 */

const PASSWORD = 'nine green kettles sing';
const PREFIX = '/[base]/[lang]';
const at = (path: string): string => `${PREFIX}/${path}`;

/** What the example of each page says of it, if it does. */
const saidBy = (what: 'madeOn' | 'reachedFrom'): Record<string, string> =>
  Object.fromEntries(
    Object.entries(EXAMPLES).flatMap(([page, example]) => {
      const said = example[what];
      return said === undefined ? [] : [[page, said]];
    }),
  );

/** Pages of what a form of another page makes, which lists or the form itself lead to once it exists. */
const MADE: Readonly<Record<string, string>> = {
  ...saidBy('madeOn'),
  [at('help/report/[code]')]: at('help/report'),
  [at('staff/issues/[code]')]: at('help/report'),
  [at('staff/news/[newsId]')]: at('staff/news/new'),
  [at('staff/news/[newsId]/edit')]: at('staff/news/new'),
  [at('actions/box-e/[action]/[month]')]: at('actions'),
  [at('actions/box-e/documents/[documentId]')]: at('actions'),
  [at('actions/box-e/intakes/[intakeId]')]: at('actions'),
  [at('staff/publish/[batchId]')]: at('staff/publish'),
  [at('staff/imports/[importId]')]: at('staff/imports'),
  [at('staff/imports/[importId]/problems.csv')]: at('staff/imports'),
  [at('staff/tasks/batches/[batchId]')]: at('staff/tasks'),
  [at('staff/tasks/templates/[templateId]/edit')]: at('staff/tasks/templates/new'),
  [at('staff/access-review/[reviewId]')]: at('staff/access-review'),
  [at('staff/access-review/[reviewId]/review.csv')]: at('staff/access-review'),
  [at('staff/people/invite/[id]')]: at('staff/people/invite'),
  [at('documents/[documentId]/comments')]: at('documents'), // its button for one document
};

/** Pages that no page links, and where people come from instead. */
const FROM_ELSEWHERE: Readonly<Record<string, string>> = {
  ...saidBy('reachedFrom'),
  [at('practice')]: 'the bar of a practice firm',
  [at('documents/[documentId]')]: 'links in emails, which open the document',
  [at('tasks/[taskId]')]: 'links in emails, which do not name the client',
  [at('tax-calendar')]: 'the home page, where the firm keeps tax dates of the person’s companies',
  [at('staff/clients/[id]/employees')]: 'a client with a CNPJ or a CPF',
  [at('staff/clients/[id]/employees/new')]: 'the employees of a client with a CNPJ or a CPF',
  [at('staff/clients/[id]/employees/[employeeId]')]: 'the employees of a client with a CNPJ or a CPF',
  [at('staff/clients/[id]/establishments')]: 'a client with a CNPJ or a CPF',
  [at('staff/clients/[id]/clearance-certificates')]: 'a client with a CNPJ or a CPF',
  [at('staff/clients/[id]/clearance-certificates/[agencyId]')]:
    'the certificates of a client, where the firm follows an agency',
  [at('staff/clients/[id]/clearance-certificates/passports')]: 'the certificates of a client with a CNPJ',
  [at('staff/clearance-certificates')]: 'the navigation of firms with clients in Brazil',
  [at('staff/clearance-certificates/upload')]: 'the certificates of all clients',
  [at('staff/clients/[id]/digital-certificate')]:
    'a client with a CNPJ, where the portal has a tax authority',
  [at('actions/nfe-manifest/digital-certificate')]:
    'the invoices to manifest, where the portal has a tax authority',
  [at('home/cnd/[clientId]')]: 'the home page, where the firm follows an agency',
  [at('home/cnd/[clientId]/passports')]: 'the certificates of a company',
  [at('staff/tasks/seal-waits')]: 'the inbox, while a signature waits for a timestamp',
  [at('company/[companyId]')]: 'links in emails, which name the firm',
  [at('account-switch')]: 'people with several firms only, whose menu links it',
  [at('mobile')]: 'the app',
  [at('mobile/actions/[...action]')]: 'the app',
  [at('.well-known/[link]')]: 'other programs, such as password managers',
  [at('actions/not-authorized')]: 'the address of an action that is hidden from the person',
  [at('actions/[section]/[action]')]: 'the list of actions, where the firm has any for the person',
  [at('actions/service-request/requests')]: 'the list of actions, where the firm has any for the person',
  [at('actions/service-request/requests/[requestId]')]: 'the list of requests, where there is one',
  [at('staff/service-requests')]: 'the navigation, where the firm takes service requests',
  [at('staff/holidays')]: 'the settings of service requests, for those who manage the firm',
  [at('staff/service-requests/settings')]: 'the service requests, for those who manage the firm',
  [at('staff/service-requests/[requestId]')]: 'the list of requests, where there is one',
  [at('staff/service-requests/batches/[batchId]')]: 'the service requests, where some are selected',
  [at('actions/service-request/payroll-sheets/[sheetId]')]: 'the action, where the firm has published a list',
  [at('actions/service-request/payroll-sheets/[sheetId]/send')]: 'the sheet, where something is filled in',
  [at('actions/service-request/payroll-sheets/[sheetId]/paste')]: 'the sheet, while it can be filled in',
  [at('staff/payroll-entries')]: 'the navigation, where the firm takes service requests',
  [at('staff/payroll-entries/lists')]: 'the payroll entries, for those who manage the firm',
  [at('staff/payroll-entries/lists/new')]: 'the lists of payroll entries, for those who manage the firm',
  [at('staff/payroll-entries/lists/[listId]')]: 'the lists of payroll entries, where there is one',
  [at('staff/payroll-entries/sheets/[sheetId]')]: 'the payroll entries, where there is one',
  [at('actions/service-request/employees')]: 'the list of actions, where the firm has any for the person',
  [at('actions/service-request/employees/[employeeId]')]: 'the list of employees, where there is one',
  [at('actions/service-request/establishments')]:
    'the list of actions, where the firm has any for the person',
  [at('actions/service-request/mocks/vacation')]: 'the simulations, where the firm has any for the person',
  [at('actions/service-request/mocks/termination')]: 'the simulations, where the firm has any for the person',
  [at('actions/box-e/[action]')]: 'the list of actions, where the firm has any for the person',
  [at('actions/br-reports/stored-documents')]: 'the list of actions, where the firm has any for the person',
  [at('actions/br-reports/payroll-entries')]: 'the list of actions, where the firm has any for the person',
  [at('actions/br-reports/payroll-registrations')]:
    'the list of actions, where the firm has any for the person',
  [at('actions/br-reports/stored-documents-report')]:
    'the list of actions, where the firm has any for the person',
  [at('staff/fiscal-documents')]: 'the navigation, where the firm has fiscal documents',
  [at('staff/fiscal-documents/stored-files')]: 'the fiscal documents that were set aside',
  [at('staff/fiscal-documents/[setAsideId]')]: 'the fiscal documents that were set aside',
  [at('help/chat')]: 'a report that was sent, where the operator has a chat',
  [at('terms-and-conditions')]: 'the guard, when there are new terms',
  [at('kept-form')]: 'the sign-in, after a form was sent without a session',
  [at('auth/confirm')]: 'acts that ask who one is',
  [at('announcement')]: 'the script that closes an announcement',
  [at('partials/documents')]: 'the script of the list',
  [at('notifications/[id]')]: 'the notifications, for who has one',
  [at('partials/bell')]: 'the script of the bell',
  [at('partials/download')]: 'the script of downloads',
  [at('partials/search')]: 'the script of the search field',
  [at('staff/view-as/end')]: 'the bar of who views as somebody',
  [at('staff/view-as/read-only')]: 'a form sent while viewing as somebody',
  [at('staff/contacts')]: 'an old address, which leads to the people',
  [at('staff/invitations')]: 'an old address, which leads to the people',
};

/** Runs in the page. Follows links and forms from a page, a few of each kind, and returns the paths that it found. */
async function crawl(start: string): Promise<string[]> {
  const SAME = 2;
  const OF_PATH = 12;
  const AT_ONCE = 4;
  const language = new URL(start).pathname.split('/', 3).join('/');
  const seen = new Map<string, number>();
  const visited = new Set<string>();
  const paths = new Set<string>();
  const queue = [start];
  /** Addresses of one kind: with the ids in the path and the values in the query left out. */
  const kindOf = ({ pathname, searchParams }: URL): string =>
    [
      pathname.replaceAll(/\/[^/]*\d[^/]*(?=\/|$)/g, '/*'),
      ...[...searchParams]
        .map(([name, value]) => (/[_\d]/.test(value) ? name : `${name}=${value}`))
        .toSorted(),
    ].join(' ');
  const note = (address: string): void => {
    const url = new URL(address, location.href);
    if (url.origin !== location.origin || !url.pathname.startsWith(`${language}/`)) return;
    paths.add(url.pathname);
    if (/\/(?:logout|leaving|language|view-as\/end)$|\/(?:mailbox|kit)\b/.test(url.pathname)) return;
    url.hash = '';
    if (visited.has(url.href)) return;
    visited.add(url.href);
    const [path = ''] = kindOf(url).split(' ');
    const counts = [seen.get(kindOf(url)) ?? 0, seen.get(path) ?? 0] as const;
    if (counts[0] >= SAME || counts[1] >= OF_PATH) return;
    seen.set(kindOf(url), counts[0] + 1);
    if (path !== kindOf(url)) seen.set(path, counts[1] + 1);
    queue.push(url.href);
  };
  const followForm = (form: HTMLFormElement, base: string): void => {
    const buttons = [...form.elements].filter((control) => control instanceof HTMLButtonElement);
    const targets = buttons.map((button) => ({
      to: button.getAttribute('formaction') ?? form.getAttribute('action') ?? base,
      method: button.getAttribute('formmethod') ?? form.getAttribute('method') ?? 'get',
    }));
    for (const { to, method } of targets) {
      const url = new URL(to, base);
      if (method.toLowerCase() === 'post') {
        paths.add(url.pathname);
        continue;
      }
      for (const field of form.querySelectorAll('input')) {
        if (field.type === 'search') field.value = 'a';
        if (field.name === 'id' && field.type === 'checkbox') field.checked = true;
      }
      url.search = new URLSearchParams(
        [...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : '']),
      ).toString();
      note(url.href);
    }
  };
  const visit = async (address: string): Promise<void> => {
    const answer = await fetch(address).catch(() => undefined);
    if (!answer?.headers.get('content-type')?.startsWith('text/html')) return;
    paths.add(new URL(answer.url).pathname);
    // the policy of this page would report the styles of the other
    const markup = (await answer.text()).replaceAll(/<style[^]*?<\/style>/g, '');
    const page = new DOMParser().parseFromString(markup, 'text/html');
    const isHelp = new URL(answer.url).pathname.startsWith(`${language}/help`);
    for (const link of page.querySelectorAll('a[href]')) {
      const to = new URL(link.getAttribute('href') ?? '', answer.url);
      // who looks for a page does not find it by reading the help
      if (!isHelp || to.pathname.startsWith(`${language}/help`)) note(to.href);
    }
    for (const form of page.querySelectorAll('form')) followForm(form, answer.url);
  };
  while (queue.length > 0) await Promise.all(queue.splice(0, AT_ONCE).map(visit));
  return [...paths];
}

/** The pages that the person who is signed in may open, apart from those for everybody. */
async function allowedPages(page: Page): Promise<string[]> {
  const { permissions, parts, isStaff } = await page.evaluate(async () => {
    const template = document.querySelector<HTMLElement>('#session-info');
    const { bindings } = JSON.parse(template?.dataset['session'] ?? '{}') as {
      bindings: { FeatureResourcePermissions: Record<string, boolean> };
    };
    const { FeatureResourcePermissions: all } = bindings;
    const opened: string[] = [];
    for (const [part, path] of [
      ['dashboards', 'home'],
      ['tasks', 'tasks'],
      ['actions', 'actions'],
    ]) {
      const { url, ok } = await fetch(`/clientcenter/en-us/${path}`);
      if (ok && new URL(url).pathname === `/clientcenter/en-us/${path}`) opened.push(part ?? '');
    }
    return {
      permissions: Object.keys(all).filter((name) => all[name]),
      parts: opened,
      isStaff: all['DefaultStaff'] === true,
    };
  });
  const access = { permissions: new Set(permissions) };
  const session = { actor: { staff: isStaff, access } } as unknown as Session;
  return Object.entries(PAGES)
    .filter(([, guard]) => guard.who !== 'visitor' && guard.who !== 'demo')
    .filter(([, { part, ...guard }]) => {
      const denial = denialReason(guard, session, { method: 'GET', isDemo: true });
      return denial === undefined && (part === undefined || parts.includes(part));
    })
    .map(([pattern]) => pattern);
}

/** Expects that the person reaches every page that they may open. */
async function expectAllReached(page: Page, except: readonly string[] = []): Promise<void> {
  const allowed = (await allowedPages(page)).filter((pattern) => !except.includes(pattern));
  const reached = new Set((await page.evaluate(crawl, page.url())).map(patternOf));
  const missing = allowed.filter(
    (pattern) => !reached.has(pattern) && !(pattern in FROM_ELSEWHERE) && !reached.has(MADE[pattern] ?? ''),
  );
  expect(missing, 'No page links these. Link them, or say in FROM_ELSEWHERE where people come from.').toEqual(
    [],
  );
}

for (const [who, email] of [
  ['a contact with one company', PEOPLE.olivia],
  ['a contact with several companies', PEOPLE.marcus],
  ['a contact in Brazil', PEOPLE.ana],
  ['an owner', PEOPLE.eleanor],
  ['an owner in Brazil', PEOPLE.lima],
] as const)
  test(`${who} reaches every page that they may open by links from where they begin`, async ({ page }) => {
    test.setTimeout(300_000);
    await enter(page, email, '');
    // with one company there is nothing to choose
    await expectAllReached(page, email === PEOPLE.olivia ? [at('clients')] : []);
  });

for (const [role, scope, who] of [
  ['Manager', 'All clients', 'a manager'],
  ['Member', 'Only assigned clients', 'a member of the team with assigned clients'],
  ['Read-only', 'All clients', 'a member of the team who only reads'],
] as const)
  test(`${who} reaches every page that they may open by links from the inbox`, async ({ page, portal }) => {
    test.setTimeout(300_000);
    const email = `${role.toLowerCase()}@reach.example`;
    await enter(page, PEOPLE.eleanor, 'staff/people/new');
    await page.getByLabel('First name').fill(role);
    await page.getByLabel('Last name').fill('Reach');
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Role').selectOption({ label: role });
    await page.getByLabel(scope).check();
    if (scope === 'Only assigned clients') {
      // one with news in the inbox, one with an email
      const rows = await portal.sql(
        "select code from clients where name in ('Juniper Street Bakery LLC', 'Ashland Bakery LLC')",
      );
      await page
        .getByRole('combobox', { name: /^Client numbers/ })
        .fill(rows.map(({ code }) => code).join(' '));
    }
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page).not.toHaveURL(/new$/);
    const { link } = await linkInMailbox(page, 'invited you', 1, email);
    await page.context().clearCookies();
    await page.goto(link);
    await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create password and continue' }).click();
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(/staff/);
    await expectAllReached(page, []);
  });

import type { Page } from 'playwright/test';
import { LIST, PLAIN, type PageExamples } from './page-example.ts';

/** Home, tasks and actions, for a contact who has every area. */
export const areaPages: PageExamples = {
  '/[base]/[lang]/home': {
    budget: LIST,
    states: [
      ['home', 'home'],
      ['the side menu', 'home', openSideMenu],
    ],
  },
  '/[base]/[lang]/tasks': {
    budget: LIST,
    states: [
      ['tasks', 'tasks'],
      ['tasks of all clients', 'tasks?of=all'],
      ['tasks that are complete', 'tasks?show=done'],
      ['a deep link', '.well-known/tasks'],
    ],
  },
  '/[base]/[lang]/tasks/[taskId]': {
    budget: LIST,
    noMarkup: 'redirects to the page of the task: e2e/mobile-bridge.spec.ts',
  },
  '/[base]/[lang]/tasks/clients/[clientId]/task/[taskId]': {
    budget: LIST,
    states: [
      ['a task', firstTask],
      ['a task, the summary', firstTask, openSummary],
      ['an invoice', firstInvoice],
    ],
  },
  '/[base]/[lang]/tasks/clients/[clientId]/task/[taskId]/ask': {
    budget: LIST,
    states: [['asking someone else about a task', askOthers]],
  },
  '/[base]/[lang]/tasks/clients/[clientId]/task/[taskId]/phone': {
    budget: LIST,
    states: [
      ['a phone for a task', phoneOfTask],
      ['a phone for a task, with its code', phoneOfTask, showCode],
    ],
  },
  '/[base]/[lang]/actions': {
    budget: LIST,
    states: [
      ['actions', 'actions'],
      ['an action that is no longer available', 'actions?closed=service-request/mocks'],
    ],
  },
  '/[base]/[lang]/actions/[section]/[action]': {
    budget: LIST,
    states: [
      ['an action', 'actions/service-request/vacation-notice'],
      ['an action without a feature', 'actions/box-e/nfe-storage'],
      ['an action that is not available', 'actions/service-request/mocks'],
    ],
  },
  '/[base]/[lang]/actions/not-authorized': {
    budget: LIST,
    states: [['actions, not authorized', 'actions/not-authorized']],
  },
  '/[base]/[lang]/mobile/actions/[...action]': {
    budget: LIST,
    states: [['an action in the mobile app', 'mobile/actions/service-request/vacation-notice']],
  },
  '/[base]/[lang]/mobile': {
    budget: PLAIN,
    states: [['the start page of the mobile app', 'documents', startMobileApp]],
  },
  '/[base]/[lang]/.well-known/[link]': {
    budget: LIST,
    noMarkup: 'redirects to the page of the link: e2e/access.spec.ts',
  },
  '/[base]/[lang]/company/[companyId]': {
    budget: LIST,
    noMarkup: 'redirects to the start page: e2e/access.spec.ts',
  },
};

async function openSideMenu(page: Page): Promise<void> {
  const menu = page.locator('.side-menu summary');
  if (await menu.isVisible()) await menu.click();
}

async function startMobileApp(page: Page): Promise<void> {
  await page.evaluate(() => sessionStorage.setItem('ccMobile', 'true'));
  await page.goto('mobile');
}

async function firstTask(page: Page): Promise<string> {
  await page.goto('tasks?of=all');
  const href = await page.locator('main a[href*="/task/"]').first().getAttribute('href');
  return href ?? '';
}

async function askOthers(page: Page): Promise<string> {
  await page.goto(await firstTask(page));
  return (await page.locator('a[href*="/ask"]').first().getAttribute('href')) ?? '';
}

async function phoneOfTask(page: Page): Promise<string> {
  await page.goto(await firstTask(page));
  return (await page.locator('a[href*="/phone"]').first().getAttribute('href')) ?? '';
}

async function showCode(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show code' }).click();
  await page.getByRole('img', { name: 'QR code with the link for your phone' }).waitFor();
}

async function openSummary(page: Page): Promise<void> {
  await page.goto(`${page.url()}${page.url().includes('?') ? '&' : '?'}step=check`);
  await page.getByRole('heading', { name: 'Review and submit' }).waitFor();
}

async function firstInvoice(page: Page): Promise<string> {
  await page.goto('tasks?of=all');
  const link = page.locator('main a[href*="/task/"]').filter({ hasText: /invoice|fatura/i });
  return (await link.first().getAttribute('href')) ?? '';
}

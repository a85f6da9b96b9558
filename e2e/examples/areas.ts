import type { Page } from 'playwright/test';
import { GRID, LIST, PLAIN, type PageExamples, type Walk } from './page-example.ts';
import { submitEmpty } from './steps.ts';

/** Home, tasks and actions, for a contact who has every area. */
const areaPages: PageExamples = {
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
      ['an action that is no longer available', 'actions?closed=br-reports/stored-documents'],
    ],
  },
  '/[base]/[lang]/actions/[section]/[action]': {
    budget: LIST,
    states: [
      ['an action', 'actions/service-request/vacation-notice'],
      ['an action that is not available', 'actions/br-reports/stored-documents'],
      ['simulations', 'actions/service-request/mocks'],
    ],
  },
  '/[base]/[lang]/home/cnd/[clientId]': {
    budget: LIST,
    states: [
      ['certificates of the company', certificatesOf('Padaria Sol Nascente Ltda')],
      [
        'certificates of the company, the history',
        certificatesOf('Padaria Sol Nascente Ltda', '?agency=fgts'),
      ],
      ['certificates of the company, none', certificatesOf('Café da Serra ME')],
    ],
  },
  '/[base]/[lang]/home/cnd/[clientId]/passports': {
    budget: LIST,
    states: [
      ['links to certificates', certificatesOf('Padaria Sol Nascente Ltda', '/passports')],
      [
        'a link to certificates, errors',
        certificatesOf('Padaria Sol Nascente Ltda', '/passports'),
        (page) => submitEmpty(page, 'last'),
      ],
      ['links to certificates, none', certificatesOf('Café da Serra ME', '/passports')],
    ],
  },
  '/[base]/[lang]/actions/box-e/[action]': {
    budget: GRID,
    states: [
      ['an archive of fiscal documents', ofBakery('actions/box-e/nfe-storage')],
      ['an archive of fiscal documents, none', ofBakery('actions/box-e/cfe-storage')],
    ],
  },
  '/[base]/[lang]/actions/box-e/[action]/[month]': {
    budget: LIST,
    states: [
      ['a month of fiscal documents', ofBakery('actions/box-e/nfce-storage/2026-11')],
      ['a month without fiscal documents', ofBakery('actions/box-e/nfe-storage/2020-01')],
    ],
  },
  '/[base]/[lang]/actions/box-e/documents/[documentId]': {
    budget: LIST,
    states: [
      ['a stored fiscal document', ofBakery('actions/box-e/nfe-storage'), openFiscalDocument],
      [
        'a stored fiscal document, cancelled',
        ofBakery('actions/box-e/nfe-storage?state=cancelled'),
        openFiscalDocument,
      ],
    ],
  },
  '/[base]/[lang]/actions/box-e/intakes/[intakeId]': {
    budget: LIST,
    states: [['what became of fiscal documents', ofBakery('actions/box-e/xml-storage'), sendFiscalDocuments]],
  },
  '/[base]/[lang]/actions/br-reports/stored-documents': {
    budget: GRID,
    states: [
      ['the report on documents', ofBakery('actions/br-reports/stored-documents')],
      [
        'the report on documents, none found',
        ofBakery('actions/br-reports/stored-documents?searchTerm=zzzz'),
      ],
    ],
  },
  '/[base]/[lang]/actions/br-reports/payroll-entries': {
    budget: GRID,
    states: [
      ['the report on payroll entries', ofBakery('actions/br-reports/payroll-entries')],
      [
        'the report on payroll entries, none found',
        ofBakery('actions/br-reports/payroll-entries?searchTerm=zzzz'),
      ],
    ],
  },
  '/[base]/[lang]/actions/br-reports/payroll-registrations': {
    budget: GRID,
    states: [
      ['the report on registrations', ofBakery('actions/br-reports/payroll-registrations')],
      [
        'the report on registrations, none found',
        ofBakery('actions/br-reports/payroll-registrations?deadline=missed'),
      ],
    ],
  },
  '/[base]/[lang]/actions/br-reports/stored-documents-report': {
    budget: GRID,
    states: [
      ['the report on fiscal documents', ofBakery('actions/br-reports/stored-documents-report')],
      [
        'the report on fiscal documents, none found',
        ofBakery('actions/br-reports/stored-documents-report?searchTerm=zzzz'),
      ],
    ],
  },
  '/[base]/[lang]/actions/service-request/requests': {
    budget: LIST,
    states: [
      ['service requests of the company', ofBakery('actions/service-request/requests')],
      ['service requests, none in a category', ofBakery('actions/service-request/requests?category=intern')],
    ],
  },
  '/[base]/[lang]/actions/service-request/requests/[requestId]': {
    budget: LIST,
    states: [
      ['a service request, begun', ofBakery('actions/service-request/vacation-notice'), beginRequest],
      [
        'a service request to be corrected',
        ofBakery('actions/service-request/requests?category=waitingForCorrection'),
        openRequest,
      ],
      [
        'a service request with a question',
        ofBakery('actions/service-request/requests?category=waitingForClient'),
        openRequest,
      ],
      [
        'a service request that was replied to',
        ofBakery('actions/service-request/requests?category=replied'),
        openRequest,
      ],
    ],
  },
  '/[base]/[lang]/actions/nfe-manifest/invoice-processing': {
    budget: GRID,
    reachedFrom: 'the list of actions, where the firm has any for the person',
    states: [
      ['invoices to manifest', ofBakery('actions/nfe-manifest/invoice-processing')],
      [
        'invoices to manifest, none found',
        ofBakery('actions/nfe-manifest/invoice-processing?searchTerm=zzzz'),
      ],
    ],
  },
  '/[base]/[lang]/actions/nfe-manifest/invoices/[invoiceId]': {
    budget: LIST,
    madeOn: '/[base]/[lang]/actions',
    states: [
      ['an invoice to manifest', ofBakery('actions/nfe-manifest/invoice-processing'), openInvoice],
      [
        'an invoice to manifest, errors',
        ofBakery('actions/nfe-manifest/invoice-processing'),
        async (page) => {
          await openInvoice(page);
          await page.locator('#mark button:not([type=button])').last().click();
          await page.locator('main [role=alert]').first().waitFor();
        },
      ],
    ],
  },
  '/[base]/[lang]/actions/nfe-manifest/digital-certificate': {
    budget: LIST,
    states: [
      ['the digital certificate of a company', ofBakery('actions/nfe-manifest/digital-certificate')],
      [
        'the digital certificate of a company, errors',
        ofBakery('actions/nfe-manifest/digital-certificate'),
        (page) => submitEmpty(page, 'last'),
      ],
    ],
  },
  '/[base]/[lang]/actions/service-request/payroll-sheets/[sheetId]': {
    budget: LIST,
    states: [
      ['a payroll sheet', sheetOfBakery('first')],
      ['a payroll sheet with an error', sheetOfBakery('first'), saveWrongHours],
      ['a payroll sheet that is closed', sheetOfBakery('last')],
    ],
  },
  '/[base]/[lang]/actions/service-request/payroll-sheets/[sheetId]/send': {
    budget: LIST,
    states: [['a payroll sheet to send', sheetOfBakery('first', '/send')]],
  },
  '/[base]/[lang]/actions/service-request/payroll-sheets/[sheetId]/paste': {
    budget: LIST,
    states: [
      ['pasting into a payroll sheet', sheetOfBakery('first', '/paste')],
      ['pasting into a payroll sheet, the preview', sheetOfBakery('first', '/paste'), previewPaste],
    ],
  },
  '/[base]/[lang]/actions/service-request/employees': {
    budget: LIST,
    states: [
      ['employees of the company', ofBakery('actions/service-request/employees')],
      ['about an employee', ofBakery('actions/service-request/employees'), openTooltip],
      ['employees, none found', ofBakery('actions/service-request/employees?q=zzzz')],
    ],
  },
  '/[base]/[lang]/actions/service-request/employees/[employeeId]': {
    budget: LIST,
    states: [
      [
        'an employee of the company',
        ofBakery('actions/service-request/employees'),
        (page) => page.getByRole('link', { name: 'Mariana Alves Ferreira' }).click(),
      ],
    ],
  },
  '/[base]/[lang]/actions/service-request/establishments': {
    budget: LIST,
    states: [['establishments of the company', ofBakery('actions/service-request/establishments')]],
  },
  '/[base]/[lang]/actions/service-request/mocks/vacation': {
    budget: LIST,
    states: [
      ['a vacation to estimate', 'actions/service-request/mocks/vacation'],
      ['a vacation to estimate, with errors', 'actions/service-request/mocks/vacation', calculate],
      ['the estimate of a vacation', 'actions/service-request/mocks/vacation', estimateVacation],
    ],
  },
  '/[base]/[lang]/actions/service-request/mocks/termination': {
    budget: LIST,
    states: [
      ['a termination to estimate', 'actions/service-request/mocks/termination'],
      ['a termination to estimate, with errors', 'actions/service-request/mocks/termination', calculate],
      ['the estimate of a termination', 'actions/service-request/mocks/termination', estimateTermination],
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

export const walks: readonly Walk[] = [{ title: 'home, tasks and actions', person: 'ana', pages: areaPages }];

/** The page of the client of the demo that has employees and fiscal documents. */
function ofBakery(path: string): (page: Page) => Promise<string> {
  return async (page) => {
    await page.goto('actions');
    const other = page.locator('button[name=client]').filter({ hasText: 'Padaria Sol Nascente Ltda' });
    const id = (await other.count()) > 0 ? await other.first().getAttribute('value') : undefined;
    return id ? `${path}${path.includes('?') ? '&' : '?'}client=${id}` : path; // else it is the active one
  };
}

/** The certificates of a company of the contact; of their first one if they have none of this name. */
function certificatesOf(name: string, query = ''): (page: Page) => Promise<string> {
  return async (page) => {
    await page.goto('clients');
    const all = page.locator('.choices button[name=client]');
    const named = all.filter({ hasText: name });
    const button = (await named.count()) > 0 ? named : all;
    return `home/cnd/${(await button.first().getAttribute('value')) ?? ''}${query}`;
  };
}

async function beginRequest(page: Page): Promise<void> {
  await page.locator('button[name=begin]').click();
  await page.waitForURL(/requests\/request_/);
}

/** A payroll sheet: that of this month, or of last month, which is closed. */
function sheetOfBakery(which: 'first' | 'last', page = ''): (on: Page) => Promise<string> {
  return async (on) => {
    await on.goto(await ofBakery('actions/service-request/payroll-entries')(on));
    const links = on.locator('main tbody th a[href*="payroll-sheets"]');
    const address = new URL((await links[which]().getAttribute('href')) ?? '', on.url());
    return `${address.pathname}${page}${address.search}`;
  };
}

async function saveWrongHours(page: Page): Promise<void> {
  await page.locator('#cells input[name^="c."]').first().fill('7:75');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('main [role=alert]').first().waitFor();
}

async function previewPaste(page: Page): Promise<void> {
  await page.getByLabel('Copied cells').fill('Matrícula\t210\n0001\t123,45\n9999\t1');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.locator('#preview').waitFor();
}

async function openInvoice(page: Page): Promise<void> {
  await page.locator('main tbody th a').first().click();
  await page.waitForURL(/invoices\/manifest_/);
}

async function openRequest(page: Page): Promise<void> {
  await page.locator('main tbody th a').first().click();
  await page.waitForURL(/requests\/request_/);
}

async function openFiscalDocument(page: Page): Promise<void> {
  await page.locator('main tbody th a[href*="box-e/documents"]').first().click();
  await page.locator('.fiscal').first().waitFor();
}

async function sendFiscalDocuments(page: Page): Promise<void> {
  await page.getByLabel('XML or ZIP files').setInputFiles([
    { name: 'pedido.xml', mimeType: 'application/xml', buffer: Buffer.from('<pedido/>') },
    { name: 'nota.xml', mimeType: 'application/xml', buffer: Buffer.from('<nota') },
  ]);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.waitForURL(/box-e\/intakes\//);
}

async function calculate(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Calculate' }).click();
  await page.locator('main [role=alert], .estimate').first().waitFor();
}

/** Fills in a date of three selects. */
async function chooseDate(page: Page, name: string, [year, month, day]: readonly string[]): Promise<void> {
  for (const [part, value = ''] of Object.entries({ year, month, day }))
    await page.locator(`[name="${name}.${part}"]`).selectOption(value);
}

async function estimateVacation(page: Page): Promise<void> {
  await page.getByLabel('Monthly salary').fill('4.200,00');
  await chooseDate(page, 'admission', ['2021', '03', '10']);
  await chooseDate(page, 'parts[0].start', [String(new Date().getUTCFullYear()), '12', '23']);
  await calculate(page);
  await page.locator('.estimate').waitFor();
}

async function estimateTermination(page: Page): Promise<void> {
  await page.getByLabel('Monthly salary').fill('3.500,00');
  await chooseDate(page, 'admission', ['2024', '02', '01']);
  await chooseDate(page, 'lastDay', [String(new Date().getUTCFullYear()), '11', '27']);
  await calculate(page);
  await page.locator('.estimate').waitFor();
}

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

/** Opens what a list says about its first employee. */
async function openTooltip(page: Page): Promise<void> {
  await page.locator('button[popovertarget]').first().click();
}

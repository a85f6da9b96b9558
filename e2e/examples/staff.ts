import type { Page } from 'playwright/test';
import { nameBatch, openFolders, openPageMenu, pdf } from '../support/steps.ts';
import { GRID, LIST, type PageExamples, type Walk } from './page-example.ts';
import { submitEmpty } from './steps.ts';

/** Pages of staff with every permission. */
const openNew = (page: Page): Promise<void> => page.locator('#new > summary').click();

const staffPages: PageExamples = {
  '/[base]/[lang]/staff': {
    budget: LIST,
    noMarkup: 'redirects to the first page of staff: e2e/view-as.spec.ts',
  },
  '/[base]/[lang]/staff/settings': {
    budget: LIST,
    states: [['the settings of the firm', 'staff/settings']],
  },
  '/[base]/[lang]/staff/overview': {
    budget: LIST,
    states: [['the overview', 'staff/overview']],
  },
  '/[base]/[lang]/staff/search': {
    budget: LIST,
    states: [
      ['a search of the firm, nothing typed', 'staff/search'],
      ['a search of the firm', 'staff/search?q=padaria'],
      ['a search of the firm, no results', 'staff/search?q=zzzz'],
      ['a search of the firm, the list', 'staff/search', typeInHeader],
      ['the menu of what can be begun', 'staff/search', openNew],
    ],
  },
  '/[base]/[lang]/profile/shortcuts': {
    budget: LIST,
    states: [
      ['keyboard shortcuts', 'profile/shortcuts'],
      ['keyboard shortcuts, the dialog', 'staff/search', openShortcuts],
    ],
  },
  '/[base]/[lang]/staff/publish': {
    budget: LIST,
    states: [
      ['publish', 'staff/publish'],
      ['publish, a search', 'staff/publish?q=a'],
      ['publish, no results', 'staff/publish?q=zzzz'],
      ['publish to one client', publishToOne],
      ['publish to one client, an error', publishToOne, createWithoutName],
    ],
  },
  '/[base]/[lang]/staff/publish/[batchId]': {
    budget: LIST,
    states: [
      ['a new batch', makeBatch],
      ['a batch with files to settle', makeMatchedBatch],
    ],
  },
  '/[base]/[lang]/staff/tasks': {
    budget: LIST,
    states: [
      ['all tasks', 'staff/tasks'],
      ['all tasks, no results', 'staff/tasks?searchTerm=zzzz'],
    ],
  },
  '/[base]/[lang]/staff/tasks/new': {
    budget: LIST,
    states: [
      ['a new task, its client', 'staff/tasks/new'],
      ['a new task, a search', 'staff/tasks/new?q=a'],
      ['a new task', newTaskFor],
      ['a new task for many', 'staff/tasks/new?for=many'],
      ['a new task for many, errors', 'staff/tasks/new?for=many', submitEmpty],
      ['a new task, errors', newTaskFor, submitEmpty],
    ],
  },
  '/[base]/[lang]/staff/tasks/payment': {
    budget: LIST,
    states: [
      ['a payment request, its client', 'staff/tasks/payment'],
      ['a payment request, a search', 'staff/tasks/payment?q=a'],
      ['a payment request', newPaymentFor],
      ['a payment request, errors', newPaymentFor, submitEmpty],
    ],
  },
  '/[base]/[lang]/staff/payments': {
    budget: LIST,
    states: [['how clients pay', 'staff/payments']],
  },
  '/[base]/[lang]/staff/tasks/sign': {
    budget: LIST,
    states: [
      ['signatures, the client', 'staff/tasks/sign'],
      ['signatures, the signers', newRequestFor],
      ['signatures, errors', newRequestFor, submitEmpty],
    ],
  },
  '/[base]/[lang]/staff/tasks/seal-waits': {
    budget: LIST,
    states: [['documents that wait for a timestamp', 'staff/tasks/seal-waits']],
  },
  '/[base]/[lang]/staff/tasks/review': {
    budget: LIST,
    states: [
      ['a review of documents, its client', 'staff/tasks/review'],
      ['a review of documents', newReviewFor],
      ['a review of documents, errors', newReviewFor, submitEmpty],
    ],
  },
  '/[base]/[lang]/staff/tasks/[taskId]': {
    budget: LIST,
    states: [
      ['a task of a client', firstTask],
      ['an invoice', firstInvoice],
    ],
  },
  '/[base]/[lang]/staff/tasks/batches/[batchId]': {
    budget: LIST,
    states: [['tasks for many clients, before they are created', 'staff/tasks/new?for=many', prepareTasks]],
  },
  '/[base]/[lang]/staff/tasks/templates': {
    budget: LIST,
    states: [
      ['task templates', 'staff/tasks/templates'],
      ['task templates, no results', 'staff/tasks/templates?searchTerm=zzzz'],
    ],
  },
  '/[base]/[lang]/staff/tasks/templates/new': {
    budget: LIST,
    states: [
      ['a new task template', 'staff/tasks/templates/new'],
      ['a new task template, errors', 'staff/tasks/templates/new', submitEmpty],
    ],
  },
  '/[base]/[lang]/staff/tasks/templates/[templateId]': {
    budget: LIST,
    states: [
      ['a ready-made template', 'staff/tasks/templates/starter-us-1040'],
      ['a draft of a template', 'staff/tasks/templates/starter-uk-personal', copyTemplate],
    ],
  },
  '/[base]/[lang]/staff/tasks/templates/[templateId]/edit': {
    budget: LIST,
    states: [
      ['a template, its sections', 'staff/tasks/templates/starter-uk-personal', editTemplate],
      [
        'a template, the questions of a section',
        'staff/tasks/templates/starter-uk-personal',
        async (page) => {
          await editTemplate(page);
          await page.locator('main section a').first().click();
          await page.getByLabel('Section title').waitFor();
        },
      ],
    ],
  },
  '/[base]/[lang]/staff/fiscal-documents': {
    budget: LIST,
    states: [['fiscal documents that were set aside', 'staff/fiscal-documents']],
  },
  '/[base]/[lang]/staff/fiscal-documents/stored-files': {
    budget: LIST,
    states: [['what is stored of fiscal documents', 'staff/fiscal-documents/stored-files']],
  },
  '/[base]/[lang]/staff/fiscal-documents/[setAsideId]': {
    budget: LIST,
    checkedBy: 'e2e/fiscal-documents.spec.ts',
  },
  '/[base]/[lang]/staff/invoice-manifest': {
    budget: GRID,
    reachedFrom: 'the navigation, where the firm has invoices to manifest',
    checkedBy: 'e2e/invoice-manifest.spec.ts',
  },
  '/[base]/[lang]/staff/service-requests': {
    budget: GRID,
    states: [
      ['service requests of clients', 'staff/service-requests'],
      ['service requests of clients, none found', 'staff/service-requests?searchTerm=zzzz'],
    ],
  },
  '/[base]/[lang]/staff/service-requests/batches/[batchId]': {
    budget: LIST,
    checkedBy: 'e2e/service-requests.spec.ts',
  },
  '/[base]/[lang]/staff/service-requests/settings': {
    budget: LIST,
    states: [['settings of service requests', 'staff/service-requests/settings']],
  },
  '/[base]/[lang]/staff/service-requests/[requestId]': {
    budget: LIST,
    checkedBy: 'e2e/service-requests.spec.ts',
  },
  '/[base]/[lang]/staff/payroll-entries': {
    budget: GRID,
    states: [
      ['payroll sheets of clients', 'staff/payroll-entries'],
      ['payroll sheets of clients, none found', 'staff/payroll-entries?searchTerm=zzzz'],
    ],
  },
  '/[base]/[lang]/staff/payroll-entries/lists': {
    budget: LIST,
    states: [['lists of payroll entries', 'staff/payroll-entries/lists']],
  },
  '/[base]/[lang]/staff/payroll-entries/lists/new': {
    budget: LIST,
    states: [
      ['a new list of payroll entries', 'staff/payroll-entries/lists/new'],
      ['a new list of payroll entries, errors', 'staff/payroll-entries/lists/new', submitEmpty],
    ],
  },
  '/[base]/[lang]/staff/payroll-entries/lists/[listId]': {
    budget: LIST,
    states: [['a list of payroll entries', 'staff/payroll-entries/lists/new', addPayrollList]],
  },
  '/[base]/[lang]/staff/payroll-entries/sheets/[sheetId]': {
    budget: LIST,
    states: [['a payroll sheet of a client', payrollSheet]],
  },
  '/[base]/[lang]/staff/news': {
    budget: LIST,
    states: [
      ['news of the firm', 'staff/news'],
      ['news of the firm, none', 'staff/news?show=expired'],
    ],
  },
  '/[base]/[lang]/staff/news/new': {
    budget: LIST,
    states: [
      ['a new article', 'staff/news/new'],
      ['a new article, errors', 'staff/news/new', submitEmpty],
      ['a new article, a preview', 'staff/news/new', previewArticle],
    ],
  },
  '/[base]/[lang]/staff/news/[newsId]': {
    budget: LIST,
    states: [
      ['an article of the firm', 'staff/news', openArticle],
      ['a draft for chosen clients', 'staff/news/new', chooseForArticle],
    ],
  },
  '/[base]/[lang]/staff/news/[newsId]/edit': {
    budget: LIST,
    states: [['the text of an article', 'staff/news', editArticle]],
  },
  '/[base]/[lang]/staff/holidays': {
    budget: LIST,
    states: [
      ['holidays that count for dates', 'staff/holidays'],
      ['a holiday, errors', 'staff/holidays', (page) => submitEmpty(page, 'last')],
    ],
  },
  '/[base]/[lang]/staff/tax-calendar': {
    budget: LIST,
    states: [
      ['tax dates of all clients', 'staff/tax-calendar'],
      ['tax dates of all clients, none', 'staff/tax-calendar?month=2020-01'],
    ],
  },
  '/[base]/[lang]/staff/tax-calendar/rules': {
    budget: LIST,
    states: [
      ['rules of the tax calendar', 'staff/tax-calendar/rules?country=br'],
      ['a date for all clients, errors', 'staff/tax-calendar/rules', (page) => submitEmpty(page, 'last')],
    ],
  },
  '/[base]/[lang]/staff/templates': {
    budget: LIST,
    states: [['folder templates', 'staff/templates']],
  },
  '/[base]/[lang]/staff/contacts': { budget: LIST, noMarkup: 'moved to people: e2e/lists.spec.ts' },
  '/[base]/[lang]/staff/invitations': { budget: LIST, noMarkup: 'moved to people: e2e/lists.spec.ts' },
  '/[base]/[lang]/staff/imports': {
    budget: LIST,
    states: [['import and export', 'staff/imports']],
  },
  '/[base]/[lang]/staff/imports/[importId]': {
    budget: LIST,
    states: [
      ['an import, its columns', 'staff/imports', uploadClients],
      [
        'an import, checked',
        'staff/imports',
        async (page) => {
          await uploadClients(page);
          await page.getByRole('button', { name: 'Check rows' }).click();
          await page.getByRole('heading', { name: 'Check before importing' }).waitFor();
        },
      ],
    ],
  },
  '/[base]/[lang]/staff/imports/[importId]/problems.csv': {
    budget: LIST,
    noMarkup: 'a file: e2e/imports.spec.ts',
  },
  '/[base]/[lang]/staff/export/[file]': { budget: LIST, noMarkup: 'a file: e2e/imports.spec.ts' },
  '/[base]/[lang]/staff/data-exports': {
    budget: LIST,
    states: [['exports of all data', 'staff/data-exports']],
  },
  '/[base]/[lang]/staff/seal': {
    budget: LIST,
    states: [['the certificate for seals', 'staff/seal']],
  },
  '/[base]/[lang]/staff/home': {
    budget: LIST,
    states: [['the home page of clients', 'staff/home']],
  },
  '/[base]/[lang]/staff/issues': {
    budget: LIST,
    states: [['reported problems', 'staff/issues']],
  },
  '/[base]/[lang]/staff/issues/[code]': { budget: LIST, checkedBy: 'a reported problem' },
  '/[base]/[lang]/staff/retention': {
    budget: LIST,
    states: [
      ['retention periods', 'staff/retention'],
      ['the preview of retention periods', 'staff/retention?xml=0&projects=7&published=7&uploads=7&other=7'],
    ],
  },
  '/[base]/[lang]/staff/access-review': {
    budget: LIST,
    states: [['access reviews', 'staff/access-review']],
  },
  '/[base]/[lang]/staff/access-review/[reviewId]': {
    budget: LIST,
    states: [
      ['an access review', 'staff/access-review', openReview],
      [
        'an access review, for printing',
        'staff/access-review',
        async (page) => {
          await openReview(page);
          await page.getByRole('link', { name: 'Print view' }).click();
          await page.getByRole('columnheader', { name: 'Decided by' }).waitFor({ state: 'attached' });
        },
      ],
    ],
  },
  '/[base]/[lang]/staff/access-review/[reviewId]/review.csv': {
    budget: LIST,
    noMarkup: 'a file: tests/features/access-review/access-review.test.ts',
  },
  '/[base]/[lang]/staff/audit': {
    budget: { total: 43.6, script: 7.8 }, // 3.6 of it are the names of 290 actions, 1.7 the search among them
    states: [
      ['the audit log', 'staff/audit'],
      ['the audit log, no results', 'staff/audit?person=zzzz'],
    ],
  },
  '/[base]/[lang]/staff/inbox': {
    budget: LIST,
    states: [
      ['the inbox', 'staff/inbox?of=all'],
      [
        'the inbox, more for the selected entries',
        'staff/inbox?of=all',
        async (page) => {
          await page.getByRole('checkbox').last().check();
          await page.locator('.more summary').click();
        },
      ],
      ['the inbox, without entries', 'staff/inbox?of=mine'],
      [
        'the inbox, one entry done',
        'staff/inbox?of=all',
        async (page) => {
          // on phones it is in the menu of the row
          const menu = page.getByRole('button', { name: /^Actions for / }).last();
          if (await menu.isVisible()) await menu.click();
          await page.getByRole('button', { name: /^Done/ }).last().click();
          await page.getByRole('button', { name: 'Undo' }).waitFor();
        },
      ],
    ],
  },
  '/[base]/[lang]/staff/inbox/[id]': { budget: LIST, noMarkup: 'a redirect: e2e/inbox.spec.ts' },
  '/[base]/[lang]/staff/mails': {
    budget: GRID,
    states: [
      ['mails', 'staff/mails'],
      ['mails, no results', 'staff/mails?searchTerm=nobody%40example.com'],
    ],
  },
  '/[base]/[lang]/staff/mails/[id]': {
    budget: LIST,
    states: [['a mail that was not delivered', bouncedMail]],
  },
  '/[base]/[lang]/staff/mails/[id]/letter': {
    budget: LIST,
    states: [['a letter about a mail', async (page) => `${await bouncedMail(page)}/letter`]],
  },
  '/[base]/[lang]/staff/access': {
    budget: LIST,
    states: [
      ['access', 'staff/access'],
      ['access, no results', 'staff/access?q=zzzz'],
      [
        'access of a contact',
        'staff/access?q=ana',
        (page) => page.getByRole('link', { name: 'Ana Souza' }).click(),
      ],
      ['access of everybody', 'staff/access?contact=everybody'],
    ],
  },
  '/[base]/[lang]/documents/project': {
    budget: LIST,
    states: [['a new project', 'documents/project']],
  },
  '/[base]/[lang]/documents/rights': {
    budget: LIST,
    states: [
      ['permissions without an item', 'documents/rights'],
      ['permissions and locks of a client', 'documents', openRights],
      ['permissions of a document', 'documents', openRightsOfDocument],
    ],
  },
  '/[base]/[lang]/staff/sharing': {
    budget: LIST,
    states: [
      ['domains to share with', 'staff/sharing'],
      ['domains to share with, with an error', 'staff/sharing', saveBadDomain],
    ],
  },
  '/[base]/[lang]/staff/mail-texts': {
    budget: LIST,
    states: [['the texts of emails', 'staff/mail-texts']],
  },
  '/[base]/[lang]/practice': { budget: LIST, states: [['the way back from practice', 'practice']] },
  '/[base]/[lang]/staff/practice': { budget: LIST, states: [['the practice firm', 'staff/practice']] },
  '/[base]/[lang]/staff/feedback': { budget: LIST, states: [['feedback', 'staff/feedback']] },
  '/[base]/[lang]/staff/firm': { budget: LIST, states: [['the data of the firm', 'staff/firm']] },
  '/[base]/[lang]/staff/theme': {
    budget: { total: 38.5, script: 8.2 }, // its fields for files show what was chosen
    states: [['the theme settings', 'staff/theme']], // and with errors: e2e/look.spec.ts
  },
  '/[base]/[lang]/staff/terms': {
    budget: LIST,
    states: [['the terms of the firm', 'staff/terms']],
  },
  '/[base]/[lang]/staff/rescue': {
    budget: LIST,
    states: [
      ['a rescue code', 'staff/rescue'],
      ['a rescue code with errors', 'staff/rescue', submitEmpty],
    ],
  },
};

/** From starting to view as a contact to the end; each state follows the one before. */
const viewAsPages: PageExamples = {
  '/[base]/[lang]/staff/view-as/[id]': {
    budget: LIST,
    states: [
      ['view as', viewAsContact],
      ['view as, without a reason', viewAsContact, startWithoutReason],
      ['documents, viewing as', viewAsContact, startViewing],
    ],
  },
  '/[base]/[lang]/staff/view-as/end': { budget: LIST, states: [['stop viewing', 'staff/view-as/end']] },
  '/[base]/[lang]/staff/view-as/read-only': {
    budget: LIST,
    states: [['read-only message', 'staff/view-as/read-only']],
  },
};

export const walks: readonly Walk[] = [
  { title: 'the staff pages', person: 'lima', pages: staffPages },
  { title: 'viewing as a contact', person: 'lima', pages: viewAsPages },
];

/** The address of a mail that was not delivered. */
async function bouncedMail(page: Page): Promise<string> {
  await page.goto('staff/mails?state=bounced');
  const link = page.getByRole('rowheader').getByRole('link').first();
  return /[^?]+/.exec((await link.getAttribute('href')) ?? '')?.[0] ?? '';
}

/** Opens the permissions of a project that contains documents. */
async function openRights(page: Page): Promise<void> {
  await openFolders(page);
  await page
    .getByRole('navigation', { name: 'Folders' })
    .getByRole('link', { name: /Contabilidade/ })
    .first()
    .click();
  await openPageMenu(page);
  await page.getByRole('link', { name: 'Permissions & locks' }).click();
  await page.getByRole('heading', { name: 'Permissions', exact: true }).waitFor();
}

async function openRightsOfDocument(page: Page): Promise<void> {
  await openRights(page);
  await page.locator('main .choices a').first().click();
}

async function saveBadDomain(page: Page): Promise<void> {
  await page.getByLabel('Allowed domains').fill('not a domain');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('main [role=alert]').first().waitFor();
}

/** The address that starts viewing as a contact with documents. */
async function viewAsContact(page: Page): Promise<string> {
  await page.goto('staff/people?searchTerm=ana%40padaria.example');
  const link = page.getByRole('link', { name: 'View as client', includeHidden: true }); // in the menu of the row
  return (await link.first().getAttribute('href')) ?? '';
}

async function startWithoutReason(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Start viewing' }).click();
  await page.locator('main [role=alert]').first().waitFor();
}

async function startViewing(page: Page): Promise<void> {
  await page.getByLabel('Reason').fill('She asked me to look at her folders.');
  await page.getByRole('button', { name: 'Start viewing' }).click();
  await page.waitForURL((url) => !url.pathname.includes('view-as'));
}

/** Chooses the first client of the firm, and returns the address of the form. */
async function publishToOne(page: Page): Promise<string> {
  await page.goto('staff/clients');
  const client = await page.getByRole('rowheader').getByRole('link').first().getAttribute('href');
  return page.url().replace(/staff\/.*/, `staff/publish?to=${/client_\w+/.exec(client ?? '')?.[0] ?? ''}`);
}

async function createWithoutName(page: Page): Promise<void> {
  await page.getByLabel('Folder', { exact: true }).selectOption('new');
  await page.getByRole('button', { name: 'Continue to files' }).click();
  await page.getByText('Enter a folder name.').first().waitFor();
}

/** Creates a batch, and returns its address. */
async function makeBatch(page: Page): Promise<string> {
  await page.goto('staff/publish');
  await nameBatch(page, 'Payslips');
  await page.getByRole('button', { name: 'Create batch' }).click();
  await page.waitForURL(/staff\/publish\/batch_/);
  return page.url();
}

/** Creates a batch with a file that somebody must settle, and returns its address. */
async function makeMatchedBatch(page: Page): Promise<string> {
  const address = await makeBatch(page);
  await page.getByLabel('Files', { exact: true }).setInputFiles([
    { name: 'Invoice JB-1042.pdf', mimeType: 'application/pdf', buffer: pdf('Dear all') },
    { name: 'JB-1042 payslip.pdf', mimeType: 'application/pdf', buffer: pdf('Payslip') },
  ]);
  await page.getByRole('button', { name: 'Add files' }).click();
  await page.getByText(/^\d+ files? needs? your decision/).waitFor();
  return address;
}

/** Uploads a file of clients, one of them with a problem. */
async function uploadClients(page: Page): Promise<void> {
  await page.getByLabel('File', { exact: true }).setInputFiles({
    name: 'clients.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Number,Name,Tags\nIMP-1,Imported Bakery,vip\nIMP-2,,\n'),
  });
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByRole('heading', { name: 'Assign columns' }).waitFor();
}

/** Opens the latest review of access, or starts one. */
async function openReview(page: Page): Promise<void> {
  const start = page.getByRole('button', { name: 'Start a review' });
  if (await start.isVisible()) await start.click();
  else await page.getByRole('table').getByRole('link').first().click();
  await page.getByRole('heading', { name: /^Access review of/ }).waitFor();
}

async function newTaskFor(page: Page): Promise<string> {
  await page.goto('staff/tasks/new?q=a');
  const href = await page.locator('main .choices a').first().getAttribute('href');
  return href ?? '';
}

async function newRequestFor(page: Page): Promise<string> {
  await page.goto('staff/tasks/sign?q=a');
  const href = await page.locator('main .choices a').first().getAttribute('href');
  return href ?? '';
}

async function newReviewFor(page: Page): Promise<string> {
  await page.goto('staff/tasks/review?q=a');
  const href = await page.locator('main .choices a').first().getAttribute('href');
  return href ?? '';
}

async function firstTask(page: Page): Promise<string> {
  await page.goto('staff/tasks');
  const href = await page.locator('main table a[href*="staff/tasks/task_"]').first().getAttribute('href');
  return href ?? '';
}

async function newPaymentFor(page: Page): Promise<string> {
  await page.goto('staff/tasks/payment?q=a');
  const href = await page.locator('main .choices a').first().getAttribute('href');
  return href ?? '';
}

async function firstInvoice(page: Page): Promise<string> {
  await page.goto('staff/tasks');
  const link = page.locator('main table a[href*="staff/tasks/task_"]').filter({ hasText: 'Invoice' });
  return (await link.first().getAttribute('href')) ?? '';
}

/** Prepares a task for all clients, without creating it. */
async function prepareTasks(page: Page): Promise<void> {
  await page.getByLabel('Title', { exact: true }).fill('Monthly documents');
  await page.getByLabel('Document or question').fill('Bank statements');
  await page.getByLabel('Type of client').selectOption('all');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('heading', { name: 'Review' }).waitFor();
}

async function copyTemplate(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Copy and adapt' }).click();
  await page.getByRole('button', { name: 'Publish' }).waitFor();
}

async function editTemplate(page: Page): Promise<void> {
  await copyTemplate(page);
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await page.getByRole('heading', { name: 'Name and due date' }).waitFor();
}

async function openArticle(page: Page): Promise<void> {
  await page.locator('main table a').first().click();
  await page.waitForURL(/staff\/news\/article_/);
}

async function editArticle(page: Page): Promise<void> {
  await openArticle(page);
  await page.getByRole('link', { name: 'Edit text' }).click();
  await page.getByLabel('Title').waitFor();
}

async function writeArticle(page: Page): Promise<void> {
  await page.getByLabel('Title').fill('New hours in December');
  await page
    .getByLabel('Text', { exact: true })
    .fill('## Hours\n\nWe are open **until noon**.\n\n- Monday\n- Friday');
}

async function previewArticle(page: Page): Promise<void> {
  await writeArticle(page);
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByRole('heading', { name: 'Hours', exact: true }).waitFor();
}

async function chooseForArticle(page: Page): Promise<void> {
  await writeArticle(page);
  await page.getByRole('button', { name: 'Save as draft' }).click();
  await page.getByLabel('Chosen clients').check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('searchbox').fill('a');
  await page.getByRole('button', { name: 'Search' }).click();
}

async function typeInHeader(page: Page): Promise<void> {
  const field = page.locator('.search-form:visible input[type=search]');
  await field.click();
  await field.fill('padaria');
  await page.locator('.search-list [role=option]').first().waitFor();
}

async function openShortcuts(page: Page): Promise<void> {
  await page.locator('h1').click();
  await page.keyboard.press('?');
  await page.locator('#shortcuts-dialog form').waitFor();
}

async function addPayrollList(page: Page): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('Monthly');
  await page.getByLabel('Column', { exact: true }).fill('Overtime');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.waitForURL(/lists\/payroll_/);
}

async function payrollSheet(page: Page): Promise<string> {
  await page.goto('staff/payroll-entries');
  const link = page.locator('main tbody a[href*="/sheets/sheet_"]').first();
  return (await link.getAttribute('href')) ?? '';
}

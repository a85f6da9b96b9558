import { openPageMenu } from '../support/steps.ts';
import type { Page } from 'playwright/test';
import { LIST, PLAIN, type PageExamples, type Walk } from './page-example.ts';
import { checkUnknownCode, firstId, openFolder, selectFirst, submitEmpty } from './steps.ts';

/** Pages of a contact with documents. */
const contactPages: PageExamples = {
  '/[base]/[lang]': { budget: LIST, checkedBy: 'terms to accept' },
  '/[base]/[lang]/documents': {
    budget: { total: 40.6, script: 6.1 }, // htmx is loaded at the first touch of the list
    states: [
      ['documents', 'documents'],
      ['documents, one selected', 'documents', selectFirst],
      ['documents, empty folder', 'documents', (page) => openFolder(page, /Your uploads/)],
      ['documents, no results', 'documents?name=zzzz'],
      ['documents without folders', 'documents?view=flat&read=no'],
      ['a new folder with errors', 'documents', makeBadFolder],
      ['the share dialog', 'documents', openShareDialog],
      ['the share dialog with errors', 'documents', submitShareDialog],
      ['a refused file', 'documents', chooseRefusedFile],
      ['the account menu', 'documents', (page) => page.locator('#account summary').click()],
      ['the help menu', 'documents', (page) => page.locator('#help summary').click()],
      ['the profile dialog', 'documents', openProfileDialog],
      [
        'the language dialog',
        'documents',
        (page) => page.getByRole('link', { name: 'English (United States)' }).click(),
      ],
      ['the menu with more actions', 'documents', openMoreActions],
      ['the list of other clients', 'documents', (page) => page.locator('.client-bar summary').click()],
      ['the document of a link', 'documents', openLinkedDocument],
    ],
  },
  '/[base]/[lang]/documents/[documentId]': {
    budget: LIST,
    noMarkup: 'a file or the viewer: e2e/viewer.spec.ts',
  },
  '/[base]/[lang]/documents/[documentId]/comments': {
    budget: LIST,
    states: [['comments with errors', 'documents', submitEmptyComment]],
  },
  '/[base]/[lang]/documents/[documentId]/view': {
    budget: LIST,
    states: [
      ['a PDF in the viewer', 'documents', (page) => openViewer(page, 'Balancete')],
      [
        'a PDF in the viewer, with search and zoom',
        'documents',
        (page) => openViewer(page, 'Balancete', { find: 'caixa', zoom: '150' }),
      ],
      ['an invoice in the viewer', 'documents', (page) => openViewer(page, 'nfe-1001')],
    ],
  },
  '/[base]/[lang]/documents/send': {
    budget: LIST,
    states: [
      ['share, nothing selected', 'documents/send'],
      ['share a folder', 'documents/send', openFolderToSend],
    ],
  },
  '/[base]/[lang]/documents/organize': {
    budget: LIST,
    states: [['organize, nothing selected', 'documents/organize']],
  },
  '/[base]/[lang]/documents/scan': { budget: LIST, states: [['scanning', 'documents/scan']] },
  '/[base]/[lang]/documents/download': {
    budget: LIST,
    states: [['download, nothing selected', 'documents/download']],
  },
  '/[base]/[lang]/partials/documents': { budget: LIST, noMarkup: 'a part of the documents page' },
  '/[base]/[lang]/partials/download': { budget: LIST, noMarkup: 'a part of the documents page' },
  '/[base]/[lang]/partials/search': {
    budget: PLAIN,
    noMarkup: 'a part of the search field: e2e/search.spec.ts',
  },
  '/[base]/[lang]/search': {
    budget: LIST,
    states: [
      ['a search, nothing typed', 'search'],
      ['a search', 'search?q=tax'],
      ['a search, no results', 'search?q=zzzz'],
    ],
  },
  '/[base]/[lang]/home/news': { budget: LIST, states: [['news', 'home/news']] },
  '/[base]/[lang]/home/news/[newsId]': {
    budget: LIST,
    states: [['an article', 'home/news', (page) => page.locator('.news a').first().click()]],
  },
  '/[base]/[lang]/tax-calendar': {
    budget: LIST,
    states: [
      ['tax dates', 'tax-calendar'],
      ['tax dates, none', 'tax-calendar?company=client_0'],
    ],
  },
  '/[base]/[lang]/messages': {
    budget: LIST,
    states: [['messages to the firm with errors', 'messages', submitEmpty]],
  },
  '/[base]/[lang]/receipts': { budget: LIST, states: [['receipts', 'receipts']] },
  '/[base]/[lang]/receipts/[number]': {
    budget: LIST,
    states: [['a receipt', 'receipts', (page) => page.locator('main a[href*="/receipts/"]').first().click()]],
  },
  '/[base]/[lang]/verify': {
    budget: { ...PLAIN, script: 2.3 }, // its file field shows what was chosen
    states: [
      ['verify a receipt', 'verify'],
      ['verify a receipt, with errors', 'verify', submitEmpty],
    ],
  },
  '/[base]/[lang]/offline': {
    budget: PLAIN,
    reachedFrom: 'the service worker, without a connection',
    states: [['no connection', 'offline']],
  },
  '/[base]/[lang]/check': {
    budget: PLAIN,
    states: [
      ['check an email', 'check'],
      ['check an email, with errors', 'check', submitEmpty],
      ['check an email, not ours', 'check', checkUnknownCode],
    ],
  },
  '/[base]/[lang]/home/first-steps': { budget: LIST, states: [['first steps', 'home/first-steps']] },
  '/[base]/[lang]/home/edit': { budget: LIST, states: [['arrange the home page', 'home/edit']] },
  '/[base]/[lang]/help/report': {
    budget: LIST,
    states: [
      ['report a problem', 'help/report'],
      ['report a problem, with errors', 'help/report', submitEmpty],
    ],
  },
  '/[base]/[lang]/help/report/[code]': { budget: LIST, checkedBy: 'a report that was sent' },
  '/[base]/[lang]/help/chat': {
    budget: LIST,
    noMarkup:
      'leads on after three seconds, and only where the operator has a chat: e2e/issue-reports.spec.ts',
  },
  '/[base]/[lang]/help': {
    budget: PLAIN,
    states: [
      ['help', 'help'],
      ['help, results', 'help?q=password'],
      ['help, no results', 'help?q=zzzz'],
    ],
  },
  '/[base]/[lang]/help/[id]': {
    budget: PLAIN,
    states: [['a help article', 'help/tasks']],
  },
  '/[base]/[lang]/help/feedback': {
    budget: PLAIN,
    states: [
      ['feedback on a help article', 'help/feedback?article=tasks&rating=bad'],
      ['feedback with errors', 'help/feedback?article=tasks', submitEmpty],
    ],
  },
  '/[base]/[lang]/shares': { budget: LIST, states: [['my shares', 'shares']] },
  '/[base]/[lang]/clients': {
    budget: LIST,
    states: [
      ['clients', 'clients'],
      ['clients, no results', 'clients?searchTerm=zzzz'],
    ],
  },
  '/[base]/[lang]/profile': {
    budget: LIST,
    states: [
      ['profile', 'profile'],
      ['profile with errors', 'profile', saveWithoutFirstName],
    ],
  },
  '/[base]/[lang]/profile/security': {
    budget: LIST,
    states: [['sign-in and security', 'profile/security']],
  },
  '/[base]/[lang]/partials/bell': { budget: LIST, noMarkup: 'a part of the header' },
  '/[base]/[lang]/notifications': {
    budget: LIST,
    states: [
      ['notifications', 'notifications?state=all'],
      ['notifications, none put away', 'notifications?state=put-away'],
    ],
  },
  '/[base]/[lang]/notifications/[id]': { budget: LIST, noMarkup: 'a redirect: e2e/notifications.spec.ts' },
  '/[base]/[lang]/profile/activity': { budget: LIST, states: [['activity', 'profile/activity']] },
  '/[base]/[lang]/account-switch': { budget: PLAIN, states: [['accounts', 'account-switch']] },
  '/[base]/[lang]/terms-and-conditions': {
    budget: LIST,
    states: [['terms, none due', 'terms-and-conditions']],
  },
  '/[base]/[lang]/announcement': {
    budget: LIST,
    noMarkup: 'handles the form that closes the announcement: e2e/look.spec.ts',
  },
  '/[base]/[lang]/mailbox': { budget: LIST, states: [['mailbox', 'mailbox']] },
  '/[base]/[lang]/mailbox/[id]': { budget: LIST, checkedBy: 'share links in each state' },
  '/[base]/[lang]/kit': {
    budget: LIST,
    states: [
      ['the component library', 'kit'],
      [
        'more details of an alert',
        'kit',
        (page) => page.getByRole('button', { name: 'More details' }).click(),
      ],
    ],
  },
};

export const walks: readonly Walk[] = [
  { title: 'the pages of a contact', person: 'ana', pages: contactPages },
];

/** Tries to create a folder with an invalid name. */
async function makeBadFolder(page: Page): Promise<void> {
  await openPageMenu(page);
  await page.locator('.new-folder summary').click();
  await page.locator('#folder-folderName').fill('a/b');
  await page.locator('.new-folder form button').click();
  await page.locator('main [role=alert]').first().waitFor();
}

async function openShareDialog(page: Page): Promise<void> {
  await selectFirst(page);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.locator('dialog[open]').waitFor();
}

async function submitShareDialog(page: Page): Promise<void> {
  await openShareDialog(page);
  await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
  await page.locator('main [role=alert]').first().waitFor();
}

async function chooseRefusedFile(page: Page): Promise<void> {
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'bad.exe', mimeType: 'x/y', buffer: Buffer.from('MZ') });
}

async function openProfileDialog(page: Page): Promise<void> {
  await page.locator('#account summary').click();
  await page.getByRole('link', { name: 'Profile' }).click();
}

async function saveWithoutFirstName(page: Page): Promise<void> {
  await page.getByLabel('First name').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
}

async function openMoreActions(page: Page): Promise<void> {
  await selectFirst(page);
  await page.locator('.more summary').click();
}

async function submitEmptyComment(page: Page): Promise<void> {
  await openMoreActions(page);
  await page.locator('.more [value=comment]').click();
  await page.locator('#comment-text').waitFor();
  await page.locator('#comment button').click();
  await page.locator('main [role=alert]').first().waitFor();
}

/** Opens the first document with this name in the viewer, at `documents/ID/view`. */
async function openViewer(page: Page, name: string, query: Record<string, string> = {}): Promise<void> {
  const clients = await (await page.request.get('/api/client-center/v1/clients/')).text();
  const client = /"(client_\w+)"(?:(?!client_).)*Padaria Sol Nascente/.exec(clients)?.[1] ?? '';
  await page.goto(`documents?${new URLSearchParams({ view: 'flat', name, client })}`);
  await page.goto(`documents/${await firstId(page)}/view?${new URLSearchParams(query)}`);
  await page.getByRole('link', { name: 'Back to documents' }).waitFor();
}

async function openFolderToSend(page: Page): Promise<void> {
  await page.goto('documents');
  await openFolder(page, /Contabilidade 2026/);
  await openPageMenu(page);
  await page.getByRole('link', { name: 'Share this folder' }).click();
  await page.getByLabel('Subject').waitFor();
}

async function openLinkedDocument(page: Page): Promise<void> {
  await page.goto(`documents?document=${await firstId(page)}`);
  await page.getByRole('heading', { name: 'Document you opened from a link' }).waitFor();
}

import type { Locator, Page } from 'playwright/test';
import { pdfOf } from '../../tests/support/pdf.ts';
import { brazilianDay, idOfClient, linkInMailbox, nameBatch, pdf } from './steps.ts';
import type { Portal } from './portal.ts';
import { createTask, openListed, STATEMENT, STATEMENTS_AND_MILES } from './tasks.ts';
import { enter, expect, PEOPLE } from './test.ts';

/*
 * What forms of pages create, send, pay or sign, one act each: filled in up to the button that does it. Each begins with
 * what `prepare` has left, in pages without scripts.
 */

export interface FormAct {
  /** Who does it; `nobody` is not signed in. */
  who: keyof typeof PEOPLE | 'nobody';
  /** What must have happened before, on a page of its own and as anybody. Returns an address for `fill`. */
  prepare?: (page: Page, portal: Portal) => Promise<string>;
  /** Opens the page as the person, and fills in the form; returns its button. */
  fill: (page: Page, address: string) => Promise<Locator>;
}

const button = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const BAKERY = 'Padaria Sol Nascente Ltda';
const INVOICE = {
  name: 'invoice.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF'),
};

/** Chooses the first client that a page of staff finds. */
async function choose(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('main .choices a').first().click();
}

/** Asks the client of Olivia, and returns the address of the task for her. */
async function asked(page: Page, title: string): Promise<string> {
  await createTask(page, title, STATEMENTS_AND_MILES);
  await enter(page, PEOPLE.olivia, 'tasks');
  await openListed(page, title);
  return page.url();
}

async function askedToPay(page: Page, number: string): Promise<string> {
  await enter(page, PEOPLE.eleanor, '');
  await choose(page, 'staff/tasks/payment?q=juniper');
  await page.getByLabel(/^Invoice number/).fill(number);
  await page.getByLabel('Amount').fill('1250.50');
  await button(page, 'Request payment').click();
  await enter(page, PEOPLE.olivia, 'tasks');
  await openListed(page, new RegExp(number));
  return page.url();
}

async function placed(page: Page, title: string): Promise<string> {
  await enter(page, PEOPLE.eleanor, '');
  await choose(page, 'staff/tasks/sign?q=juniper');
  await page.getByLabel('Title', { exact: true }).fill(title);
  await page.getByLabel('PDF').setInputFiles({
    name: 'Letter.pdf',
    mimeType: 'application/pdf',
    buffer: pdfOf(['Section 4 Fees', 'Signed by']),
  });
  await button(page, 'Upload').click();
  await page.getByLabel('Signer', { exact: true }).selectOption({ index: 1 });
  await button(page, 'Continue').click();
  await button(page, /^Place a signature/).click();
  await expect(button(page, 'Send')).toBeVisible();
  return page.url();
}

/** Sends a document, and returns the address of its task for the signer. */
export async function sentToSign(page: Page, title: string): Promise<string> {
  await placed(page, title);
  await button(page, 'Send').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
  await enter(page, PEOPLE.olivia, 'tasks');
  await openListed(page, title);
  return page.url();
}

export const FORM_ACTS: Readonly<Record<string, FormAct>> = {
  'a task is created': {
    who: 'eleanor',
    fill: async (page) => {
      await choose(page, 'staff/tasks/new?q=juniper');
      await page.getByLabel('Title', { exact: true }).fill('Created by a form');
      await page.getByLabel('Document or question', { exact: true }).fill('Bank statements');
      return button(page, 'Create task');
    },
  },
  'a client is created': {
    who: 'eleanor',
    fill: async (page) => {
      await page.goto('staff/clients/new');
      await page.getByLabel('Name', { exact: true }).fill('Cut Short Ltd');
      return button(page, 'Save');
    },
  },
  'a contact is invited': {
    who: 'eleanor',
    fill: async (page) => {
      await page.goto('staff/people/new');
      await page.getByLabel('Email address').fill('cut@northgate.example');
      await page.getByLabel('First name').fill('Cut');
      await page.getByLabel('Last name').fill('Short');
      return button(page, 'Save');
    },
  },
  'documents are shared': {
    who: 'olivia',
    fill: async (page) => {
      await page.goto('documents');
      await page.getByRole('checkbox').nth(1).check();
      await button(page, 'Share').click();
      await page.getByLabel('To', { exact: true }).fill('cut@supplier.example');
      await page.getByLabel('Subject').fill('Sent by a form');
      return page.locator('form .actions').getByRole('button', { name: 'Share', exact: true });
    },
  },
  'a comment is added': {
    who: 'olivia',
    fill: async (page) => {
      await page.goto('documents');
      await page.getByRole('checkbox').nth(1).check();
      await page.getByText('More', { exact: true }).click();
      await button(page, 'Comment').click();
      await page.getByLabel('Your comment').fill('Line 12 looks too high.');
      return button(page, 'Add comment');
    },
  },
  'a message on a task is sent': {
    who: 'olivia',
    prepare: (page) => asked(page, 'Asked about'),
    fill: async (page, address) => {
      await page.goto(address);
      await page.getByRole('textbox', { name: 'Your message' }).fill('Which year?');
      return button(page, 'Send message');
    },
  },
  'a message to the firm is sent': {
    who: 'olivia',
    fill: async (page) => {
      await page.goto('messages');
      await page.getByRole('textbox', { name: 'Your message' }).fill('We hired a baker.');
      return button(page, 'Send message');
    },
  },
  'somebody else is asked': {
    who: 'olivia',
    prepare: (page) => asked(page, 'For somebody else'),
    fill: async (page, address) => {
      await page.goto(`${address.split('?')[0] ?? ''}/ask`);
      await page.getByLabel('Name').fill('Sam');
      await page.getByLabel('Email').fill('sam@spouse.example');
      return button(page, 'Send link');
    },
  },
  'a task is submitted': {
    who: 'olivia',
    prepare: async (page) => {
      const address = await asked(page, 'To be submitted');
      await page.getByLabel('Miles driven').fill('12');
      await page.getByLabel('Choose files').setInputFiles(STATEMENT);
      await button(page, 'Save and check').click();
      await expect(button(page, /^Submit to/)).toBeVisible();
      return page.url() === '' ? address : page.url();
    },
    fill: async (page, address) => {
      await page.goto(address);
      return button(page, /^Submit to/);
    },
  },
  'a payment is requested, with its invoice': {
    who: 'eleanor',
    fill: async (page) => {
      await choose(page, 'staff/tasks/payment?q=juniper');
      await page.getByLabel(/^Invoice number/).fill('CUT-1');
      await page.getByLabel('Amount').fill('1250.50');
      await page
        .getByLabel(/^Invoice as a PDF/)
        .and(page.locator('[type=file]'))
        .setInputFiles(INVOICE);
      return button(page, 'Request payment');
    },
  },
  'an online payment is begun': {
    who: 'olivia',
    prepare: (page) => askedToPay(page, 'BEGUN-1'),
    fill: async (page, address) => {
      await page.goto(address);
      return button(page, /^Pay .* online$/);
    },
  },
  'an invoice is paid': {
    who: 'olivia',
    prepare: async (page) => {
      await askedToPay(page, 'PAID-1');
      await button(page, /^Pay .* online$/).click();
      await expect(button(page, 'Pay')).toBeVisible();
      return page.url();
    },
    fill: async (page, address) => {
      await page.goto(address);
      return button(page, 'Pay');
    },
  },
  'a document is sent to be signed': {
    who: 'eleanor',
    prepare: (page) => placed(page, 'Sent by a form'),
    fill: async (page, address) => {
      await page.goto(address);
      return button(page, 'Send');
    },
  },
  'a document is signed': {
    who: 'olivia',
    prepare: async (page) => {
      await sentToSign(page, 'Signed by a form');
      await page.getByLabel(/I agree to sign/).check();
      await button(page, 'Agree and continue').click();
      await expect(button(page, 'Sign')).toBeVisible();
      return page.url();
    },
    fill: async (page, address) => {
      await page.goto(address);
      await page.getByLabel('Your full name, as your signature').fill('Olivia Bennett');
      return button(page, 'Sign');
    },
  },
  'a document to sign is declined': {
    who: 'olivia',
    prepare: (page) => sentToSign(page, 'Declined by a form'),
    fill: async (page, address) => {
      await page.goto(address);
      await page.locator('summary', { hasText: 'Decline' }).click();
      await page.getByLabel(/^Why don’t you want to sign/).fill('Not ours.');
      return button(page, 'Decline to sign');
    },
  },
  'a review of documents is requested': {
    who: 'eleanor',
    fill: async (page) => {
      await choose(page, 'staff/tasks/review?q=juniper');
      await page.getByLabel('Title', { exact: true }).fill('Reviewed by a form');
      await page.getByRole('group', { name: 'Documents to review' }).getByRole('checkbox').first().check();
      return button(page, 'Send for review');
    },
  },
  'a batch to publish is created': {
    who: 'eleanor',
    fill: async (page) => {
      await page.goto('staff/publish');
      await nameBatch(page, 'Created by a form');
      return button(page, 'Create batch');
    },
  },
  'a batch is published': {
    who: 'eleanor',
    prepare: async (page) => {
      await enter(page, PEOPLE.eleanor, 'staff/publish');
      await nameBatch(page, 'Published by a form');
      await button(page, 'Create batch').click();
      await page.getByLabel('Files', { exact: true }).setInputFiles([
        { name: 'JB-1042 payslip a.pdf', mimeType: 'application/pdf', buffer: pdf('a') },
        { name: 'JB-1042 payslip b.pdf', mimeType: 'application/pdf', buffer: pdf('b') },
      ]);
      await button(page, 'Add files').click();
      await expect(button(page, /^Publish 2/)).toBeVisible();
      return page.url();
    },
    fill: async (page, address) => {
      await page.goto(address);
      return button(page, /^Publish 2/);
    },
  },
  'an article is published': {
    who: 'eleanor',
    prepare: async (page) => {
      await enter(page, PEOPLE.eleanor, 'staff/news/new');
      await page.getByLabel('Title').fill('New hours in December');
      await page.getByLabel('Text', { exact: true }).fill('We are open until noon.');
      await button(page, 'Save as draft').click();
      await expect(button(page, /^Publish/)).toBeVisible();
      return page.url();
    },
    fill: async (page, address) => {
      await page.goto(address);
      return button(page, /^Publish/);
    },
  },
  'a problem is reported': {
    who: 'marcus',
    fill: async (page) => {
      await page.goto('documents');
      await page.locator('#help summary').click();
      await page.getByRole('link', { name: 'Report a problem' }).click();
      await page.getByLabel('The portal itself').check();
      await page.getByLabel('What happened?').fill('The list stays empty.');
      return button(page, 'Send report');
    },
  },
  'a service request is sent': {
    who: 'ana',
    prepare: async (page, portal) => {
      await enter(page, PEOPLE.ana, '');
      const client = await idOfClient(portal, BAKERY);
      await page.goto(`/clientcenter/pt/actions/service-request/general-requests?client=${client}`);
      await button(page, 'Começar').click();
      await page.getByLabel('Assunto').fill('Holerite de outubro');
      await page.getByLabel('Departamento').selectOption('Pessoal');
      await page.getByLabel('O que você precisa?').fill('Preciso da segunda via.');
      await button(page, 'Salvar e conferir').click();
      await expect(button(page, /^Enviar para/)).toBeVisible();
      return page.url();
    },
    fill: async (page, address) => {
      await page.goto(address);
      return button(page, /^Enviar para/);
    },
  },
  'a service request is begun': {
    who: 'ana',
    prepare: async (page, portal) => {
      await enter(page, PEOPLE.ana, '');
      return `/clientcenter/pt/actions/service-request/general-requests?client=${await idOfClient(portal, BAKERY)}`;
    },
    fill: async (page, address) => {
      await page.goto(address);
      return button(page, 'Começar');
    },
  },
  'a service request is replied to': {
    who: 'lima',
    prepare: async (page) => {
      await enter(page, PEOPLE.lima, '');
      await page.goto('staff/service-requests?view=done');
      await page.locator('main tbody th a').first().click();
      await page.locator('summary', { hasText: 'Reopen' }).click();
      await page.getByLabel('What is missing?').fill('The file');
      await button(page, 'Reopen').click();
      await expect(button(page, 'Reply and complete')).toBeVisible();
      return page.url();
    },
    fill: async (page, address) => {
      await page.goto(address);
      await page.getByRole('textbox', { name: /^Reply/ }).fill('It is in your documents.');
      return button(page, 'Reply and complete');
    },
  },
  'a certificate is filed': {
    who: 'lima',
    prepare: async (page, portal) => {
      await enter(page, PEOPLE.lima, '');
      const client = await idOfClient(portal, 'Embalagens Ipê Ltda');
      await page.goto(`/clientcenter/pt/staff/clients/${client}/clearance-certificates`);
      await page
        .getByLabel('Órgão', { exact: true })
        .selectOption({ label: 'Débitos trabalhistas (CNDT do TST)' });
      await button(page, 'Acompanhar').click();
      await page
        .getByRole('rowheader')
        .getByRole('link', { name: /^Débitos trabalhistas/ })
        .click();
      return page.url();
    },
    fill: async (page, address) => {
      await page.goto(address);
      const text = `CERTIDAO NEGATIVA DE DEBITOS TRABALHISTAS\nCNPJ: 99.421.736/0001-09\nCertidao no: 51188220/2026\nExpedicao: ${brazilianDay(-2)}\nValidade: ${brazilianDay(178)}`;
      await page.getByLabel('PDF da certidão').setInputFiles({
        name: 'cndt.pdf',
        mimeType: 'application/pdf',
        buffer: pdfOf([text], { size: 10 }),
      });
      return button(page, 'Arquivar');
    },
  },
  'a project is created': {
    who: 'eleanor',
    fill: async (page) => {
      await page.goto('documents/project');
      await page.getByLabel('Project name').fill('Cut 2026');
      return button(page, 'Create project');
    },
  },
  'an article is written': {
    who: 'eleanor',
    fill: async (page) => {
      await page.goto('staff/news/new');
      await page.getByLabel('Title').fill('New hours in January');
      await page.getByLabel('Text', { exact: true }).fill('We are open until noon.');
      return button(page, 'Save as draft');
    },
  },
  'tasks for many clients are prepared': {
    who: 'eleanor',
    fill: async (page) => {
      await page.goto('staff/tasks/new?for=many');
      await page.getByLabel('Title', { exact: true }).fill('Monthly documents');
      await page.getByLabel('Document or question').fill('Bank statements');
      await page.getByLabel('Type of client').selectOption('all');
      return button(page, 'Review');
    },
  },
  'a template of tasks is copied': {
    who: 'eleanor',
    fill: async (page) => {
      await page.goto('staff/tasks/templates/starter-uk-personal');
      return button(page, 'Copy and adapt');
    },
  },
  'a review of access is started': {
    who: 'eleanor',
    fill: async (page) => {
      await page.goto('staff/access-review');
      return button(page, 'Start a review');
    },
  },
  'a payment is reported': {
    who: 'olivia',
    prepare: (page) => askedToPay(page, 'REPORTED-1'),
    fill: async (page, address) => {
      await page.goto(address);
      return button(page, 'I’ve paid').first();
    },
  },
  'details of a firm are changed': {
    who: 'eleanor',
    fill: async (page) => {
      await page.goto('staff/firm');
      await page.getByLabel('Opening hours').fill('Monday to Friday, 9 am to 5 pm');
      return button(page, 'Save');
    },
  },
  'a template of folders is saved': {
    who: 'eleanor',
    fill: async (page) => {
      await page.goto('staff/templates');
      await page.getByLabel('Name', { exact: true }).fill('Cut short');
      await page.getByLabel('Folders', { exact: true }).fill('Bank\nReceipts');
      return button(page, 'Save template');
    },
  },
  'a template of folders is applied': {
    who: 'eleanor',
    prepare: async (page) => {
      await enter(page, PEOPLE.eleanor, 'staff/templates');
      await page.getByLabel('Name', { exact: true }).fill('Applied by a form');
      await page.getByLabel('Folders', { exact: true }).fill('Bank\nReceipts');
      await button(page, 'Save template').click();
      await page
        .getByRole('row', { name: /Applied by a form/ })
        .getByRole('link', { name: /^Apply/ })
        .click();
      return page.url();
    },
    fill: async (page, address) => {
      await page.goto(address);
      await page.getByRole('checkbox').first().check();
      return button(page, /^(?:Apply|Create folders)/).last();
    },
  },
  'records are imported': {
    who: 'eleanor',
    prepare: async (page) => {
      await enter(page, PEOPLE.eleanor, 'staff/imports');
      await page.getByLabel('File', { exact: true }).setInputFiles({
        name: 'clients.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('Number,Name,Type\nCUT-1,Cut Short Ltd,business\nCUT-2,Cut Long Ltd,business\n'),
      });
      await button(page, 'Upload').click();
      await button(page, 'Check rows').click();
      await expect(button(page, 'Import 2 rows')).toBeVisible();
      return page.url();
    },
    fill: async (page, address) => {
      await page.goto(address);
      return button(page, 'Import 2 rows');
    },
  },
  'an invitation is accepted': {
    who: 'nobody',
    prepare: async (page) => {
      await enter(page, PEOPLE.eleanor, 'staff/people/new');
      await page.getByLabel('Email address').fill('accepting@northgate.example');
      await page.getByLabel('First name').fill('Ada');
      await page.getByLabel('Last name').fill('Accepting');
      await button(page, 'Save').click();
      const { link } = await linkInMailbox(page, 'invited you', 1, 'accepting@northgate.example');
      return link;
    },
    fill: async (page, address) => {
      await page.goto(address);
      await page.locator('input[type=password]').fill('plum-orchard-4417-violet');
      return page.locator('form button').last();
    },
  },
  'an employee is added': {
    who: 'lima',
    prepare: async (page, portal) => {
      await enter(page, PEOPLE.lima, '');
      return `/clientcenter/pt/staff/clients/${await idOfClient(portal, BAKERY)}/employees/new`;
    },
    fill: async (page, address) => {
      await page.goto(address);
      await page.getByLabel('Nome', { exact: true }).fill('Rosana Teles Prado');
      await page.getByLabel('CPF', { exact: true }).fill('111.444.777-35');
      await page.getByLabel('Admissão', { exact: true }).fill('2026-11-03');
      return button(page, 'Salvar');
    },
  },
  'payroll entries are sent': {
    who: 'ana',
    prepare: async (page, portal) => {
      await enter(page, PEOPLE.ana, '');
      const client = await idOfClient(portal, BAKERY);
      await page.goto(`/clientcenter/pt/actions/service-request/payroll-entries?client=${client}`);
      await page.locator('main tbody th a[href*="payroll-sheets"]').first().click();
      await page.getByRole('link', { name: 'Conferir e enviar' }).click();
      return page.url();
    },
    fill: async (page, address) => {
      await page.goto(address);
      return button(page, /^(?:Enviar|Está certo)/);
    },
  },
  'an invoice of others is marked': {
    who: 'ana',
    prepare: async (page, portal) => {
      await enter(page, PEOPLE.ana, '');
      const client = await idOfClient(portal, BAKERY);
      await page.goto(`/clientcenter/pt/actions/nfe-manifest/invoice-processing?client=${client}`);
      await page.locator('main tbody th a').first().click();
      return page.url();
    },
    fill: async (page, address) => {
      await page.goto(address);
      await page.getByRole('radio', { name: /^Confirmar/ }).check();
      return button(page, 'Marcar');
    },
  },
};

import type { Browser, Page } from 'playwright/test';
import { startMailServer, type MailServer } from '../tests/fault-injection/support/mail-server.ts';
import { startPortal, type Portal } from './support/portal.ts';
import { nameBatch, pdf } from './support/steps.ts';
import { expect, ONE_SIZE, test } from './support/test.ts';
import { totpNow } from './support/totp.ts';

/*
 * What every firm does first, without any demo data: from the printed link to the first document of a client in the
 * inbox.
 */

const PASSWORD = 'nine green kettles sing';
const PHONE = { width: 360, height: 740 };
const COUNT = 200;
const codeOf = (index: number): string => `C-${1000 + index}`;
const lines = (header: string, line: (index: number) => string): string =>
  [header, ...Array.from({ length: COUNT }, (_, index) => line(index))].join('\n');
const CLIENTS = lines('Number,Name,Type', (index) => `${codeOf(index)},Client ${index} LLC,business`);
const CONTACTS = lines(
  'Email,First name,Last name,Client number',
  (index) => `person${index}@client.example,Pat,Person ${index},${codeOf(index)}`,
);

for (const size of ONE_SIZE)
  test(`an empty portal becomes a working firm by its pages alone, ${size.width} pixels wide`, async ({
    browser,
  }) => {
    test.setTimeout(240_000);
    const office = await startMailServer();
    const portal = await startPortal({ DEMO: '0', SMTP_URL: office.url });
    const owner = await newPage(browser, portal, size);
    await setUpFirm(owner, portal);
    await brandFirm(owner);
    await addStaff(owner, office);
    await importFile(owner, 'Clients', CLIENTS);
    await importFile(owner, 'Contacts', CONTACTS);
    await publishPayslips(owner);
    await inviteContacts(owner);
    const contact = await newPage(browser, portal, PHONE);
    await acceptInvitation(contact, office, 'person7@client.example');
    await readAndUpload(contact);
    await findUpload(owner);
    await Promise.all([owner, contact].map((page) => page.context().close()));
    await portal.stop();
    await office.close();
  });

async function newPage(
  browser: Browser,
  { origin }: Portal,
  viewport: { width: number; height: number },
): Promise<Page> {
  const context = await browser.newContext({ viewport, baseURL: `${origin}/clientcenter/en-us/` });
  return context.newPage();
}

/** Opens the link that the portal prints, names the firm, and signs in with a second factor. */
async function setUpFirm(page: Page, portal: Portal): Promise<void> {
  await page.goto(/http\S+\/first-owner\/\S+/.exec(portal.output())?.[0] ?? '');
  await page.getByLabel('Firm name').fill('Northgate Accounting');
  await page.getByLabel('First name').fill('Grace');
  await page.getByLabel('Last name').fill('Okafor');
  await page.getByLabel('Email address').fill('grace@northgate.example');
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Set up portal' }).click();
  await signIn(page, 'grace@northgate.example');
  await addSecondFactor(page);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Set up your firm');
  await page.getByRole('button', { name: 'Send test email' }).click();
  await expect(async () => {
    await page.reload();
    await expect(step(page, 'Email')).toContainText('Done', { timeout: 500 });
  }).toPass();
}

const step = (page: Page, title: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: new RegExp(`^${title}`) }) });

async function signIn(page: Page, email: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** New firms require one of their staff. */
async function addSecondFactor(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  await page.getByLabel('Code from').fill(totpNow(await page.locator('code').innerText()));
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('button', { name: 'I’ve saved my codes' }).click();
}

async function brandFirm(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Firm phone and email' }).click();
  await page.getByLabel('Phone').fill('212 555 0199');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Firm details saved.')).toBeVisible();
  await page.goto('staff/start');
  await page.getByRole('link', { name: 'Logo and colors' }).click();
  await page.getByRole('group', { name: 'Header' }).getByLabel('Background').fill('#14532d');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('.header')).toHaveCSS('background-color', 'rgb(20, 83, 45)');
}

/** Adds a second owner and a member, who both accept. */
async function addStaff(page: Page, office: MailServer): Promise<void> {
  for (const [firstName, role] of [
    ['Hana', 'Owner'],
    ['Ivan', 'Member'],
  ] as const) {
    await page.goto('staff/people/new');
    await page.getByLabel('Email address').fill(`${firstName.toLowerCase()}@northgate.example`);
    await page.getByLabel('First name').fill(firstName);
    await page.getByLabel('Last name').fill('Berg');
    await page.getByLabel('Role').selectOption({ label: role });
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('row', { name: new RegExp(firstName) })).toContainText('Invited');
  }
  const browser = page.context().browser();
  if (!browser) throw new Error('The page has no browser.');
  for (const to of ['hana@northgate.example', 'ivan@northgate.example']) {
    const context = await browser.newContext({ baseURL: page.url().replace(/staff.*/, '') });
    await acceptInvitation(await context.newPage(), office, to);
    await context.close();
  }
  await page.goto('staff/start');
  await expect(step(page, 'A second owner')).toContainText('Done');
  await expect(step(page, 'Your team')).toContainText('Done');
}

async function acceptInvitation(page: Page, office: MailServer, to: string): Promise<void> {
  const mail = () => office.delivered.findLast((delivered) => delivered.to === to);
  // one of 200 that are sent in the background
  await expect
    .poll(() => mail()?.subject, { message: `the invitation of ${to}`, timeout: 90_000 })
    .toBeDefined();
  await page.goto(/http\S+\/invitation\/\S+/.exec(mail()?.text ?? '')?.[0] ?? '');
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create password and continue' }).click();
  await signIn(page, to);
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Sign in');
}

async function importFile(page: Page, kind: string, content: string): Promise<void> {
  await page.goto('staff/imports');
  await page.getByLabel('What the file contains').selectOption({ label: kind });
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: `${kind}.csv`, mimeType: 'text/csv', buffer: Buffer.from(content) });
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByRole('button', { name: 'Check rows' }).click();
  await expect(page.getByText(`${COUNT} new records`)).toBeVisible();
  await page.getByRole('button', { name: `Import ${COUNT} rows` }).click();
  await expect(page.getByText(`${COUNT} rows imported.`)).toBeVisible();
}

async function publishPayslips(page: Page): Promise<void> {
  await page.goto('staff/publish');
  await nameBatch(page, 'Payslips November');
  await page.getByLabel('Folder (optional)').fill('Payroll {year}/Payslips');
  await page.getByRole('button', { name: 'Create batch' }).click();
  const files = Array.from({ length: COUNT }, (_, index) => `${codeOf(index)} payslip November.pdf`);
  await page
    .getByLabel('Files', { exact: true })
    .setInputFiles(files.map((name) => ({ name, mimeType: 'application/pdf', buffer: pdf(name) })));
  await page.getByRole('button', { name: 'Add files' }).click();
  await expect(page.getByText(`${COUNT} files added.`)).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText(`${COUNT} ready`)).toBeVisible();
  await page.getByRole('button', { name: `Publish ${COUNT} files` }).click();
  await expect(async () => {
    await page.reload();
    await expect(page.getByText(`Published: ${COUNT} of ${COUNT}`)).toBeVisible({ timeout: 1000 });
  }).toPass();
}

async function inviteContacts(page: Page): Promise<void> {
  await page.goto('staff/people/invite');
  await page.getByRole('button', { name: 'Invite all' }).click();
  await expect(page.getByText(`Invitations sent: ${COUNT} of ${COUNT}`).first()).toBeVisible({
    timeout: 60_000,
  });
}

/** On a phone: the home page shows the payslip, and a document is uploaded. */
async function readAndUpload(page: Page): Promise<void> {
  await expect(page.getByRole('link', { name: 'C-1007 payslip November.pdf' })).toBeVisible();
  await page.goto('documents');
  await page.locator('input[name="file[]"]').setInputFiles({
    name: 'Hours of November.pdf',
    mimeType: 'application/pdf',
    buffer: pdf('Hours of November'),
  });
  await expect(page.locator('#alerts').getByText('Hours of November.pdf uploaded.')).toBeVisible();
}

/** The upload waits in the inbox, leads to the client's documents, and leaves once it is done. */
async function findUpload(page: Page): Promise<void> {
  await page.goto('staff/inbox');
  await page.getByRole('link', { name: 'All 1' }).click();
  const group = page.getByRole('region', { name: 'Client 7 LLC' });
  const entry = group.getByRole('listitem').filter({ hasText: 'Hours of November.pdf' });
  await entry.getByRole('link').click();
  await expect(page.getByRole('link', { name: 'Hours of November.pdf', exact: true })).toBeVisible();
  await page.goBack();
  const menu = entry.getByRole('button', { name: /^Actions for/ }); // on phones
  if (await menu.isVisible()) await menu.click();
  else await entry.hover();
  await entry.getByRole('button', { name: /^Done/ }).click();
  await expect(page.getByText('The firm’s inbox is empty')).toBeVisible();
}

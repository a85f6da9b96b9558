import type { Page } from 'playwright/test';
import { expectUsable, WIDTHS } from './support/accessibility.ts';
import type { Portal } from './support/portal.ts';
import { linkInMailbox, openFolders } from './support/steps.ts';
import { PEOPLE, enter, expect, signIn, test } from './support/test.ts';

test.describe.configure({ mode: 'parallel' }); // the longest file: each walk may run on another worker

/**
 * The pages inside the frame, in every state, checked for accessibility, width and markup. A page that no
 * walk opens fails the run (e2e/support/every-page.ts).
 */
const WALK: readonly (readonly [
  name: string,
  path: string,
  prepare?: ((page: Page) => Promise<void>) | undefined,
])[] = [
  ['documents', 'documents'],
  [
    'documents, one selected',
    'documents',
    (page) => page.locator('#document-list input[name=id]').first().check(),
  ],
  ['documents, empty folder', 'documents', (page) => openFolder(page, /Your uploads/)],
  ['documents, no results', 'documents?name=zzzz'],
  ['organize, nothing selected', 'documents/organize'],
  ['documents without folders', 'documents?view=flat&read=no'],
  ['a new folder with errors', 'documents', makeBadFolder],
  ['the share dialog', 'documents', openShareDialog],
  [
    'the share dialog with errors',
    'documents',
    async (page) => {
      await openShareDialog(page);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.locator('.error-summary').waitFor();
    },
  ],
  [
    'a refused file',
    'documents',
    (page) =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name: 'bad.exe', mimeType: 'x/y', buffer: Buffer.from('MZ') }),
  ],
  ['the account menu', 'documents', (page) => page.locator('#account summary').click()],
  ['the help menu', 'documents', (page) => page.locator('#help summary').click()],
  [
    'the profile dialog',
    'documents',
    async (page) => {
      await page.locator('#account summary').click();
      await page.getByRole('link', { name: 'Profile settings' }).click();
    },
  ],
  ['profile', 'profile'],
  [
    'profile with errors',
    'profile',
    (page) =>
      page
        .getByLabel('First name')
        .fill('')
        .then(() => page.getByRole('button', { name: 'Save' }).click()),
  ],
  ['the theme settings, without permission', 'staff/theme'], // with permission: e2e/look.spec.ts
  ['more details of an alert', 'kit', (page) => page.getByRole('button', { name: 'More details' }).click()],
  [
    'the language dialog',
    'documents',
    (page) => page.getByRole('link', { name: 'English (United States)' }).click(),
  ],
  [
    'the menu with more actions',
    'documents',
    (page) =>
      page
        .locator('#document-list input[name=id]')
        .first()
        .check()
        .then(() => page.locator('.more summary').click()),
  ],
  [
    'comments with errors',
    'documents',
    (page) =>
      openComments(page)
        .then(() => page.locator('#comment button').click())
        .then(() => page.locator('.error-summary').waitFor()),
  ],
  ['a PDF in the viewer', 'documents', (page) => openViewer(page, 'Balancete')],
  [
    'a PDF in the viewer, with search and zoom',
    'documents',
    (page) => openViewer(page, 'Balancete', { find: 'caixa', zoom: '150' }),
  ],
  ['an invoice in the viewer', 'documents', (page) => openViewer(page, 'nfe-1001')],
  ['share, nothing selected', 'documents/send'],
  ['scanning', 'documents/scan'],
  ['download, nothing selected', 'documents/download'],
  ['receipts', 'receipts'],
  ['a receipt', 'receipts', (page) => page.locator('main a[href*="/receipts/"]').first().click()],
  ['verify a receipt', 'verify'],
  ['verify a receipt, with errors', 'verify', submitEmpty],
  ['share a folder', 'documents/send', openFolderToSend],
  ['my shares', 'shares'],
  ['clients', 'clients'],
  ['the list of other clients', 'documents', (page) => page.locator('.client-bar summary').click()],
  ['clients, no results', 'clients?searchTerm=zzzz'],
  ['accounts', 'account-switch'],
  ['terms, none due', 'terms-and-conditions'],
  ['the terms of the firm, without permission', 'staff/terms'],
  ['sign-in and security', 'profile/security'],
  ['activity', 'profile/activity'],
  ['mailbox', 'mailbox'],
  ['the component library', 'kit'],
];

/** Pages with a single narrow column. */
const COLUMN_WALK: typeof WALK = [
  ['sign-in error', 'auth/signin-error'],
  ['an expired sign-in link', 'auth/continue'],
  ['no saved draft', 'kept-form'],
  ['firm locked', 'auth/firm-locked'],
  ['second step', 'auth/mfa-required'],
  ['step-up authentication', 'auth/confirm'],
  ['leaving for another site, without a redirect', 'auth/leaving'], // with a redirect: e2e/issuer.spec.ts
  ['second step, none pending', 'auth/second-step'],
  ['password reset', 'auth/forgot'],
  ['password reset, requested', 'auth/forgot?sent'],
  ['password reset, link expired', 'auth/reset/none'],
  ['rescue code', 'auth/rescue'],
  ['rescue code with errors', 'auth/rescue', submitEmpty],
  ['invitation, link expired', 'auth/invitation/none'],
  ['first owner, link expired', 'auth/first-owner/none'],
  ['language', 'language'],
  ['an unknown share link', 'share/none'],
  ['not authorized', 'not-authorized'],
  ['not authorized, for staff', 'not-authorized?because=staff'],
  ['not found', 'notfound'],
];

/** Checks the client picker: with results, without any, and when loading fails. */
async function expectPickerUsable(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Select a client' });
  await page.getByRole('button', { name: 'Change client' }).click();
  await dialog.getByText('1 – 25 of 40').waitFor();
  await expectUsable(page, 'the client picker');
  await dialog.getByRole('searchbox').fill('zzzz');
  await dialog.getByText('No client has this in its name.').waitFor();
  await expectUsable(page, 'the client picker, no results');
  await page.route(/v1\/clients\//, (route) => route.fulfill({ status: 404, json: { errors: [] } }));
  await dialog.getByRole('searchbox').fill('dover');
  await dialog.getByRole('alert').waitFor();
  await expectUsable(page, 'the client picker, loading failed');
}
/** Deleting documents, and the trash, in each state. */
const TRASH_WALK: typeof WALK = [
  [
    'the confirmation before deleting',
    'documents',
    (page) => chooseAnd(page, 'Delete').then(() => page.locator('dialog[open]').waitFor()),
  ],
  ['delete, nothing selected', 'documents/delete'],
  [
    'the confirmation on a page',
    'documents',
    (page) =>
      chosenAddress(page, 'documents/delete').then(async (address) => void (await page.goto(address))),
  ],
  ['the trash with a document', 'documents/trash', putIntoTrash],
  [
    'the trash, nothing selected',
    'documents/trash',
    // with scripts on the buttons appear with a selection
    (page) =>
      page
        .getByRole('button', { name: 'Restore', includeHidden: true })
        .first()
        .dispatchEvent('click')
        .then(() => page.getByRole('main').getByRole('alert').waitFor()),
  ],
  [
    'the confirmation before deleting permanently',
    'documents/trash',
    (page) =>
      page
        .locator('main input[name=id]')
        .first()
        .check()
        .then(() => page.getByRole('button', { name: 'Delete for good' }).click()),
  ],
];

/** Home, tasks and actions, for a contact who has every area. */
const PARTS_WALK: typeof WALK = [
  ['the document of a link', 'documents', openLinkedDocument],
  ['home', 'home'],
  ['the side menu', 'home', openSideMenu],
  ['tasks', 'tasks'],
  ['actions', 'actions'],
  ['an action that is no longer available', 'actions?closed=service-request/mocks'],
  ['an action', 'actions/service-request/vacation-notice'],
  ['an action in the mobile app', 'mobile/actions/service-request/vacation-notice'],
  ['an action that is not available', 'actions/service-request/mocks'],
  ['actions, not authorized', 'actions/not-authorized'],
  ['a deep link', '.well-known/tasks'],
  ['a client by address', 'company/1'],
  [
    'the start page of the mobile app',
    'documents',
    (page) =>
      page
        .evaluate(() => sessionStorage.setItem('ccMobile', 'true'))
        .then(async () => void (await page.goto('mobile'))),
  ],
];

/**
 * The staff pages, in the order of a visit; ID stands for a contact, MAIL for a mail. The last ones are seen while viewing as
 * that contact.
 */
const STAFF_WALK: typeof WALK = [
  ['the settings of the firm', 'staff/settings'],
  ['contacts', 'staff/contacts'],
  ['contacts, no results', 'staff/contacts?searchTerm=zzzz'],
  ['the audit log', 'staff/audit'],
  ['the audit log, no results', 'staff/audit?person=zzzz'],
  ['mails', 'staff/mails'],
  ['mails, no results', 'staff/mails?recipient=nobody%40example.com'],
  ['a mail that was not delivered', 'staff/mails/MAIL'],
  ['a letter about a mail', 'staff/mails/MAIL/letter'],
  ['access', 'staff/access'],
  ['access, no results', 'staff/access?q=zzzz'],
  [
    'access of a contact',
    'staff/access?q=ana',
    (page) => page.getByRole('link', { name: 'Ana Souza' }).click(),
  ],
  ['access of everybody', 'staff/access?contact=everybody'],
  ['permissions without an item', 'documents/rights'],
  ['permissions and locks of a client', 'documents', openRights],
  [
    'permissions of a document',
    'documents',
    (page) => openRights(page).then(() => page.locator('main .choices a').first().click()),
  ],
  ['domains to share with', 'staff/sharing'],
  [
    'domains to share with, with an error',
    'staff/sharing',
    (page) =>
      page
        .getByLabel('Allowed domains')
        .fill('not a domain')
        .then(() => page.getByRole('button', { name: 'Save' }).click())
        .then(() => page.locator('.error-summary').waitFor()),
  ],
  ['invitations', 'staff/invitations'],
  ['invitations with errors', 'staff/invitations', submitEmpty],
  ['a rescue code', 'staff/rescue'],
  ['a rescue code with errors', 'staff/rescue', submitEmpty],
  ['view as', 'staff/view-as/ID'],
  [
    'view as, without a reason',
    'staff/view-as/ID',
    (page) =>
      page
        .getByRole('button', { name: 'Start viewing' })
        .click()
        .then(() => page.locator('.error-summary').waitFor()),
  ],
  [
    'documents, viewing as',
    'staff/view-as/ID',
    async (page) => {
      await page.getByLabel('Reason').fill('She asked me to look at her folders.');
      await page.getByRole('button', { name: 'Start viewing' }).click();
      await page.waitForURL((url) => !url.pathname.includes('view-as'));
    },
  ],
  ['stop viewing', 'staff/view-as/end'],
  ['read-only message', 'staff/view-as/read-only'],
];

/** Opens the permissions of a project that contains documents. */
async function openRights(page: Page): Promise<void> {
  await openFolders(page);
  await page
    .getByRole('navigation', { name: 'Folders' })
    .getByRole('link', { name: /Contabilidade/ })
    .first()
    .click();
  await page.getByRole('link', { name: 'Rights and locks' }).click();
  await page.getByRole('heading', { name: 'Who may do what' }).waitFor();
}

/** Submits the form of a page as it is, without the browser's own validation. */
async function submitEmpty(page: Page): Promise<void> {
  await page
    .locator('main form')
    .first()
    .evaluate((form: HTMLFormElement) => {
      form.noValidate = true;
      form.requestSubmit();
    });
  await page.locator('.error-summary').waitFor();
}

async function openFolder(page: Page, name: RegExp): Promise<void> {
  await openFolders(page);
  await page.getByRole('link', { name }).click();
}

/** Tries to create a folder with an invalid name. */
async function makeBadFolder(page: Page): Promise<void> {
  await page.locator('.new-folder summary').click();
  await page.locator('#folder-folderName').fill('a/b');
  await page.locator('.new-folder form button').click();
  await page.locator('.error-summary').waitFor();
}

async function chooseAnd(page: Page, button: string): Promise<void> {
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: button, exact: true }).click();
}

const chosenAddress = async (page: Page, address: string): Promise<string> =>
  `${address}?id=${(await page.locator('#document-list input[name=id]').first().getAttribute('value')) ?? ''}`;

/** Uploads a document and deletes it, so that the trash is not empty. */
async function putIntoTrash(page: Page): Promise<void> {
  await expectUsable(page, 'the trash');
  await page.goto('documents');
  await page.locator('input[type=file]').setInputFiles({
    name: 'Deleted at once.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.4 deleted at once %%EOF'),
  });
  await page
    .getByRole('row', { name: /Deleted at once/ })
    .getByRole('checkbox')
    .first()
    .check();
  await page.goto(await chosenAddress(page, 'documents/delete'));
  await page.getByRole('button', { name: /^Delete 1 document/ }).click();
  await page.waitForURL(/\/documents$/);
  await page.goto('documents/trash');
}

async function openFolderToSend(page: Page): Promise<void> {
  await page.goto('documents');
  await openFolder(page, /Contabilidade 2026/);
  await page.getByRole('link', { name: 'Send this folder by e-mail' }).click();
  await page.getByLabel('Subject').waitFor();
}

async function openLinkedDocument(page: Page): Promise<void> {
  const id = await page.locator('#document-list input[name=id]').first().getAttribute('value');
  await page.goto(`documents?document=${id ?? ''}`);
  await page.getByRole('heading', { name: 'The document of your link' }).waitFor();
}

/** Opens the first document with this name in the viewer, at `documents/ID/view`. */
async function openViewer(page: Page, name: string, query: Record<string, string> = {}): Promise<void> {
  const clients = await (await page.request.get('/api/client-center/v1/clients/')).text();
  const client = /"(client_\w+)"(?:(?!client_).)*Padaria Sol Nascente/.exec(clients)?.[1] ?? '';
  await page.goto(`documents?${new URLSearchParams({ view: 'flat', name, client })}`);
  const id = await page.locator('#document-list input[name=id]').first().getAttribute('value');
  await page.goto(`documents/${id ?? ''}/view?${new URLSearchParams(query)}`);
  await page.getByRole('link', { name: 'Back to the documents' }).waitFor();
}

async function openSideMenu(page: Page): Promise<void> {
  const menu = page.locator('.side-menu summary');
  if (await menu.isVisible()) await menu.click();
}

async function openComments(page: Page): Promise<void> {
  await page.locator('#document-list input[name=id]').first().check();
  await page.locator('.more summary').click();
  await page.locator('.more [value=comment]').click();
  await page.locator('#comment-text').waitFor();
}

async function openShareDialog(page: Page): Promise<void> {
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Send by e-mail' }).click();
  await page.locator('dialog[open]').waitFor();
}

/**
 * Checks share links in each state a recipient may see: unopened, open, with a code, after a wrong code,
 * expired, and requested again.
 */
async function expectLinksUsable(page: Page, portal: Portal): Promise<void> {
  const form = {
    locale: 'en-US',
    expirationPeriod: 'AfterOneDay',
    recipients: [{ emailAddress: 'states@supplier.example' }],
  };
  const documents = await page
    .locator('#document-list input[name=id]')
    .evaluateAll((boxes) => boxes.map((box) => box.getAttribute('value') ?? ''));
  const sharedItems = documents
    .slice(0, 2)
    .map((documentId) => ({ containerType: 'Folder', containerId: '-', documentId }));
  const share = async (extra: object): Promise<string> => {
    const subject = `States ${crypto.randomUUID()}`;
    const answer = await page.request.post('/api/storage/v2/sharing/share', {
      data: { ...form, overrides: { subject }, sharedItems, ...extra },
      headers: { Origin: portal.origin },
    });
    expect(answer.status()).toBe(200);
    return (await linkInMailbox(page, subject)).link;
  };
  const plain = await share({});
  const coded = await share({ authorizationCode: 'croissant-41' });
  await page.goto(plain);
  await expectUsable(page, 'a share link');
  await page.getByRole('button', { name: /Open the document/ }).click();
  await page
    .getByRole('link', { name: /^Download/ })
    .first()
    .waitFor();
  await expectUsable(page, 'an opened share link');
  await page.goto(coded);
  await expectUsable(page, 'a share link with an access code');
  await page.getByLabel('Authorization code').fill('not-this-one');
  await page.getByRole('button', { name: /Open the document/ }).click();
  await page.locator('.error-summary').waitFor();
  await expectUsable(page, 'a share link after a wrong code');
  await page.goto('shares');
  await expectUsable(page, 'my shares, with two shares');
  const steps = await page
    .locator('article')
    .first()
    .getByRole('link', { name: /Extend|End all|Send again/ })
    .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
  expect(steps).toHaveLength(3);
  for (const step of steps) {
    await page.goto(step);
    await expectUsable(page, 'my shares, confirmation');
  }
  await portal.sql('update shares set expires_at = 1');
  await page.goto(steps.find((step) => step.includes('act=extend')) ?? '');
  await page.getByRole('button', { name: 'Extend' }).click();
  await page.locator('.error-summary').waitFor();
  await expectUsable(page, 'my shares, extending an expired link');
  await page.goto('shares');
  await expectUsable(page, 'my shares, expired');
  await page.goto(coded);
  await expectUsable(page, 'an expired share link');
  await page.getByRole('button', { name: 'Ask for a new link' }).click();
  await expect(page.getByRole('status').last()).toContainText('We have asked Ana Souza');
  await expectUsable(page, 'a requested share link');
  await page.goto('mailbox/');
  await page.getByRole('main').getByRole('row').getByRole('link').first().click();
  await page.locator('.text').waitFor();
  await expectUsable(page, 'a mail');
}

/** Checks the second step: setting it up, its QR code, a wrong code, recovery codes, and the next sign-in. */
async function expectSecondStepUsable(page: Page, portal: Portal): Promise<void> {
  for (const table of ['totp_secrets', 'recovery_codes', 'limits']) await portal.sql(`delete from ${table}`);
  const signInAs = async (): Promise<void> => {
    await page.context().clearCookies();
    await page.goto(`${portal.origin}/clientcenter/en-us/auth`);
    await signIn(page, PEOPLE.priya);
  };
  await signInAs();
  await expectUsable(page, 'second step, setup');
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  await page.getByLabel('Code from your authenticator app').fill('000000');
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.locator('.error-summary').waitFor();
  await expectUsable(page, 'second step, wrong code');
  const code =
    /\d{6}/.exec(await page.getByText('This is a demo: the app would show').innerText())?.[0] ?? '';
  await page.getByLabel('Code from your authenticator app').fill(code);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  await expectUsable(page, 'recovery codes');
  await page.getByRole('button', { name: 'I have kept the codes' }).click();
  await page.goto('profile/security');
  await expectUsable(page, 'sign-in and security, with an app');
  await signInAs();
  await page.getByText('Use a recovery code').click();
  await expectUsable(page, 'second step');
}

/** Opens each page on a phone, without alerts of the previous one, and checks it. */
async function walk(page: Page, pages: typeof WALK): Promise<void> {
  for (const [name, path, prepare] of pages) {
    await page.evaluate(() => sessionStorage.clear());
    await narrow(page);
    await page.goto(path);
    await prepare?.(page);
    await expectUsable(page, name);
  }
}

const narrow = (page: Page): Promise<void> => page.setViewportSize({ width: WIDTHS[0], height: 800 });

async function enterOnPhone(page: Page, email: string): Promise<void> {
  await narrow(page);
  await enter(page, email);
}

// Two parts, so that two workers can run them in parallel.
for (const [part, pages] of [WALK.slice(0, WALK.length / 2), WALK.slice(WALK.length / 2)].entries()) {
  test(`the pages of a contact are accessible and valid, part ${part + 1} of 2`, async ({ page }) => {
    test.setTimeout(180_000);
    await enterOnPhone(page, PEOPLE.ana);
    await walk(page, pages);
  });
}

test('home, tasks and actions are accessible and valid', async ({ page }) => {
  test.setTimeout(120_000);
  await enterOnPhone(page, PEOPLE.ana);
  await walk(page, PARTS_WALK);
});

test('share links in each state are accessible and valid', async ({ page, portal }) => {
  test.setTimeout(120_000);
  await enterOnPhone(page, PEOPLE.ana);
  await expectLinksUsable(page, portal);
});

test('the trash is accessible and valid', async ({ page }) => {
  test.setTimeout(120_000);
  await enterOnPhone(page, PEOPLE.ana);
  await walk(page, TRASH_WALK);
});

test('the client picker is accessible and valid', async ({ page }) => {
  await enterOnPhone(page, PEOPLE.marcus);
  await expectPickerUsable(page);
});

test('the staff pages are accessible and valid', async ({ page }) => {
  test.setTimeout(180_000);
  await enterOnPhone(page, PEOPLE.lima);
  await page.goto('staff/contacts?searchTerm=ana%40padaria.example');
  const contact =
    /view-as\/(\w+)/.exec(
      (await page.getByRole('link', { name: 'View as Ana' }).getAttribute('href')) ?? '',
    )?.[1] ?? '';
  await page.goto('staff/mails?state=bounced');
  const link = page.getByRole('rowheader').getByRole('link').first();
  const mail = /mail_\w+/.exec((await link.getAttribute('href')) ?? '')?.[0] ?? '';
  await walk(
    page,
    STAFF_WALK.map(([name, path, prepare]) => [
      name,
      path.replace('ID', contact).replace('MAIL', mail),
      prepare,
    ]),
  );
});

test('the single-column pages are accessible and valid', async ({ page, portal }) => {
  test.setTimeout(120_000);
  await narrow(page);
  await page.goto('auth');
  await expectUsable(page, 'sign in');
  await page.goto('auth/logout');
  await expectUsable(page, 'signed out');
  await enterOnPhone(page, PEOPLE.ana);
  await walk(page, COLUMN_WALK);
  await page.goto(`${portal.origin}/api/docs`);
  await expectUsable(page, 'API documentation');
});

test('the second step is accessible and valid', async ({ page, portal }) => {
  test.setTimeout(120_000);
  await narrow(page);
  await expectSecondStepUsable(page, portal);
});

test('terms, accounts, sign-in links and the session timeout are accessible and valid', async ({
  page,
  portal,
}) => {
  test.setTimeout(120_000);
  await narrow(page);
  await page.goto('');
  await signIn(page, 'tess@terms.example');
  await page.getByRole('button', { name: 'Accept and continue' }).waitFor();
  await expectUsable(page, 'terms to accept');
  await page.context().clearCookies();
  await page.goto('staff/terms');
  await signIn(page, 'hart@maplehart.example');
  await page.getByRole('button', { name: 'Publish' }).waitFor();
  await expectUsable(page, 'the terms of the firm');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expectUsable(page, 'the terms of the firm, with an error');
  await page.context().clearCookies();
  await page.goto('');
  await signIn(page, 'daniel@twofirms.example');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.goto('account-switch');
  await expectUsable(page, 'linked accounts');
  const issued = await page.request.post(`${portal.origin}/api/security/v1/long-tokens`, {
    data: { kind: 'link' },
    headers: { Origin: portal.origin },
  });
  await page.goto(`documents?token=${((await issued.json()) as { longToken: string }).longToken}`);
  await expectUsable(page, 'a sign-in link');
  await page.goto('clients');
  await page.evaluate(() => document.querySelector<HTMLDialogElement>('#session-end')?.showModal());
  await expectUsable(page, 'the session timeout');
});

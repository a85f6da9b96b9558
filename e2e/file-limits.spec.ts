import { MAX_FILE_BYTES } from '#platform/tabular/tabular.ts';
import { PAGES } from '../src/routes.ts';
import { WHOLE } from '../tests/support/whole.ts';
import { EXAMPLES } from './examples/all.ts';
import type { FileForm } from './examples/page-example.ts';
import { nameBatch } from './support/steps.ts';
import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/*
 * Every page whose form has a file takes one of the size that its entry in src/routes.ts allows. One byte more is refused
 * beside the field, and what was typed stays.
 */

const padded =
  (start: Buffer | string, end = '') =>
  (size: number): Buffer =>
    Buffer.concat([
      Buffer.from(start),
      Buffer.alloc(size - Buffer.byteLength(start) - end.length, ' '),
      Buffer.from(end),
    ]);

const PDF = '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const LIST = `Name,Number\n${Array.from({ length: 4000 }, (_, at) => `payslip ${at}.pdf,${' '.repeat(4900)}${at}\n`).join('')}`;

const FORMS: Readonly<Record<string, FileForm>> = {
  ...Object.fromEntries(
    Object.entries(EXAMPLES).flatMap(([page, { takesFile }]) => (takesFile ? [[page, takesFile]] : [])),
  ),
  '/[base]/[lang]/staff/tasks/payment': {
    open: async (page) => {
      await enter(page, PEOPLE.eleanor, 'staff/tasks/payment?q=juniper');
      await page.locator('main .choices a').first().click();
      await page.getByLabel('Amount').fill('1250.50');
    },
    field: /^Invoice as a PDF/,
    typed: [/^Invoice number/, 'LIMIT-1'],
    submit: 'Request payment',
    file: {
      name: 'invoice.pdf',
      mimeType: 'application/pdf',
      bytes: padded(PDF, 'trailer<</Root 1 0 R>>\n%%EOF'),
    },
    taken: /Payment requested/,
  },
  '/[base]/[lang]/staff/service-requests/[requestId]': {
    open: async (page) => {
      await enter(page, PEOPLE.lima, 'staff/service-requests?view=done');
      await page.goto('/clientcenter/en-us/staff/service-requests?view=done');
      await page.locator('main tbody th a').first().click();
      await page.locator('summary', { hasText: 'Reopen' }).click();
      await page.getByLabel('What is missing?').fill('The file');
      await page.getByRole('button', { name: 'Reopen', exact: true }).click();
    },
    field: /^Files for the client/,
    typed: [/^Reply \(optional/, 'LIMIT-1'],
    submit: 'Reply and complete',
    file: { name: 'notice.pdf', mimeType: 'application/pdf', bytes: padded(PDF) },
    taken: /Replied\. The client was notified/,
  },
  '/[base]/[lang]/staff/theme': {
    open: (page) => enter(page, PEOPLE.eleanor, 'staff/theme'),
    field: /^Logo/,
    typed: [/^Header name/, 'Hart since 1987'],
    submit: 'Save',
    file: { name: 'logo.png', mimeType: 'image/png', bytes: padded(PNG) },
    taken: /Branding saved/,
  },
  '/[base]/[lang]/staff/clients/[id]/clearance-certificates/[agencyId]': {
    open: async (page) => {
      await enter(page, PEOPLE.lima, 'staff/clearance-certificates?searchTerm=padaria&agency=federal');
      await page.getByRole('rowheader').getByRole('link').first().click();
    },
    field: /^PDF of the certificate/,
    typed: [/^Number/, 'LIMIT-1'],
    submit: 'File',
    file: {
      name: 'certificate.pdf',
      mimeType: 'application/pdf',
      bytes: padded(PDF, 'trailer<</Root 1 0 R>>\n%%EOF'),
    },
    taken: /No CNPJ or CPF can be read in this PDF/,
  },
  '/[base]/[lang]/staff/clients/[id]/digital-certificate': {
    open: async (page) => {
      await enter(page, PEOPLE.lima, 'staff/clearance-certificates?searchTerm=padaria&agency=federal');
      const href = await page.getByRole('rowheader').getByRole('link').first().getAttribute('href');
      await page.goto((href ?? '').replace(/clearance-certificates.*/, 'digital-certificate'));
    },
    field: /^Certificate file/,
    submit: 'Store certificate',
    file: {
      name: 'certificate.p12',
      mimeType: 'application/x-pkcs12',
      bytes: padded(PDF),
    },
    taken: /Enter the password of the file/,
  },
  '/[base]/[lang]/actions/nfe-manifest/digital-certificate': {
    open: (page) => enter(page, PEOPLE.ana, 'actions/nfe-manifest/digital-certificate'),
    field: /^Certificate file/,
    submit: 'Store certificate',
    file: {
      name: 'certificate.p12',
      mimeType: 'application/x-pkcs12',
      bytes: padded(PDF),
    },
    taken: /Enter the password of the file/,
  },
  '/[base]/[lang]/actions/service-request/payroll-sheets/[sheetId]/paste': {
    open: async (page) => {
      await enter(page, PEOPLE.ana, 'actions');
      const bakery = page.locator('button[name=client]').filter({ hasText: 'Padaria Sol Nascente Ltda' });
      const client = (await bakery.count()) > 0 ? await bakery.first().getAttribute('value') : null;
      await page.goto(`actions/service-request/payroll-entries${client === null ? '' : `?client=${client}`}`);
      await page.locator('main tbody th a[href*="payroll-sheets"]').first().click();
      await page.getByRole('link', { name: 'Paste from a spreadsheet' }).click();
    },
    field: /^Or a file/,
    typed: [/^Copied cells/, 'LIMIT-1'],
    submit: 'Preview',
    file: { name: 'entries.csv', mimeType: 'text/csv', bytes: padded(LIST) },
    taken: /What will change/,
  },
  '/[base]/[lang]/staff/clearance-certificates/upload': {
    open: (page) => enter(page, PEOPLE.lima, 'staff/clearance-certificates/upload'),
    field: /^PDFs/,
    submit: 'File',
    file: {
      name: 'certificate.pdf',
      mimeType: 'application/pdf',
      bytes: padded(PDF, 'trailer<</Root 1 0 R>>\n%%EOF'),
    },
    taken: /Not recognized as a certificate/,
  },
  '/[base]/[lang]/staff/publish': {
    open: async (page) => {
      await enter(page, PEOPLE.eleanor, 'staff/clients?searchTerm=JB-1042');
      await page.getByRole('checkbox', { name: 'Select Juniper Street Bakery LLC' }).check();
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
    },
    field: /^Files/,
    submit: 'Continue',
    file: {
      name: 'letter.pdf',
      mimeType: 'application/pdf',
      bytes: padded(PDF, 'trailer<</Root 1 0 R>>\n%%EOF'),
    },
    taken: /1 ready/,
  },
  '/[base]/[lang]/staff/publish/[batchId]': {
    open: async (page) => {
      await enter(page, PEOPLE.eleanor, 'staff/publish');
      await nameBatch(page, 'Limits');
      await page.getByLabel('Folder').fill('Limits');
      await page.getByRole('button', { name: 'Create batch' }).click();
      await page.getByLabel('Files', { exact: true }).setInputFiles({
        name: 'a.pdf',
        mimeType: 'application/pdf',
        buffer: Buffer.from(PDF),
      });
      await page.getByRole('button', { name: 'Add files' }).click();
    },
    field: /^List/,
    submit: 'Use list',
    file: { name: 'list.csv', mimeType: 'text/csv', bytes: padded(LIST) },
    taken: /lines of the list/,
  },
};

/** How limits are told, where they are not 20 MB. */
const SIZES: Readonly<Record<number, string>> = { 5_000_000: '5 MB', 200_000: '200 kB' };

test('every page that takes files is in the table, and no other', () => {
  const taking = Object.entries(PAGES).flatMap(([name, { takesFiles }]) =>
    takesFiles === undefined ? [] : [name],
  );
  // the style guide has a field for files, which it does not keep
  expect(taking.toSorted()).toEqual([...Object.keys(FORMS), '/[base]/[lang]/kit'].toSorted());
});

for (const [way, { viewport, javaScriptEnabled }] of WAYS.entries())
  test.describe(`${viewport.width} px, scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });

    // `npm test` tries each page in one of the ways
    const forms = Object.entries(FORMS).filter((_, place) => WHOLE || place % WAYS.length === way);
    for (const [name, { open, field, typed, submit, file, taken }] of forms)
      test(`${name.split('/').slice(3).join('/')} takes a file of its limit, and refuses a larger one beside its field`, async ({
        page,
      }) => {
        const limit = PAGES[name]?.takesFiles ?? 0;
        await open(page);
        const control = page.getByLabel(field).and(page.locator('[type=file]'));
        const send = async (size: number): Promise<void> => {
          await control.setInputFiles({ ...file, buffer: file.bytes(size) });
          await page.getByRole('button', { name: submit, exact: true }).click();
        };
        const text = typed ? page.getByLabel(typed[0]) : undefined;
        await text?.fill(typed?.[1] ?? '');
        await send(limit + 1);
        await expect(page.getByRole('main').getByRole('alert')).toContainText('Choose a file of at most');
        await expect(page.locator('.field-error')).toContainText(SIZES[limit] ?? '20 MB');
        await expect(control).toHaveAttribute('aria-describedby', /-error/);
        if (text) await expect(text).toHaveValue(typed?.[1] ?? '');
        await send(limit);
        await expect(page.locator('body')).toContainText(taken);
      });

    test('an import takes 20 MB, and refuses one byte more beside its field without losing the choice', async ({
      page,
    }) => {
      const rows = (size: number): Buffer => padded(`Number,Name,Note\n${LIST}`)(size);
      await enter(page, PEOPLE.eleanor, 'staff/imports');
      const control = page.getByLabel('File', { exact: true });
      const send = async (size: number): Promise<void> => {
        await page.locator('#kind').selectOption('contacts');
        await control.setInputFiles({ name: 'contacts.csv', mimeType: 'text/csv', buffer: rows(size) });
        await page.getByRole('button', { name: 'Upload' }).click();
      };
      await send(MAX_FILE_BYTES + 1);
      await expect(page.locator('#file-error')).toHaveText('The file is larger than 20 MB. Split it.');
      await expect(page.locator('#kind')).toHaveValue('contacts');
      await send(MAX_FILE_BYTES);
      await expect(page.getByRole('button', { name: 'Check rows' })).toBeVisible();
    });
  });

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ImapFlow } from 'imapflow';
import type { Page } from 'playwright/test';
import { startDovecot } from '../scripts/services.mjs';
import { a1Of, CERTIFICATE_PASSWORD } from '../tests/support/digital-certificates.ts';
import { BAKERY, cancellationXml, keyOf, MILL, noteXml, zipOf } from '../tests/support/fiscal.ts';
import { startTaxAuthority, summaryXml } from '../tests/support/tax-authority.ts';
import { expectUsable } from './support/accessibility.ts';
import { freePort, startPortal, type Portal } from './support/portal.ts';
import { idOfClient } from './support/steps.ts';
import { PEOPLE, SIZES, enter, expect, test as portalTest } from './support/test.ts';

/*
 * A month of fiscal documents in each of the five ways: an upload, a call, the watched folder, an email, the tax authority.
 * And an invoice from the mark of its recipient to the protocol of the authority, whose answer is lost on its way.
 */

const PT = '/clientcenter/pt';
const STRANGER = '66019348000139';
const MONTH = '2026-10';
const issuedAt = `${MONTH}-05T10:00:00-03:00`;
let dovecot: Awaited<ReturnType<typeof startDovecot>>;
let authority: Awaited<ReturnType<typeof startTaxAuthority>>;
let running: Portal;
let environment: Record<string, string> = {};
const folder = mkdtempSync(path.join(tmpdir(), 'portal-watched-'));

const test = portalTest.extend<object, { portal: Portal }>({
  portal: [
    async ({}, use) => {
      [dovecot, authority] = [await startDovecot(), await startTaxAuthority()];
      mkdirSync(path.join(folder, BAKERY));
      const roots = path.join(folder, '.roots.pem');
      writeFileSync(roots, authority.root);
      environment = {
        PORT: String(await freePort()),
        FISCAL_FOLDER: folder,
        FISCAL_IMAP_URL: `imap://fiscal:${encodeURIComponent(dovecot.password)}@127.0.0.1:${dovecot.port}`,
        FISCAL_MAIL_ADDRESS: 'xml@intake.example',
        TAX_AUTHORITY: 'test',
        TAX_AUTHORITY_URL: authority.url,
        TAX_AUTHORITY_ROOTS: roots,
      };
      running = await startPortal(environment);
      await use({ ...running, origin: `http://127.0.0.1:${environment['PORT']}` });
      await running.stop();
      await dovecot.stop();
      await authority.close();
      rmSync(folder, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 60_000 },
  ],
});

/**
 * Begins again later than it was, so that what waits for its time is looked at. The time is changed while no portal runs,
 * which could ask the authority before it is to. The page is left, as it would miss the portal.
 */
async function restartLater(page: Page, change: string): Promise<void> {
  await page.goto('about:blank');
  await running.halt();
  await running.sql(change);
  authority.blocked.clear();
  running = await startPortal(environment, running.folder);
}

/** The authority may be asked for documents again; at another time than before, as each time has a job of its own. */
const ASK_NOW = 'update manifest_cursors set next_at = next_at - 100000000000, asked_at = null';

/** An archive of a month: notes, one cancelled before it came, a twin, one of strangers, and a number that is missing. */
const monthOf = (from: number): Promise<Buffer> => {
  const own = { issuer: BAKERY, recipient: MILL, issuedAt, series: 7 };
  const [first, cancelled] = [
    { ...own, number: from },
    { ...own, number: from + 2 },
  ];
  return zipOf({
    '0-cancelamento.xml': cancellationXml(cancelled),
    'nota-1.xml': noteXml(first),
    'nota-1-outra.xml': noteXml({ ...first, note: 'another copy' }),
    'nota-3.xml': noteXml(cancelled),
    'alheia.xml': noteXml({ number: from, recipient: STRANGER, issuedAt }),
  });
};

async function deliver(to: string, zip: Buffer): Promise<void> {
  const client = new ImapFlow({
    host: '127.0.0.1',
    port: dovecot.port,
    secure: false,
    doSTARTTLS: false,
    auth: { user: 'fiscal', pass: dovecot.password },
    logger: false,
  });
  await client.connect();
  const message = [
    `To: ${to}`,
    'Subject: Notas do mes',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=edge',
    '',
    '--edge\r\nContent-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=correio.zip\r\n',
    zip.toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
    '--edge--',
  ].join('\r\n');
  await client.append('INBOX', message).finally(() => client.logout());
}

/** Stores the certificate of the bakery as its firm. */
async function storeCertificate(page: Page, client: string): Promise<void> {
  await page.goto(`${PT}/staff/clients/${client}/digital-certificate`);
  const { file } = a1Of(BAKERY);
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'a1.pfx', mimeType: 'application/x-pkcs12', buffer: Buffer.from(file) });
  await page.getByLabel('Senha do arquivo').fill(CERTIFICATE_PASSWORD);
  await page.getByRole('button', { name: 'Guardar certificado', exact: true }).click();
  await expect(page.getByText('Certificado guardado.')).toBeVisible();
}

/** What the page of an intake says about the files of such an archive. */
async function expectResult(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('O que aconteceu com os arquivos');
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  await expect(row('nota-1.xml')).toContainText('Guardado');
  await expect(row('alheia.xml')).toContainText('o escritório vai verificar');
}

/** Opens the archive again until something has come in a way. */
async function openArrived(page: Page, archive: string, name: string): Promise<void> {
  await expect(async () => {
    await page.goto(archive);
    await page.getByRole('listitem').getByRole('link', { name }).first().click({ timeout: 1000 });
  }).toPass({ timeout: 90_000, intervals: [3000] });
}

for (const [index, viewport] of SIZES.entries())
  test.describe(`at ${viewport.width} px`, () => {
    test.use({ viewport });
    test.setTimeout(300_000);
    const numberOf = (way: number): number => 1000 * (index + 1) + way * 10 + 1;

    test('a month comes in by each of the five ways, and its problems are seen', async ({ page, portal }) => {
      await enter(page, PEOPLE.lima, '');
      const client = await idOfClient(portal, 'Padaria Sol Nascente Ltda');
      await storeCertificate(page, client);
      const given = { number: numberOf(5), issuedAt };
      authority.publish(BAKERY, 'procNFe_v4.00.xsd', noteXml(given));

      await page.context().clearCookies();
      await enter(page, PEOPLE.ana, '');
      const archive = `${PT}/actions/box-e/nfe-storage?client=${client}`;
      await page.goto(archive);
      await page.getByRole('button', { name: /^(?:Criar|Trocar o) endereço$/ }).click();
      const address = await page.getByLabel(/^Endereço para documentos de/).inputValue();

      // by upload
      await page.goto(archive);
      await page.locator('input[type=file]').setInputFiles({
        name: 'envio.zip',
        mimeType: 'application/zip',
        buffer: await monthOf(numberOf(1)),
      });
      await page.getByRole('button', { name: 'Enviar', exact: true }).click();
      await expectResult(page);
      await expectUsable(page, 'what came by upload');

      // by a call
      const answer = await page.request.post(`/api/boxe/v1/clients/${client}/documents`, {
        headers: { 'content-type': 'application/zip', origin: portal.origin },
        data: await monthOf(numberOf(2)),
      });
      const { data } = (await answer.json()) as { data: { items: { name: string; status: number }[] } };
      expect(Object.fromEntries(data.items.map(({ name, status }) => [name, status]))).toEqual({
        '0-cancelamento.xml': 201,
        'nota-1.xml': 201,
        'nota-1-outra.xml': 409,
        'nota-3.xml': 201,
        'alheia.xml': 202,
      });

      // by the folder and by email
      const inFolder = `pasta-${viewport.width}.zip`;
      writeFileSync(path.join(folder, BAKERY, inFolder), await monthOf(numberOf(3)));
      await deliver(address, await monthOf(numberOf(4)));
      await openArrived(page, archive, inFolder);
      await expectResult(page);
      await openArrived(page, archive, 'correio.zip');
      await expectResult(page);

      // from the authority
      await restartLater(page, ASK_NOW);
      await expect(async () => {
        await page.goto(`${archive}&searchTerm=${keyOf(given)}`);
        await expect(page.getByRole('row')).toHaveCount(2, { timeout: 1000 });
      }).toPass({ timeout: 60_000, intervals: [2000] });

      // what is wrong with the month
      await page.goto(`${PT}/actions/box-e/nfe-storage/${MONTH}?client=${client}`);
      await expect(page.getByText(/números? na série 7:/).first()).toBeVisible();
      await expectUsable(page, 'a month with gaps');
      await page.goto(
        `${archive}&searchTerm=${keyOf({ issuer: BAKERY, issuedAt, series: 7, number: numberOf(1) + 2 })}`,
      );
      await page.getByRole('link', { name: `${numberOf(1) + 2} / 7`, exact: true }).click();
      await expect(page.locator('.alert').first()).toContainText('Cancelamento registrado');
      await page.goto(
        `${archive}&searchTerm=${keyOf({ issuer: BAKERY, issuedAt, series: 7, number: numberOf(1) })}`,
      );
      await page.getByRole('link', { name: `${numberOf(1)} / 7`, exact: true }).click();
      await expect(page.getByText('nota-1-outra.xml').first()).toBeVisible();
      await expectUsable(page, 'a document with a twin');
    });

    test('a decision goes to the authority once, although its answer is lost', async ({ page, portal }) => {
      await enter(page, PEOPLE.lima, '');
      const client = await idOfClient(portal, 'Padaria Sol Nascente Ltda');
      await storeCertificate(page, client);
      await page.context().clearCookies();
      const key = keyOf({ number: 90_000 + index });
      authority.invoices.set(key, { recipient: BAKERY, authorizedAt: Date.now() - 86_400_000 });
      authority.publish(BAKERY, 'resNFe_v1.01.xsd', summaryXml({ key, issuer: MILL }));
      authority.fail('NFeRecepcaoEvento4', 'accept then drop');
      authority.take('NFeRecepcaoEvento4');
      await restartLater(page, ASK_NOW);
      await enter(page, PEOPLE.ana, '');
      const list = `${PT}/actions/nfe-manifest/invoice-processing?client=${client}&searchTerm=${key}`;
      await expect(async () => {
        await page.goto(list);
        await page.getByRole('rowheader').getByRole('link').first().click({ timeout: 1000 });
      }).toPass({ timeout: 60_000, intervals: [2000] });
      await page.waitForURL(/invoices\/manifest_/);
      const invoice = page.url();
      await page.getByRole('radio', { name: 'Confirmar' }).check();
      await page.getByRole('button', { name: 'Marcar', exact: true }).click();
      await expect(page.getByText(/Outra pessoa do escritório precisa aceitar/)).toBeVisible();

      await page.context().clearCookies();
      await enter(page, PEOPLE.lima, '');
      await page.goto(invoice);
      await page.getByRole('button', { name: 'Aceitar', exact: true }).click();
      await expect(async () => {
        const [row] = await portal.sql('select state from manifest_sendings order by sent_at desc limit 1');
        expect(row?.['state']).toBe('unclear');
      }).toPass({ timeout: 60_000 });
      await page.goto(invoice);
      await expectUsable(page, 'an invoice whose answer was lost');
      // two minutes later
      await restartLater(
        page,
        'update manifest_sendings set next_at = next_at - 180000 where next_at is not null',
      );
      await expect(async () => {
        await page.goto(invoice);
        await expect(page.locator('.state-chip').first()).toContainText('Confirmada', { timeout: 1000 });
      }).toPass({ timeout: 90_000, intervals: [2000] });
      await expect(page.getByRole('row', { name: /^Confirmação da operação \d{15}/ })).toHaveCount(1);
      expect(authority.take('NFeRecepcaoEvento4')).toHaveLength(1);
    });
  });

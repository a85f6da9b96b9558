import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ImapFlow } from 'imapflow';
import type { Page } from 'playwright/test';
import { startDovecot } from '../scripts/services.mjs';
import { expectUsable } from './support/accessibility.ts';
import { startPortal, type Portal } from './support/portal.ts';
import { idOfClient } from './support/steps.ts';
import { PEOPLE, WAYS, enter, expect, test as portalTest } from './support/test.ts';

/* Fiscal documents that come by themselves: by email to the address of a client, and into its watched folder. */

const PT = '/clientcenter/pt';
const BAKERY = '99304518000186';
let dovecot: Awaited<ReturnType<typeof startDovecot>>;
let folder = '';

const test = portalTest.extend<object, { portal: Portal }>({
  portal: [
    async ({}, use) => {
      dovecot = await startDovecot();
      folder = mkdtempSync(path.join(tmpdir(), 'portal-watched-'));
      mkdirSync(path.join(folder, BAKERY));
      const portal = await startPortal({
        FISCAL_FOLDER: folder,
        FISCAL_IMAP_URL: `imap://fiscal:${encodeURIComponent(dovecot.password)}@127.0.0.1:${dovecot.port}`,
        FISCAL_MAIL_ADDRESS: 'xml@intake.example',
      });
      await use(portal);
      await portal.stop();
      await dovecot.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 60_000 },
  ],
});

/** Delivers a message with an order as XML, and a picture. */
async function deliver(to: string, name: string): Promise<void> {
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
    'Subject: Pedido',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=edge',
    '',
    `--edge\r\nContent-Type: application/xml\r\nContent-Disposition: attachment; filename=${name}\r\n`,
    `<pedido><cliente>${name}</cliente></pedido>`,
    '--edge\r\nContent-Type: application/zip\r\nContent-Disposition: attachment; filename=mes.zip\r\n',
    'not an archive',
    '--edge--',
  ].join('\r\n');
  await client.append('INBOX', message).finally(() => client.logout());
}

const addressOn = (page: Page) => page.getByLabel('Endereço para documentos de Padaria Sol Nascente Ltda');

/** Opens the archive again until something has come. */
async function openArrived(page: Page, name: string, how: string): Promise<void> {
  const link = page.getByRole('listitem').filter({ hasText: how }).getByRole('link', { name });
  await expect(async () => {
    await page.reload();
    await expect(link).toBeVisible({ timeout: 1000 });
  }).toPass({ timeout: 90_000, intervals: [3000] });
  await link.click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('O que aconteceu com os arquivos');
}

for (const { viewport, javaScriptEnabled } of WAYS)
  test.describe(`at ${viewport.width} px, scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });
    const way = `${viewport.width}-${javaScriptEnabled ? 'on' : 'off'}`;

    test('a contact gets an address, and reads what became of what was sent to it and put into the folder', async ({
      page,
      portal,
    }) => {
      await enter(page, PEOPLE.ana, '');
      const client = await idOfClient(portal, 'Padaria Sol Nascente Ltda');
      const archive = `${PT}/actions/box-e/xml-storage?client=${client}`;
      writeFileSync(path.join(folder, BAKERY, `pasta-${way}.xml`), `<pedido>${way}</pedido>`);
      await page.goto(archive);
      const [isNew, old] = (await addressOn(page).isVisible())
        ? [false, await addressOn(page).inputValue()]
        : [true, ''];
      await page.getByRole('button', { name: isNew ? 'Criar endereço' : 'Trocar o endereço' }).click();
      await expect(
        page.getByText(isNew ? 'O endereço está pronto.' : 'O endereço foi trocado.'),
      ).toBeVisible();
      const address = await addressOn(page).inputValue();
      expect(address).toMatch(/^xml\+[a-z2-7]{16}@intake\.example$/);
      expect(address).not.toBe(old);
      await page.reload(); // without the message, which covers the header of a low window
      if (javaScriptEnabled) await expectUsable(page, 'an archive with the address of its client');
      await deliver(address, `correio-${way}.xml`);
      await openArrived(page, `correio-${way}.xml`, 'por e-mail');
      await expect(page.getByText('1 outro XML guardado')).toBeVisible();
      await expect(page.getByRole('row').filter({ hasText: 'mes.zip' })).toContainText('Não é um XML válido');
      if (javaScriptEnabled) await expectUsable(page, 'what came by email');
      await page.goto(archive);
      await openArrived(page, `pasta-${way}.xml`, 'da pasta do escritório');
      await expect(page.getByText('1 outro XML guardado')).toBeVisible();
    });
  });

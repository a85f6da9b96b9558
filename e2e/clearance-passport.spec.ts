import type { Page } from 'playwright/test';
import { expectUsable } from './support/accessibility.ts';
import { idOfClient } from './support/steps.ts';
import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/* Links to certificates (passports): a contact makes one, a stranger opens, prints and downloads, and it is revoked. */

const PT = '/clientcenter/pt';

/** Makes a link of the bakery, and returns its address. */
async function make(page: Page, recipient: string): Promise<string> {
  await page.getByLabel('Para quem').fill(recipient);
  await page.getByRole('button', { name: 'Criar link' }).click();
  return page.getByLabel('Link', { exact: true }).inputValue();
}

for (const { viewport, javaScriptEnabled } of WAYS)
  test.describe(`${viewport.width} px, scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });

    test('a contact makes a link, which a stranger opens and prints, until it is revoked', async ({
      page,
      portal,
      browser,
    }) => {
      await enter(page, PEOPLE.ana, '');
      const client = await idOfClient(portal, 'Padaria Sol Nascente Ltda');
      await page.goto(`${PT}/home/cnd/${client}?client=${client}`);
      await page.getByRole('link', { name: 'Criar ou revogar links' }).click();
      await expect(page.getByRole('row', { name: /^Banco do Vale/ }).first()).toContainText('Em vigor');

      const recipient = `Banco ${viewport.width} ${String(javaScriptEnabled)} ${Date.now()}`;
      await page.getByRole('textbox', { name: 'Último dia' }).fill('31/12/2099');
      await page.getByLabel('Para quem').fill(recipient);
      await page.getByRole('button', { name: 'Criar link' }).click();
      await expect(page.getByRole('main').getByRole('alert')).toContainText('no máximo daqui a 90 dias');
      await expect(page.getByLabel('Para quem')).toHaveValue(recipient);
      await page.goto(`${PT}/home/cnd/${client}/passports?client=${client}`);
      const address = await make(page, recipient);
      await expect(page.getByRole('heading', { name: `Link para ${recipient}` })).toBeVisible();
      if (javaScriptEnabled) await expectUsable(page, 'a link that was just made');

      const stranger = await browser.newContext({ viewport, javaScriptEnabled });
      const guest = await stranger.newPage();
      const answer = await guest.goto(address);
      expect(answer?.headers()['cache-control']).toBe('no-store');
      await expect(guest.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex');
      await expect(guest.getByRole('heading', { level: 1 })).toHaveText(
        'Certidões de Padaria Sol Nascente Ltda',
      );
      await expect(guest.locator('main')).toContainText('CNPJ 99.304.518/0001-86');
      await expect(guest.locator('main')).toContainText(`Para ${recipient}`);
      await expect(guest.locator('main')).toContainText('Todas válidas em');
      await expect(guest.getByRole('img', { name: 'Código QR com o endereço desta página' })).toBeVisible();
      await expect(guest.getByRole('link', { name: /^Conferir no site do órgão/ }).first()).toHaveAttribute(
        'href',
        'https://servicos.receitafederal.gov.br/servico/certidoes/',
      );
      if (javaScriptEnabled) await expectUsable(guest, 'certificates by a link');
      const download = guest.waitForEvent('download');
      await guest
        .getByRole('link', { name: /^Baixar PDF/ })
        .first()
        .click();
      expect((await download).suggestedFilename()).toMatch(/^CND federal 20.*\.pdf$/);
      const paper = await guest.pdf({ format: 'A4' });
      expect(paper.toString('latin1').match(/\/Type\s*\/Page\b/g), 'one sheet').toHaveLength(1);

      await page.goto(`${PT}/home/cnd/${client}/passports?client=${client}`);
      const row = page.getByRole('row', { name: new RegExp(`^${recipient}`) });
      await expect(row.locator('td').filter({ hasText: /^(?:Aberturas:?\s*)?1$/ })).toHaveCount(1);
      await row.getByRole('link', { name: /^Revogar/ }).click();
      await expect(page.locator('main')).toContainText('deixa de funcionar');
      await page.getByRole('button', { name: 'Revogar', exact: true }).click();
      await expect(page.getByText(`O link para ${recipient} foi revogado.`)).toBeVisible();
      await expect(row).toContainText('Revogado');

      expect((await guest.goto(address))?.status()).toBe(410);
      await expect(guest.getByRole('heading', { level: 1 })).toHaveText('Este link não funciona mais');
      expect((await guest.goto(`${PT}/clearance/${'x'.repeat(43)}`))?.status()).toBe(404);
      await expect(guest.getByRole('heading', { level: 1 })).toHaveText('Este link não funciona mais');
      await stranger.close();
    });

    test('staff make a link for a client, which names a certificate that is not valid', async ({
      page,
      portal,
      browser,
    }) => {
      await enter(page, PEOPLE.lima, '');
      const client = await idOfClient(portal, 'Padaria Sol Nascente Ltda');
      await page.goto(`${PT}/staff/clients/${client}/clearance-certificates`);
      await page.getByRole('link', { name: 'Criar ou revogar links' }).click();
      await page.getByLabel('Débitos trabalhistas (CNDT do TST)').check();
      const address = await make(page, 'Prefeitura de Campinas');
      const stranger = await browser.newContext({ viewport, javaScriptEnabled });
      const guest = await stranger.newPage();
      await guest.goto(address);
      await expect(guest.locator('main')).toContainText(/Sem validade em .*: Débitos trabalhistas/);
      await expect(guest.getByRole('listitem').filter({ hasText: 'Débitos trabalhistas' })).toContainText(
        'Vencida',
      );
      if (javaScriptEnabled) await expectUsable(guest, 'certificates that are not all valid');
      await stranger.close();
    });
  });

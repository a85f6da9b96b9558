import { DAY } from '#platform/runtime/clock.server.ts';
import { expectUsable } from './support/accessibility.ts';
import { idOfClient } from './support/steps.ts';
import { keyOf, noteXml } from '../tests/support/fiscal.ts';
import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/* Invoices that others issued: a contact marks one, another person of the firm accepts it and records the protocol. */

const PT = '/clientcenter/pt';
const LIST = `${PT}/actions/nfe-manifest/invoice-processing`;
const REASON = 'A carga voltou, o caminhão quebrou';

for (const [index, { viewport, javaScriptEnabled }] of WAYS.entries())
  test.describe(`${viewport.width} px, scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });

    test('a contact marks an invoice, and the firm refuses, accepts and records it', async ({
      page,
      portal,
    }) => {
      const number = 70_000 + index;
      const note = {
        number,
        issuedAt: `${new Date(Date.now() - DAY).toISOString().slice(0, 10)}T00:10:00-03:00`,
      };
      await enter(page, PEOPLE.ana, '');
      const client = await idOfClient(portal, 'Padaria Sol Nascente Ltda');
      await page.goto(`${PT}/actions/box-e/nfe-storage?client=${client}`);
      await page.locator('input[type=file]').setInputFiles({
        name: `${keyOf(note)}.xml`,
        mimeType: 'application/xml',
        buffer: Buffer.from(noteXml(note)),
      });
      await page.getByRole('button', { name: 'Enviar', exact: true }).click();
      await page.waitForURL(/intakes\//);

      await page.goto(`${LIST}?client=${client}&searchTerm=${number}`);
      await page
        .getByRole('rowheader')
        .getByRole('link', { name: `${number} / 1` })
        .click();
      await page.waitForURL(/invoices\/manifest_/);
      const invoice = page.url();
      await page.getByRole('radio', { name: 'Não realizada' }).check();
      await page.getByRole('button', { name: 'Marcar', exact: true }).click();
      await expect(page.getByRole('main').getByRole('alert')).toContainText(
        'Diga por que a operação não se realizou',
      );
      await page.getByLabel('Motivo').fill(REASON);
      await page.getByRole('button', { name: 'Marcar', exact: true }).click();
      await expect(page.getByText(/Outra pessoa do escritório precisa aceitar/)).toBeVisible();
      if (javaScriptEnabled) await expectUsable(page, 'an invoice that was marked');
      await page.getByRole('button', { name: 'Retirar' }).click();
      await expect(page.getByText(/Outra pessoa do escritório precisa aceitar/)).toHaveCount(0);
      await page.getByRole('radio', { name: 'Confirmar' }).check();
      await page.getByRole('button', { name: 'Marcar', exact: true }).click();
      await expect(page.getByText(/Outra pessoa do escritório precisa aceitar/)).toBeVisible();

      await page.context().clearCookies();
      await enter(page, PEOPLE.lima, '');
      await page.goto(`${PT}/staff/invoice-manifest`);
      await page
        .getByRole('rowheader')
        .getByRole('link', { name: `${number} / 1` })
        .click();
      await page.waitForURL(/invoices\/manifest_/);
      expect(new URL(page.url()).pathname).toBe(new URL(invoice).pathname);
      await page.getByRole('button', { name: 'Aceitar', exact: true }).click();
      await expect(page.getByText('Ainda não está registrada')).toBeVisible();
      await page.getByRole('textbox', { name: 'Protocolo' }).fill('1352.6000.0123.456');
      await page.getByRole('button', { name: 'Registrar', exact: true }).click();
      await expect(page.getByRole('row', { name: /^Confirmação da operação 135260000123456/ })).toBeVisible();
      await expect(page.locator('.state-chip').first()).toContainText('Confirmada');
      if (javaScriptEnabled) await expectUsable(page, 'an invoice that was confirmed');
    });

    test('the list begins with the fewest days left, and has its parts', async ({ page, portal }) => {
      await enter(page, PEOPLE.ana, '');
      const client = await idOfClient(portal, 'Padaria Sol Nascente Ltda');
      await page.goto(`${LIST}?client=${client}`);
      await expect(page.getByRole('rowheader').first()).toContainText('6120 / 1');
      await expect(page.getByRole('rowheader').first()).toContainText('dias para manifestar');
      if (javaScriptEnabled) await expectUsable(page, 'invoices to manifest');
      await page.getByRole('link', { name: 'Manifestadas', exact: true }).click();
      await expect(page.getByRole('row').filter({ hasText: '17 / 1' })).toContainText('Confirmada');
      await expect(page.getByRole('row').filter({ hasText: '7741 / 1' })).toContainText('Cancelada');
    });

    test('what is marked waits for the firm, in a list of all clients', async ({ page }) => {
      await enter(page, PEOPLE.lima, '');
      await page.goto(`${PT}/staff/invoice-manifest?searchTerm=padaria`);
      await expect(page.getByRole('row').filter({ hasText: '9034 / 2' })).toContainText(
        'Aguarda o escritório',
      );
      if (javaScriptEnabled) await expectUsable(page, 'what was marked for all clients');
    });
  });

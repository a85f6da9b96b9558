import type { Page } from 'playwright/test';
import { expectUsable } from './support/accessibility.ts';
import { idOfClient } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/* The archives of fiscal documents (box-e): a contact sends files and reads a month, and the firm assigns what is left. */

const PT = '/clientcenter/pt';

async function send(page: Page, name: string, text: string): Promise<void> {
  await page
    .getByLabel('Arquivos XML ou ZIP')
    .setInputFiles([{ name, mimeType: 'application/xml', buffer: Buffer.from(text) }]);
  await page.getByRole('button', { name: 'Enviar', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('O que aconteceu com os arquivos');
}

test('a contact finds a cancelled note and the missing number of a month, and marks the month as checked', async ({
  page,
  portal,
}) => {
  await enter(page, PEOPLE.ana, '');
  const client = await idOfClient(portal, 'Padaria Sol Nascente Ltda');
  await page.goto(`${PT}/actions?client=${client}`);
  await page.getByRole('link', { name: 'Armazenamento de NF-e' }).click();
  await page.getByRole('searchbox').fill('35261166019348000139550010000077411334455661');
  await page.getByRole('searchbox').press('Enter');
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.getByRole('link', { name: '7741 / 1', exact: true }).click();
  await expect(page.getByRole('alert').or(page.locator('.alert')).first()).toContainText(
    'Cancelamento registrado',
  );
  await expect(page.getByText('Pedido em duplicidade')).toBeVisible();

  await page.goto(`${PT}/actions/box-e/nfce-storage?client=${client}`);
  await page.getByRole('link', { name: 'novembro de 2026' }).click();
  await expect(page.getByText('Falta 1 número na série 1:')).toBeVisible();
  await page.getByRole('button', { name: 'Marcar o mês como conferido' }).click();
  await expect(page.getByText(/^Mês conferido por Ana Souza/)).toBeVisible();
});

test('what belongs to no company of the contact is assigned by the firm', async ({ page }) => {
  await enter(page, PEOPLE.lima, '');
  await page.goto(`${PT}/staff/fiscal-documents`);
  await page.getByRole('link', { name: 'outra-empresa.xml' }).click();
  await expectUsable(page, 'a fiscal document that was set aside');
  await page.getByRole('searchbox', { name: /Nome, número ou CNPJ/ }).fill('Café da Serra');
  await page.getByRole('button', { name: 'Buscar' }).click();
  await page.getByRole('button', { name: 'Atribuir a Café da Serra ME' }).click();
  await expect(page.getByText('O arquivo foi guardado para o cliente.')).toBeVisible();
  await expect(page.getByText('Nenhum arquivo em análise')).toBeVisible();
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('files are sent by a plain form, and each has its result', async ({ page }) => {
    await enter(page, PEOPLE.ana, '');
    await page.goto(`${PT}/actions/box-e/xml-storage`);
    await send(page, 'pedido.xml', '<pedido><item/></pedido>');
    await expect(page.getByText('1 outro XML guardado')).toBeVisible();
    await page.goto(`${PT}/actions/box-e/xml-storage`);
    await send(page, 'nota.xml', '<nota');
    await expect(page.getByRole('row', { name: /nota\.xml/ })).toContainText('Não é um XML válido');
  });
});

import type { Page } from 'playwright/test';
import { expectUsable } from './support/accessibility.ts';
import { brazilianDay, idOfClient } from './support/steps.ts';
import { pdfOf } from '../tests/support/pdf.ts';
import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/* Clearance certificates (CND): the firm follows agencies and files PDFs, and a contact sees what is valid. */

const PT = '/clientcenter/pt';

/** A certificate of the labor courts for a CNPJ. */
const certificate = (cnpj: string): Buffer =>
  pdfOf(
    [
      `CERTIDAO NEGATIVA DE DEBITOS TRABALHISTAS\nCNPJ: ${cnpj}\nCertidao no: 51188220/2026\nExpedicao: ${brazilianDay(-2)}\nValidade: ${brazilianDay(178)}`,
    ],
    { size: 10 },
  );

async function file(page: Page, bytes: Buffer): Promise<void> {
  await page
    .getByLabel('PDF da certidão')
    .setInputFiles({ name: 'cndt.pdf', mimeType: 'application/pdf', buffer: bytes });
  await page.getByRole('button', { name: 'Arquivar', exact: true }).click();
}

for (const { viewport, javaScriptEnabled } of WAYS)
  test.describe(`${viewport.width} px, scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });

    test('the firm follows an agency and files a certificate, but none of another company', async ({
      page,
      portal,
    }) => {
      await enter(page, PEOPLE.lima, '');
      const client = await idOfClient(portal, 'Embalagens Ipê Ltda');
      await page.goto(`${PT}/staff/clients/${client}/clearance-certificates`);
      await page
        .getByLabel('Órgão', { exact: true })
        .selectOption({ label: 'Débitos trabalhistas (CNDT do TST)' });
      await page.getByRole('button', { name: 'Acompanhar', exact: true }).click();
      await expect(page.locator('body')).toContainText(/acompanhado(?: a partir|\. Abra)/);
      await page
        .getByRole('rowheader')
        .getByRole('link', { name: /^Débitos trabalhistas/ })
        .click();

      await file(page, certificate('99.304.518/0001-86'));
      await expect(page.getByRole('main').getByRole('alert')).toContainText(
        'Esta certidão é do CNPJ 99.304.518/0001-86, e não do CNPJ 99.421.736/0001-09 deste cliente.',
      );
      await file(page, certificate('99.421.736/0001-09'));
      await expect(page.getByText(/A certidão foi arquivada|já estava arquivado/)).toBeVisible();
      const row = page.getByRole('row', { name: /^Negativa/ }).first();
      await expect(row).toContainText('51188220/2026');
      if (javaScriptEnabled) await expectUsable(page, 'an agency with a certificate');

      await page
        .getByLabel('Resposta', { exact: true })
        .selectOption({ label: 'Site do órgão indisponível' });
      await page.getByRole('button', { name: 'Registrar' }).click();
      await expect(page.getByRole('row', { name: /^Site do órgão indisponível/ }).first()).toBeVisible();
    });

    test('a contact finds on the home page what needs a renewal, and opens the PDF', async ({
      page,
      portal,
    }) => {
      await enter(page, PEOPLE.ana, '');
      const client = await idOfClient(portal, 'Padaria Sol Nascente Ltda');
      await page.goto(`${PT}/home?client=${client}`);
      await page.getByRole('link', { name: 'Todas as certidões' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(
        'Certidões de Padaria Sol Nascente Ltda',
      );
      await expect(page.getByRole('row').nth(1)).toContainText('Vencida');
      await expect(page.getByRole('row', { name: /^FGTS/ })).toContainText('Vence em');
      await expect(page.getByRole('row', { name: /^Fazenda estadual: São Paulo/ })).toContainText(
        'Sem certidão',
      );
      if (javaScriptEnabled) await expectUsable(page, 'the certificates of a company');
      await page.getByRole('button', { name: 'Compartilhar por e-mail' }).click();
      await expect(page.getByText(/^CND federal 20/)).toBeVisible();
      await expect(page.getByText(/^CRF FGTS 20/)).toBeVisible();
      await expect(page.getByText(/^CNDT/)).toHaveCount(0);
      await page.goBack();
      await page.getByRole('link', { name: /^FGTS/ }).click();
      await expect(page.getByRole('heading', { name: 'Histórico: FGTS (CRF da Caixa)' })).toBeVisible();
      await page
        .getByRole('link', { name: /^Ver PDF/ })
        .last()
        .click();
      await expect(page).toHaveURL(/\/documents\/doc_\w+\/view/);
      await expect(page.getByRole('heading', { level: 1 })).toContainText('CRF FGTS');
    });

    test('several certificates are filed together, each with its client', async ({ page }) => {
      await enter(page, PEOPLE.lima, '');
      await page.goto(`${PT}/staff/clearance-certificates`);
      await page.getByRole('link', { name: 'Arquivar certidões' }).click();
      await page.getByLabel('PDFs').setInputFiles([
        { name: 'cafe.pdf', mimeType: 'application/pdf', buffer: certificate('48.217.306/0001-20') },
        { name: 'outra.pdf', mimeType: 'application/pdf', buffer: certificate('31.550.824/0001-69') },
      ]);
      await page.getByRole('button', { name: 'Arquivar', exact: true }).click();
      await expect(page.getByRole('row', { name: /cafe\.pdf/ })).toContainText('arquivad');
      await expect(page.getByRole('row', { name: /outra\.pdf/ })).toContainText(
        'Nenhum dos seus clientes tem o CNPJ ou CPF deste PDF.',
      );
      if (javaScriptEnabled) await expectUsable(page, 'what became of certificates');
      await page.goto(`${PT}/staff/clearance-certificates?searchTerm=caf%C3%A9&light=valid`);
      await expect(page.getByRole('row', { name: /Café da Serra/ })).toContainText('Válida');
    });
  });

import { a1Of, CERTIFICATE_PASSWORD } from '../tests/support/digital-certificates.ts';
import { BAKERY } from '../tests/support/fiscal.ts';
import { expectUsable } from './support/accessibility.ts';
import { idOfClient } from './support/steps.ts';
import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/* The digital certificate of a company: stored by the firm, refused with a wrong password or of another company, removed. */

const PT = '/clientcenter/pt';
const file = (bytes: Uint8Array) => ({
  name: 'empresa.pfx',
  mimeType: 'application/x-pkcs12',
  buffer: Buffer.from(bytes),
});

for (const { viewport, javaScriptEnabled } of WAYS)
  test.describe(`${viewport.width} px, scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });

    test('a firm stores the certificate of a company, and removes it', async ({ page, portal }) => {
      const own = a1Of(BAKERY);
      const other = a1Of('48217306000120');
      await enter(page, PEOPLE.lima, '');
      const client = await idOfClient(portal, 'Padaria Sol Nascente Ltda');
      await page.goto(`${PT}/staff/clients/${client}/digital-certificate`);
      await expect(page.getByText('Nenhum certificado guardado ainda')).toBeVisible();
      const store = async (bytes: Uint8Array, password: string): Promise<void> => {
        await page.locator('input[type=file]').setInputFiles(file(bytes));
        await page.getByLabel('Senha do arquivo').fill(password);
        await page.getByRole('button', { name: 'Guardar certificado', exact: true }).click();
      };
      await store(own.file, 'errada');
      await expect(page.getByRole('main').getByRole('alert')).toContainText('Senha incorreta');
      await store(other.file, CERTIFICATE_PASSWORD);
      await expect(page.getByRole('main').getByRole('alert')).toContainText(
        'Este certificado é de outro CNPJ: 48.217.306/0001-20',
      );
      await store(own.file, CERTIFICATE_PASSWORD);
      await expect(page.getByText('Certificado guardado.')).toBeVisible();
      await expect(page.getByText('99.304.518/0001-86')).toBeVisible();
      if (javaScriptEnabled) await expectUsable(page, 'a digital certificate');
      await page.getByRole('button', { name: 'Remover certificado' }).click();
      await expect(page.getByText('Certificado removido')).toBeVisible();
    });
  });

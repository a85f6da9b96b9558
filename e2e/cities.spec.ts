import { expectUsable } from './support/accessibility.ts';
import { idOfClient } from './support/steps.ts';
import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/* A city is found by a part of its name: in a list while one types, or among those that the refusal names. */

const PT = '/clientcenter/pt';

for (const { viewport, javaScriptEnabled } of WAYS)
  test.describe(`${viewport.width} px, scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });

    test('a holiday of a city and the city of a branch', async ({ page, portal }) => {
      await enter(page, PEOPLE.lima, '');
      await page.goto(`${PT}/staff/holidays`);
      const place = page.locator('input[name=place]');
      const name = `Feriado ${viewport.width} ${javaScriptEnabled}`;
      await page.getByLabel('Nome', { exact: true }).fill(name);
      await page.getByLabel('Data', { exact: true }).fill('2027-09-12');
      if (javaScriptEnabled) {
        await place.pressSequentially('camp sp');
        const option = page.getByRole('option', { name: 'Campinas/SP', exact: true });
        await expect(option).toBeVisible();
        await place.press('Tab'); // what is below the list is not covered by it then
        await expect(option).toBeHidden();
        await expectUsable(page, 'a field with a list of cities');
        await place.focus();
        await place.press('End');
        await place.pressSequentially(' ');
        await option.click();
      } else {
        await place.fill('campin');
        await page.getByRole('button', { name: 'Incluir feriado', exact: true }).click();
        await expect(page.getByRole('main').getByRole('alert').first()).toContainText('Campinas/SP');
        await place.fill('Campinas/SP');
      }
      await expect(place).toHaveValue('Campinas/SP');
      await page.getByRole('button', { name: 'Incluir feriado', exact: true }).click();
      await expect(page.getByText(`${name}, 12 de setembro (Campinas/SP)`)).toBeVisible();
      await page.getByRole('button', { name: `Remover ${name}` }).click();

      const client = await idOfClient(portal, 'Padaria Sol Nascente Ltda');
      await page.goto(`${PT}/staff/clients/${client}/establishments`);
      const city = page.locator('input[name=city]');
      if (javaScriptEnabled) {
        await city.pressSequentially('sao paulo');
        await expect(page.getByRole('option', { name: 'São Paulo/SP', exact: true })).toBeVisible();
        await city.press('ArrowDown');
        await city.press('Enter');
        await expect(city).toHaveValue('São Paulo/SP');
      } else {
        await page.getByLabel('CNPJ').fill('99.304.518/0003-48');
        await page.getByLabel('Nome', { exact: true }).fill('Filial');
        await city.fill('São Paolo');
        await page.getByRole('button', { name: 'Salvar', exact: true }).click();
        await expect(page.getByRole('main').getByRole('alert').first()).toContainText('São Paulo/SP');
      }
    });
  });

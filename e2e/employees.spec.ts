import { idOfClient } from './support/steps.ts';
import { DESK, PEOPLE, PHONE, enter, expect, test } from './support/test.ts';

/* The employees of a company in Brazil, as their company and the firm see them. */

test('a contact reads who an employee is by keyboard, and begins an estimate with them', async ({
  page,
  portal,
}) => {
  await page.setViewportSize(PHONE);
  await enter(page, PEOPLE.ana, '');
  const client = await idOfClient(portal, 'Padaria Sol Nascente Ltda');
  await page.goto(`/clientcenter/pt/actions?client=${client}`);
  await page.getByRole('link', { name: 'Empregados' }).click();
  await page.getByRole('main').getByLabel('Buscar').fill('mariana');
  await page.getByRole('main').getByLabel('Buscar').press('Enter');
  await page.getByRole('button', { name: 'Sobre Mariana Alves Ferreira' }).press('Enter');
  await expect(page.getByRole('tooltip')).toContainText('094.482.246-05');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('tooltip')).toBeHidden();
  await page.getByRole('link', { name: 'Mariana Alves Ferreira' }).click();
  await expect(page.getByText('R$ 3.500,00 por mês')).toBeVisible();
  await page.getByRole('link', { name: 'Estimativa de férias' }).click();
  await expect(page.getByLabel('Empregado')).toHaveValue('Mariana Alves Ferreira');
  await expect(page.getByLabel('Data de admissão')).toHaveValue('10/03/2021');
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false, viewport: DESK });

  test('staff change an employee, and undo it', async ({ page }) => {
    await enter(page, PEOPLE.lima, 'staff/clients?searchTerm=Padaria');
    await page.goto('/clientcenter/pt/staff/clients?searchTerm=Padaria');
    await page.getByRole('link', { name: 'Padaria Sol Nascente Ltda' }).click();
    await page.getByRole('link', { name: 'Empregados' }).click();
    await page.getByRole('link', { name: 'Fernanda Okada' }).click();
    await page.getByRole('link', { name: 'Editar' }).click();
    await page.getByLabel('CPF').fill('951.788.742-68');
    await page.getByLabel('Cargo').fill('Chefe de caixa');
    await page.getByRole('button', { name: 'Salvar' }).click();
    await expect(page.getByLabel('Cargo')).toHaveValue('Chefe de caixa');
    await page.getByLabel('CPF').fill('951.788.742-69');
    await page.getByRole('button', { name: 'Salvar' }).click();
    await expect(page.getByText('Fernanda Okada foi salvo.')).toBeVisible();
    await expect(page.getByRole('definition').filter({ hasText: 'Chefe de caixa' })).toBeVisible();
    await page
      .getByRole('button', { name: /Desfazer/ })
      .first()
      .click();
    await expect(page.getByRole('definition').filter({ hasText: /^Caixa$/ })).toBeVisible();
  });
});

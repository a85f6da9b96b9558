import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright/test';
import { openRowMenu, rowAction } from './support/steps.ts';
import { PEOPLE, PHONE, enter, expect, test } from './support/test.ts';

/* The estimates of Brazilian payroll, which are computed from what somebody types, and stored nowhere. */

const VACATION = '/clientcenter/pt/actions/service-request/mocks/vacation';
const TERMINATION = '/clientcenter/pt/actions/service-request/mocks/termination';

/** Types a vacation as Brazilians type money and dates. */
async function typeVacation(page: Page, start: string): Promise<void> {
  await page.getByLabel('Empregado').fill('Mariana Alves Ferreira');
  await page.getByLabel('Salário mensal').fill('4.200,00');
  await page.getByLabel('Data de admissão').fill('10/03/2021');
  await page.getByLabel('Dependentes para o IR').fill('1');
  await page.getByLabel('Primeiro dia').fill(start);
  await page.getByLabel('Dias', { exact: true }).fill('20');
  await page.getByLabel('Dias a vender').fill('10');
}

const calculate = (page: Page): Promise<void> => page.getByRole('button', { name: 'Calcular' }).click();

test('a contact estimates a vacation, corrects its start, and downloads it', async ({
  page,
  isMobile: _,
}) => {
  await enter(page, PEOPLE.ana, '');
  await page.goto('/clientcenter/pt/actions');
  await page.getByRole('link', { name: 'Simulações' }).click();
  await page.getByRole('link', { name: /Estimativa de férias/ }).click();
  await typeVacation(page, '23/12/2026');
  await calculate(page);
  await expect(page.getByRole('heading', { level: 2 }).first()).toBeFocused();
  await expect(page.getByRole('heading', { level: 2 }).first()).toHaveText(/^Valor líquido estimado: R\$/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Estimativa de férias: Mariana Alves Ferreira',
  );
  await expect(page.getByText('As férias não podem começar em 23 de dez. de 2026')).toBeVisible();
  await expect(page.getByText('Não substitui o cálculo do escritório')).toBeVisible();

  await expect(page.getByLabel('Primeiro dia'), 'what was typed is kept').toHaveValue('23/12/2026');
  await page.getByLabel('Primeiro dia').fill('21/12/2026');
  await calculate(page);
  await expect(page.getByText('As férias não podem começar')).toHaveCount(0);
  await expect(page.getByRole('row', { name: /Valor líquido/ })).toContainText('5.263,40');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Baixar PDF' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('Estimativa de férias_ Mariana Alves Ferreira.pdf');
  expect((await readFile(await download.path())).subarray(0, 5).toString()).toBe('%PDF-');
  await expect(page.getByRole('row', { name: /Valor líquido/ }), 'the page stays').toBeVisible();
  expect(page.url(), 'nothing personal is in the address').not.toMatch(/Mariana|4200|2021/);
});

test('a contact estimates the end of a contract', async ({ page }) => {
  await enter(page, PEOPLE.ana, '');
  await page.goto('/clientcenter/pt/actions/service-request/termination-calculation');
  await page.getByRole('link', { name: 'Fazer uma simulação agora' }).click();
  await page.getByLabel('Salário mensal').fill('3500');
  await page.getByLabel('Data de admissão').fill('01/02/2024');
  await page.getByLabel('Último dia de trabalho').fill('27/11/2026');
  await page.getByLabel('Motivo').selectOption('Pedido de demissão');
  await calculate(page);
  await expect(page.getByRole('alert')).toContainText('Neste motivo, o aviso é trabalhado');
  await page.getByLabel('Motivo').selectOption('Dispensa sem justa causa');
  await calculate(page);
  await expect(page.getByRole('row', { name: /Valor líquido/ })).toContainText('14.552,57');
  await expect(page.getByText('Fim projetado: 2 de jan. de 2027.')).toBeVisible();
  await page.getByLabel('Último dia de trabalho').fill('15/01/2027');
  await calculate(page);
  await expect(page.getByText('Sem valores: tabela de 2027 ainda não cadastrada.')).toBeVisible();
});

test.describe('with scripts off, on a phone', () => {
  test.use({ javaScriptEnabled: false, viewport: PHONE });

  test('a vacation of two periods is estimated, and nothing typed is lost', async ({ page }) => {
    await enter(page, PEOPLE.ana, '');
    await page.goto(VACATION);
    await typeVacation(page, '');
    await page.getByRole('button', { name: 'Adicionar período' }).click();
    await expect(page.getByLabel('Salário mensal')).toHaveValue('4200,00');
    await page.getByLabel('Primeiro dia').nth(1).fill('3/8/26');
    await page.getByLabel('Dias', { exact: true }).nth(1).fill('6');
    await page.getByLabel('Dias', { exact: true }).first().fill('14');
    await calculate(page);
    await expect(page.getByRole('alert')).toContainText('Informe o primeiro dia de férias.');
    await expect(page.getByLabel('Primeiro dia').nth(1)).toHaveValue('03/08/2026');
    await page.getByLabel('Primeiro dia').first().fill('5 de outubro de 2026');
    await calculate(page);
    await expect(page.getByRole('heading', { name: 'Todos os períodos' })).toBeVisible();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Baixar PDF' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.pdf$/);
  });
});

test('staff who view as a contact make the same estimates', async ({ page }) => {
  await enter(page, PEOPLE.lima, '');
  await page.goto(`staff/people?searchTerm=${encodeURIComponent(PEOPLE.ana)}`);
  await openRowMenu(page, 'Ana Souza');
  await rowAction(page, 'View as client').click();
  await page.getByLabel('Reason').fill('A question about her estimate.');
  await page.getByRole('button', { name: 'Start viewing' }).click();
  await expect(page.getByText('Viewing as Ana Souza', { exact: true })).toBeVisible();
  await page.goto(TERMINATION);
  await page.getByLabel('Salário mensal').fill('3.500,00');
  await page.getByLabel('Data de admissão').fill('01/02/2024');
  await page.getByLabel('Último dia de trabalho').fill('27/11/2026');
  await calculate(page);
  await expect(page.getByRole('row', { name: /Valor líquido/ })).toContainText('14.552,57');
  const button = page.getByRole('button', { name: 'Baixar PDF' });
  await expect(button).not.toHaveAttribute('aria-disabled', 'true');
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  expect(download.suggestedFilename()).toMatch(/\.pdf$/);
});

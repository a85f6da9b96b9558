import type { Page } from 'playwright/test';
import { enter, expect, PEOPLE, test } from './support/test.ts';
import { idOfClient } from './support/steps.ts';

/* Payroll entries of the bakery in the demo: filled in, sent, returned, corrected and closed. */

const BAKERY = 'Padaria Sol Nascente Ltda';
const PT = '/clientcenter/pt';
const DESK = { width: 1280, height: 900 };

/** The link to the newest sheet of the list of the demo: other tests publish more. */
const demoSheet = (page: Page) =>
  page
    .getByRole('row')
    .filter({ hasText: 'Variáveis da folha' })
    .locator('a[href*="payroll-sheets"]')
    .first();

test('entries are filled in one employee after another on a phone', async ({ page, portal }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await enter(page, PEOPLE.ana, '');
  const client = await idOfClient(portal, BAKERY);
  await page.goto(`${PT}/actions/service-request/payroll-entries?client=${client}`);
  await demoSheet(page).click();
  const employees = page.locator('#cells tbody > tr');
  await expect(employees.nth(0)).toBeVisible();
  await expect(employees.nth(1)).toBeHidden();
  await page.getByRole('link', { name: 'Próximo empregado' }).click();
  await expect(employees.nth(0)).toBeHidden();
  await expect(employees.nth(1)).toBeVisible();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(wide).toBeLessThanOrEqual(0);
});

test('what is typed before the editor of a sheet has arrived is saved by it', async ({ page, portal }) => {
  await page.setViewportSize(DESK);
  await enter(page, PEOPLE.ana, '');
  const client = await idOfClient(portal, BAKERY);
  let release = (): void => undefined;
  const isTyped = new Promise<void>((resolve) => (release = resolve));
  await page.route(/SheetEditor[^/]*\.js/, async (route) => {
    await isTyped;
    await route.continue();
  });
  await page.goto(`${PT}/actions/service-request/payroll-entries?client=${client}`);
  await demoSheet(page).click();
  await page.waitForURL(/payroll-sheets\/sheet_/, { waitUntil: 'commit' });
  const early = page.locator('#cells tbody > tr').nth(6).locator('input[name$=".overtime-100"]');
  await early.fill('1:45');
  release();
  await expect(page.getByText('Todas as alterações foram salvas.').first()).toBeVisible();
  await page.unrouteAll();
  await page.reload();
  await expect(early).toHaveValue('001:45');
});

test('a sheet is saved while it is typed, with the keys of a spreadsheet', async ({ page, portal }) => {
  await page.setViewportSize(DESK);
  await enter(page, PEOPLE.ana, '');
  const client = await idOfClient(portal, BAKERY);
  await page.goto(`${PT}/actions/service-request/payroll-entries?client=${client}`);
  await demoSheet(page).click();
  await page.waitForURL(/payroll-sheets\/sheet_/);
  const cells = page.locator('#cells tbody > tr');
  const hours = (row: number) => cells.nth(row).locator('input[name$=".overtime-100"]');
  await hours(1).click();
  await hours(1).fill('3:15');
  await expect(page.getByText('Todas as alterações foram salvas.').first()).toBeVisible();

  // what cannot be read is said beside the cell, and nothing of it is sent
  await hours(1).press('Enter');
  await expect(hours(2)).toBeFocused();
  await hours(2).fill('3:75');
  await expect(cells.nth(2).locator('.field-error')).toBeVisible();
  await hours(2).fill('');
  await expect(cells.nth(2).locator('.field-error')).toHaveCount(0);
  await hours(2).press('ArrowUp');
  await expect(hours(1)).toBeFocused();
  await hours(2).focus();
  await hours(2).press('Control+d');
  await expect(hours(2)).toHaveValue(await hours(1).inputValue());
  await hours(2).fill('');

  // a block from a spreadsheet: first what would change, then the change, undone as one step
  await hours(3).focus();
  await hours(3).evaluate((input) => {
    const data = new DataTransfer();
    data.setData('text/plain', '2h30\n0:45');
    input.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    );
  });
  await expect(page.getByText(/Células a preencher: 2/)).toBeVisible();
  await page.getByRole('button', { name: 'Alterar 2 células' }).click();
  await expect(hours(4)).toHaveValue('000:45');
  await expect(page.getByText('Todas as alterações foram salvas.').first()).toBeVisible();
  await page.getByRole('button', { name: 'Desfazer (2 células)' }).click();
  await expect(hours(4)).toHaveValue('');

  // somebody else changes the same cell: both values are shown, and one is chosen
  const other = await page.context().newPage();
  await other.setViewportSize(DESK);
  await other.goto(page.url());
  const theirs = other.locator('#cells tbody > tr').nth(1).locator('input[name$=".overtime-100"]');
  await theirs.click();
  await theirs.fill('5:00');
  await expect(other.getByText('Todas as alterações foram salvas.').first()).toBeVisible();
  await hours(1).fill('6:00');
  await expect(page.getByText(/alguém mudou para 005:00/)).toBeVisible();
  await page.getByRole('button', { name: 'Usar o meu' }).click();
  await expect(page.getByText(/alguém mudou para 005:00/)).toHaveCount(0);
  await expect(page.getByText('Todas as alterações foram salvas.').first()).toBeVisible();
  await other.reload();
  await expect(theirs).toHaveValue('006:00');
  await other.close();
});

const CPF_WEIGHTS = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2];

/** A CPF that nobody is known to have, with its check digits. */
function cpfOf(number: number): string {
  let digits = String(900_000_000 + number);
  for (const length of [9, 10]) {
    const weights = CPF_WEIGHTS.slice(10 - length);
    const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (weights[at] ?? 0), 0);
    digits += String(((sum * 10) % 11) % 10);
  }
  return digits;
}

test('a sheet of 48 employees is filled in by one paste, beyond the page, and undone', async ({
  page,
  portal,
}) => {
  await page.setViewportSize(DESK);
  await enter(page, PEOPLE.lima, '');
  const client = await idOfClient(portal, 'Café da Serra ME');
  const registrations = Array.from({ length: 48 }, (_, at) => `S${String(at + 1).padStart(2, '0')}`);
  const stored = await page.request.put(`/api/br-payroll/v1/clients/${client}/employees`, {
    headers: { 'sec-fetch-site': 'same-origin' },
    data: {
      items: registrations.map((registration, at) => ({
        registration,
        name: `Empregado ${registration}`,
        cpf: cpfOf(at),
        hiredOn: '2024-02-01',
      })),
    },
  });
  expect(stored.status()).toBe(200);
  await page.goto(`${PT}/staff/payroll-entries/lists/new`);
  await page.getByLabel('Nome', { exact: true }).fill('Horas da serra');
  await page.getByLabel('Coluna', { exact: true }).fill('Horas noturnas');
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await page.getByRole('button', { name: 'Publicar', exact: true }).click();
  await expect(page.getByText(/Publicada\./)).toBeVisible();
  const { items } = (await (
    await page.request.get(`/api/br-payroll/v1/clients/${client}/sheets`)
  ).json()) as { items: { id: string; name: string }[] };
  const sheet = items.find(({ name }) => name === 'Horas da serra')?.id ?? '';
  await enter(page, PEOPLE.ana, '');
  await page.goto(`${PT}/actions/service-request/payroll-sheets/${sheet}`);
  await expect(page.locator('#cells tbody > tr')).toHaveCount(20);

  // from the third employee on, without names: the rest of the sheet is beyond this page. The editor is still loading
  let load = (): void => undefined;
  const loading = new Promise<void>((resolve) => (load = resolve));
  await page.route(/SheetEditor/, async (route) => {
    await loading;
    await route.continue();
  });
  const third = page.locator('#cells tbody > tr').nth(2).locator('input[name^="c."]');
  await third.click();
  await third.evaluate(
    (input, text) => {
      const data = new DataTransfer();
      data.setData('text/plain', text);
      input.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      );
    },
    registrations
      .slice(2)
      .map((_, at) => `${at % 9}:30`)
      .join('\n'),
  );
  load();
  await page.getByRole('button', { name: 'Ver antes' }).click();
  await expect(page.getByText('Células a preencher: 46. A trocar: 0. Ignoradas: 0.')).toBeVisible();
  await page.getByRole('button', { name: 'Alterar 46 células' }).click();
  await expect(third).toHaveValue('000:30');
  await page.getByRole('button', { name: 'Desfazer (46 células)' }).click();
  await expect(third).toHaveValue('');

  // with the numbers of all of them in any order
  await third.click();
  await third.evaluate(
    (input, text) => {
      const data = new DataTransfer();
      data.setData('text/plain', text);
      input.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      );
    },
    ['Matrícula\tHoras noturnas', ...registrations.toReversed().map((each) => `${each}\t8h15`)].join('\n'),
  );
  await page.getByRole('button', { name: 'Ver antes' }).click();
  await page.getByRole('button', { name: 'Alterar 48 células' }).click();
  await expect(page.getByText(/48 células alteradas/)).toBeVisible();
  await expect(page.getByRole('table', { name: 'Totais' })).toContainText('396:00');
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false, viewport: DESK });

  test('a sheet is filled in, sent, returned, corrected and closed', async ({ page, portal }) => {
    await enter(page, PEOPLE.ana, '');
    const client = await idOfClient(portal, BAKERY);
    await page.goto(`${PT}/actions/service-request/payroll-entries?client=${client}`);
    await demoSheet(page).click();
    const sheet = page.url();
    const id = /sheet_\w+/.exec(sheet)?.[0] ?? '';
    const commission = page.getByLabel(/Mariana Alves Ferreira: Comissões/);

    // what is wrong stays typed, beside what is wrong with it
    await commission.fill('1.234,5');
    await page.getByRole('button', { name: 'Salvar', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Nem tudo foi salvo' })).toBeVisible();
    await expect(commission).toHaveValue('1.234,5');
    await commission.fill('1234,5');
    await page.getByRole('button', { name: 'Salvar', exact: true }).click();
    await expect(page.getByText('Salvo. 1 célula alterada.')).toBeVisible();
    await expect(commission).toHaveValue('1234,50');

    await page.getByRole('link', { name: 'Colar da planilha' }).click();
    await page.getByLabel('Células copiadas').fill('Matrícula\tHoras extras 100%\n0001\t2h30\n9999\t1:00');
    await page.getByRole('button', { name: 'Ver antes' }).click();
    await expect(page.getByText('Células a preencher: 1. A trocar: 0. Ignoradas: 1.')).toBeVisible();
    await page.getByRole('button', { name: 'Alterar 1 célula' }).click();
    await expect(page.getByLabel(/Mariana Alves Ferreira: Horas extras 100%/)).toHaveValue('002:30');
    await page.getByRole('button', { name: 'Desfazer (1 célula)' }).click();
    await expect(page.getByLabel(/Mariana Alves Ferreira: Horas extras 100%/)).toHaveValue('');

    await page.getByRole('link', { name: 'Conferir e enviar' }).click();
    await page.getByRole('button', { name: /^(Enviar|Está certo)/ }).click();
    await expect(page.getByText(/Lançamentos enviados\. Protocolo \d+/)).toBeVisible();

    await enter(page, PEOPLE.lima, '');
    await page.goto(`${PT}/staff/payroll-entries?searchTerm=Padaria`);
    await page.locator(`main a[href*="${id}"]`).first().click();
    await page.getByRole('button', { name: 'Devolver ao cliente' }).click();
    await expect(page.getByText('Diga o que deve ser corrigido.').first()).toBeVisible();
    await page.getByLabel('Devolver Comissões de Mariana Alves Ferreira').check();
    await page.getByLabel('Motivo da devolução').fill('Confirme a comissão.');
    await page.getByRole('button', { name: 'Devolver ao cliente' }).click();
    await expect(page.getByText(/Planilha devolvida/)).toBeVisible();

    await enter(page, PEOPLE.ana, '');
    await page.goto(sheet);
    await expect(page.getByText(/Confirme a comissão\./)).toBeVisible();
    await expect(page.locator('#cells input[name^="c."]')).toHaveCount(1);
    await commission.fill('234,50');

    // the month is closed while it is typed: nothing of it is lost
    const other = await page.context().browser()?.newContext({ javaScriptEnabled: false });
    const firm = await other?.newPage();
    if (!firm) throw new Error('no second browser');
    await enter(firm, PEOPLE.lima, '');
    await firm.goto(`${PT}/staff/payroll-entries/sheets/${id}`);
    await firm.getByRole('button', { name: 'Fechar' }).click();
    await expect(firm.getByText('Planilha fechada.')).toBeVisible();
    await page.getByRole('button', { name: 'Salvar', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Digitado depois do fechamento' })).toBeVisible();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Baixar o que foi digitado (CSV)' }).click(),
    ]);
    expect(download.suggestedFilename()).toContain('.csv');
    await firm.getByRole('button', { name: 'Reabrir' }).click();
    await expect(firm.getByText('Planilha reaberta.')).toBeVisible();
    await other?.close();
  });
});

test('a firm adds, publishes and exports a list of entries', async ({ page }) => {
  await page.setViewportSize(DESK);
  await enter(page, PEOPLE.lima, '');
  await page.goto(`${PT}/staff/payroll-entries/lists`);
  await page.getByRole('link', { name: 'Nova lista' }).click();
  await page.getByLabel('Nome', { exact: true }).fill('Adiantamento');
  await page.getByLabel('Coluna', { exact: true }).fill('Vale do dia 15');
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await expect(page.getByText(/Lista incluída/)).toBeVisible();
  await page.getByRole('button', { name: 'Publicar', exact: true }).click();
  await expect(page.getByText(/Publicada\./)).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toContain('Adiantamento');
});

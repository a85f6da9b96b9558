import type { Page } from 'playwright/test';
import { expectUsable } from './support/accessibility.ts';
import { brazilianDay, idOfClient } from './support/steps.ts';
import { DESK, PEOPLE, PHONE, enter, expect, test } from './support/test.ts';

/* A company asks its payroll office for something, and the firm answers. */

const PT = '/clientcenter/pt';
const BAKERY = 'Padaria Sol Nascente Ltda';

test('a contact sends a vacation by keyboard, with the reason that the law asks for', async ({
  page,
  portal,
}) => {
  await page.setViewportSize(PHONE);
  await enter(page, PEOPLE.ana, '');
  const client = await idOfClient(portal, BAKERY);
  await page.goto(`${PT}/actions/service-request/vacation-notice?client=${client}`);
  await page.getByRole('button', { name: 'Começar' }).press('Enter');
  await page.getByLabel('Empregado', { exact: true }).fill('Severino José da Silva');
  await page.getByLabel('Período aquisitivo: primeiro dia').fill('13/04/2025');
  await page.getByLabel('Faltas injustificadas no período').fill('0');
  await page.getByLabel('Início').fill('23/12/2026');
  await page.getByLabel('Dias', { exact: true }).fill('30');
  await page
    .getByRole('group', { name: /vende dias/ })
    .getByLabel('Não')
    .press('Space');
  await page
    .getByRole('group', { name: /1ª parcela/ })
    .getByLabel('Não')
    .press('Space');
  await page.getByRole('button', { name: 'Salvar e continuar' }).press('Enter');
  await page.getByRole('button', { name: 'Salvar e conferir' }).press('Enter');
  await expect(page.getByRole('alert')).toContainText('Natal');
  await page.getByRole('alert').getByRole('link').press('Enter');
  await page.getByLabel('Início').fill('14/12/2026');
  await page.getByRole('button', { name: 'Salvar e continuar' }).press('Enter');
  await page.getByRole('button', { name: 'Salvar e conferir' }).press('Enter');
  await page.locator('#reason-V7').fill('O empregado pediu.');
  await page.locator('#finding-V7').getByRole('button').press('Enter');
  await page.getByRole('button', { name: /^Enviar para/ }).press('Enter');
  await expect(page.getByText('Solicitação enviada. O escritório foi avisado.')).toBeVisible();
  await expect(page.getByText('Enviada, com o escritório')).toBeVisible();
  const [number = ''] = /\d{4}-\d{6}/.exec(await page.getByRole('heading', { level: 1 }).innerText()) ?? [];
  await page.getByRole('link', { name: 'Solicitações' }).first().click();
  const row = page.getByRole('row', { name: new RegExp(number) });
  await expect(row).toContainText('Aviso de férias');
  await expect(row).toContainText('Severino José da Silva');
});

test('an admission is sent with its minimum, and the reply adds the employee', async ({ page, portal }) => {
  await page.setViewportSize(PHONE);
  await enter(page, PEOPLE.ana, '');
  const client = await idOfClient(portal, BAKERY);
  await page.goto(`${PT}/actions/service-request/employee-registration?client=${client}`);
  await page.getByRole('button', { name: 'Começar' }).click();
  await page.getByLabel('CPF', { exact: true }).fill('111.444.777-35');
  await page.getByLabel('Nome completo, como no CPF').fill('Rosana Teles Prado');
  await page.getByLabel('Data de nascimento').fill('14/03/1998');
  await page.getByLabel('Primeiro dia de trabalho').fill(brazilianDay(7));
  await page
    .getByRole('group', { name: /^Tipo de contrato/ })
    .getByLabel('CLT')
    .check();
  await page
    .getByRole('group', { name: /^Trabalho/ })
    .getByLabel('Urbano')
    .check();
  await page.getByLabel('Cargo', { exact: true }).fill('Atendente');
  await page.getByLabel('Ocupação (CBO)').fill('513435');
  await page.getByLabel('Salário contratual').fill('2.400,00');
  await page.getByLabel('Salário por').selectOption('Mês');
  await page
    .getByRole('group', { name: /^Prazo/ })
    .getByLabel('Indeterminado')
    .check();
  await page.getByLabel('Estabelecimento', { exact: true }).fill('Loja Vila Mariana (99.304.518/0002-67)');
  await page.getByRole('button', { name: 'Salvar e continuar' }).click();
  await page.getByRole('button', { name: 'Enviar o mínimo agora' }).click();
  await expect(page.getByText('Solicitação enviada. O escritório foi avisado.')).toBeVisible();
  await expect(page.getByText('O mínimo foi enviado: preencha o resto')).toBeVisible();

  await enter(page, PEOPLE.lima, '');
  await page.goto(`${PT}/staff/service-requests`);
  await page
    .getByRole('row', { name: /Rosana Teles Prado/ })
    .getByRole('link')
    .first()
    .click();
  await expect(page.getByText(/Rosana Teles Prado entra na lista de empregados/)).toBeVisible();
  await expectUsable(page, 'a service request, as the firm sees it');
  await page.getByLabel(/^Resposta/).fill('Registrada.');
  await page.getByLabel(/^Matrícula/).fill('0099');
  await page.getByRole('button', { name: 'Responder e concluir' }).click();
  await expect(page.getByText('Respondida. O cliente foi avisado.')).toBeVisible();

  await enter(page, PEOPLE.ana, '');
  await page.goto(`${PT}/actions/service-request/employees?client=${client}`);
  await expect(page.getByText('Rosana Teles Prado').first()).toBeVisible();
});

test('what the law forbids is said while a date is typed, and gone when it is corrected', async ({
  page,
  portal,
}) => {
  await page.setViewportSize(PHONE);
  await enter(page, PEOPLE.ana, '');
  const client = await idOfClient(portal, BAKERY);
  await page.goto(`${PT}/actions/service-request/vacation-notice?client=${client}`);
  await page.getByRole('button', { name: 'Começar' }).click();
  await page.getByLabel('Empregado', { exact: true }).fill('Severino José da Silva');
  await page.getByLabel('Período aquisitivo: primeiro dia').fill('13/04/2025');
  await page.getByLabel('Faltas injustificadas no período').fill('0');
  await page.getByLabel('Dias', { exact: true }).fill('30');
  const start = page.getByLabel('Início');
  await start.pressSequentially('23/12/2026');
  const forbidden = page.getByText(/^As férias não podem começar em 23 de dez\. de 2026/);
  await expect(forbidden).toContainText('(CLT, art. 134, § 3º)');
  await expect(start).toHaveAttribute('aria-invalid', 'true');
  await expect(page.locator('[data-rules]')).toContainText('Não permitido: As férias não podem começar');
  await expect(page.getByRole('listitem').filter({ hasText: 'Exige justificativa:' })).toContainText(
    'CLT, art. 135',
  );
  await expectUsable(page, 'a request that the law forbids');
  await start.fill('14/12/2026');
  await expect(forbidden).toBeHidden();
  await expect(page.locator('[data-rules]')).toContainText('Agora é permitido.');
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false, viewport: DESK });

  test('a request is sent, asked about, answered, and replied to', async ({ page, portal }) => {
    await enter(page, PEOPLE.ana, '');
    const client = await idOfClient(portal, BAKERY);
    await page.goto(`${PT}/actions/service-request/general-requests?client=${client}`);
    await page.getByRole('button', { name: 'Começar' }).click();
    await page.getByLabel('Assunto').fill('Holerite de outubro');
    await page.getByLabel('Departamento').selectOption('Pessoal');
    await page.getByLabel('O que você precisa?').fill('Preciso da segunda via.');
    await page.getByRole('button', { name: 'Salvar e conferir' }).click();
    await page.getByRole('button', { name: /^Enviar para/ }).click();
    await expect(page.getByText('Solicitação enviada. O escritório foi avisado.')).toBeVisible();
    const title = await page.getByRole('heading', { level: 1 }).innerText();
    const own = page.url();

    await enter(page, PEOPLE.lima, '');
    await page.goto(`${PT}/staff/service-requests`);
    await page
      .getByRole('row', { name: /Holerite de outubro/ })
      .getByRole('link')
      .first()
      .click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
    await page.getByRole('button', { name: 'Assumir' }).click();
    await page.getByText('Perguntar ao cliente').click();
    await page.getByLabel('Pergunta', { exact: true }).fill('De qual empregado?');
    await page.getByRole('button', { name: 'Enviar pergunta' }).click();
    await expect(page.getByText('Pergunta enviada. O cliente foi avisado.')).toBeVisible();

    await enter(page, PEOPLE.ana, '');
    await page.goto(own);
    await expect(page.getByText('De qual empregado?').first()).toBeVisible();
    await page.getByLabel('Sua resposta').fill('Da Mariana.');
    await page.getByRole('button', { name: 'Responder', exact: true }).click();
    await expect(page.getByText('Resposta enviada. O escritório foi avisado.')).toBeVisible();

    await enter(page, PEOPLE.lima, '');
    await page.goto(`${PT}/staff/service-requests`);
    await page
      .getByRole('row', { name: /Holerite de outubro/ })
      .getByRole('link')
      .first()
      .click();
    await page.getByLabel(/^Resposta/).fill('Está em Documentos.');
    await page.getByRole('button', { name: 'Responder e concluir' }).click();
    await expect(page.getByText('Respondida. O cliente foi avisado.')).toBeVisible();
  });
});

/** Sends a general request of the bakery, which its contact is signed in for. */
async function sendGeneral(page: Page, client: string, subject: string): Promise<void> {
  await enter(page, PEOPLE.ana, '');
  await page.goto(`${PT}/actions/service-request/general-requests?client=${client}`);
  await page.getByRole('button', { name: 'Começar' }).click();
  await page.getByLabel('Assunto').fill(subject);
  await page.getByLabel('Departamento').selectOption('Pessoal');
  await page.getByLabel('O que você precisa?').fill('Por favor.');
  await page.getByRole('button', { name: 'Salvar e conferir' }).click();
  await page.getByRole('button', { name: /^Enviar para/ }).click();
  await expect(page.getByText('Solicitação enviada. O escritório foi avisado.')).toBeVisible();
}

for (const [how, options] of [
  ['without scripts', { javaScriptEnabled: false, viewport: DESK }],
  ['on a phone', { viewport: PHONE }],
] as const)
  test.describe(how, () => {
    test.use(options);

    test('after a step the next one says what the one before lacks, and leads there', async ({
      page,
      portal,
    }) => {
      await enter(page, PEOPLE.ana, '');
      const client = await idOfClient(portal, BAKERY);
      await page.goto(`${PT}/actions/service-request/vacation-notice?client=${client}`);
      await page.getByRole('button', { name: 'Começar' }).click();
      await page.getByRole('button', { name: 'Salvar e continuar' }).click();
      const said = page.getByRole('status').filter({ hasText: 'respostas salvas. Ainda falta:' });
      await expect(said.getByRole('link')).not.toHaveCount(0);
      await said.getByRole('link').first().click();
      await expect(page.locator('main [aria-invalid=true]').first()).toBeVisible();
    });

    test('requests are taken on and given back, exported, and reminded of once', async ({ page, portal }) => {
      const subject = `Fila ${how}`;
      await sendGeneral(page, await idOfClient(portal, BAKERY), subject);
      await enter(page, PEOPLE.lima, '');
      const queue = `${PT}/staff/service-requests`;
      const rowOf = (text: string) => page.getByRole('row', { name: text });
      const act = async (name: string): Promise<void> => {
        await page.locator('#requests').getByRole('button', { name, exact: true }).click();
      };
      await page.goto(queue);
      await rowOf(subject).getByRole('checkbox').check();
      await act('Assumir');
      await expect(page.getByText('1 solicitação atribuída')).toBeVisible();
      await page.getByRole('button', { name: 'Desfazer' }).click();
      await expect(page.getByRole('heading', { name: 'Desfeito' })).toBeVisible();

      await page.goto(queue);
      await rowOf(subject).getByRole('checkbox').check();
      await act('Exportar');
      const zip = page.getByRole('link', { name: 'ZIP' });
      const downloading = page.waitForEvent('download');
      await zip.click();
      expect((await downloading).suggestedFilename()).toBe('service-requests.zip');

      await page.goto(queue);
      await rowOf(subject).getByRole('link').first().click();
      await page.getByText('Perguntar ao cliente').click();
      await page.getByLabel('Pergunta', { exact: true }).fill('De qual mês?');
      await page.getByRole('button', { name: 'Enviar pergunta' }).click();
      await page.goto(`${queue}?view=client`);
      await rowOf(subject).getByRole('checkbox').check();
      await act('Lembrar');
      await expect(page.getByRole('row', { name: /nº/ })).toContainText('Ana Souza');
      if (options.viewport === PHONE)
        await expectUsable(page, 'a reminder about requests, before it is sent');
      await page.getByRole('button', { name: 'Enviar lembretes' }).click();
      await expect(page.getByText('Lembrete de 1 solicitação enviado')).toBeVisible();
      await page.goto(`${queue}?view=client`);
      await rowOf(subject).getByRole('checkbox').check();
      await act('Lembrar');
      await expect(page.getByText('Não há nada a fazer.')).toBeVisible();
      await expect(page.getByText('Lembrada nas últimas 24 horas')).toBeVisible();
    });
  });

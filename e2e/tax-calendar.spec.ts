import { DESK, ONE_SIZE, PEOPLE, PHONE, SIZES, enter, expect, test } from './support/test.ts';

/* The tax calendar of companies in Brazil, Canada and the United States, as contacts and their firms see it. */

for (const viewport of SIZES)
  test.describe(`at ${viewport.width} px`, () => {
    test.use({ viewport });

    test('a contact sees what is due, is reminded by choice, and says that there is nothing to send', async ({
      page,
    }) => {
      await enter(page, PEOPLE.ana, '');
      await page.goto('/clientcenter/pt/home');
      await page.getByRole('link', { name: 'Toda a agenda fiscal' }).click();
      await expect(page.getByRole('heading', { level: 1, name: 'Agenda fiscal' })).toBeVisible();
      await page
        .getByRole('navigation', { name: 'Empresa' })
        .getByRole('link', { name: /Padaria/ })
        .click();
      const fgts = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('heading', { name: 'FGTS Digital' }) })
        .last();
      await fgts.getByRole('button', { name: /Nada a enviar/ }).click();
      await expect(page.getByText('FGTS Digital: nada a enviar.')).toBeVisible();
      await expect(fgts.getByText('Nada a enviar desta vez')).toBeVisible();
      await fgts.getByRole('button', { name: /Desfazer/ }).click();
      await expect(page.getByText('FGTS Digital está em aberto novamente.')).toBeVisible();
      await page.getByLabel('Lembrar-me').selectOption({ label: '3 dias antes' });
      await page.getByRole('button', { name: 'Salvar' }).click();
      await expect(page.getByText('Você será lembrado das suas datas fiscais.')).toBeVisible();
      await expect(page.getByLabel('Lembrar-me')).toHaveValue('3');
      await page.getByRole('link', { name: 'Adicionar ao meu calendário' }).click();
      await expect(page.getByRole('heading', { name: 'Calendário de prazos' })).toBeVisible();
    });
  });

for (const viewport of ONE_SIZE)
  test.describe(`without scripts at ${viewport.width} px`, () => {
    test.use({ javaScriptEnabled: false, viewport });

    test('the firm finds in its inbox that a client has nothing to send, and moves a date', async ({
      page,
    }) => {
      await enter(page, PEOPLE.ana, '');
      await page.goto('/clientcenter/pt/tax-calendar');
      await page.getByRole('navigation', { name: 'Empresa' }).getByRole('link', { name: /Café/ }).click();
      const esocial = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('heading', { name: 'eSocial' }) })
        .last();
      await esocial.getByRole('button', { name: /Nada a enviar/ }).click();
      await expect(page.getByText('eSocial: nada a enviar.')).toBeVisible();
      await page.context().clearCookies();
      await enter(page, PEOPLE.lima, 'staff');
      await page.goto('/clientcenter/pt/staff/inbox');
      await page
        .getByRole('link', { name: /eSocial: o cliente não tem nada a enviar/ })
        .first()
        .click();
      await page.goto('/clientcenter/pt/staff/clients?searchTerm=Caf%C3%A9');
      await page
        .getByRole('link', { name: /Café da Serra/ })
        .first()
        .click();
      await page.getByRole('main').getByRole('link', { name: 'Agenda fiscal' }).click();
      await page
        .getByRole('link', { name: /Alterar data/ })
        .first()
        .click();
      await page.getByLabel('Motivo').fill('Combinado com o banco');
      await page.getByRole('button', { name: 'Alterar a data' }).click();
      await expect(page.getByText(/Combinado com o banco/).first()).toBeVisible();
      await page
        .getByRole('button', { name: /Usar a data original/ })
        .first()
        .click();
      await expect(page.getByText('voltou à data original')).toBeVisible();
    });
  });

test.describe('the firm', () => {
  test.use({ javaScriptEnabled: false, viewport: DESK });

  test('staff say what is known of a client, hide a rule and confirm another, and add a date for all', async ({
    page,
  }) => {
    await enter(page, PEOPLE.eleanor, 'staff');
    await page.goto('/clientcenter/en-us/staff/clients?searchTerm=Nair');
    await page.getByRole('link', { name: 'Nair Dental PLLC' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Tax calendar' }).click();
    await page.getByLabel('Kind of taxpayer').selectOption({ label: 'S corporation' });
    await page.getByLabel('Payroll payments').selectOption({ label: 'Monthly' });
    await page.getByRole('button', { name: 'Save profile' }).click();
    await expect(page.getByRole('heading', { level: 3, name: 'Form 1120-S' }).first()).toBeVisible();
    await expect(page.getByRole('row', { name: /Form 1099-NEC/ })).toContainText('May apply');
    await page
      .getByRole('row', { name: /Form 1099-NEC/ })
      .getByRole('button', { name: 'Include' })
      .click();
    await expect(page.getByRole('row', { name: /Form 1099-NEC/ })).toContainText('Included by you');

    await page.goto('/clientcenter/en-us/staff/tax-calendar/rules?country=us');
    await page
      .getByRole('row', { name: /Form W-2/ })
      .getByRole('button', { name: /Confirm/ })
      .click();
    await expect(page.getByRole('row', { name: /Form W-2/ })).toContainText('Confirmed by you');
    await page
      .getByRole('row', { name: /Form 940/ })
      .getByRole('button', { name: 'Hide' })
      .click();
    await expect(page.getByRole('row', { name: /Form 940/ })).toContainText('Hidden from clients');
    await page
      .getByRole('row', { name: /Form 940/ })
      .getByRole('button', { name: 'Show' })
      .click();
    await expect(page.getByText('Clients see these dates again.')).toBeVisible();
    await page.getByLabel('Name').fill('Illinois franchise tax');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(page.getByText('Enter a date.').first()).toBeVisible();
    await expect(page.getByLabel('Name')).toHaveValue('Illinois franchise tax');
  });
});

test.describe('staff on a phone', () => {
  test.use({ viewport: PHONE });

  test('staff go through the months of all clients', async ({ page }) => {
    await enter(page, PEOPLE.lima, 'staff');
    await page.goto('/clientcenter/pt/staff/tax-calendar');
    await page.getByRole('link', { name: 'Próximo mês' }).click();
    await expect(page.getByRole('rowheader').first()).toBeVisible();
    await page.getByRole('link', { name: 'Resolvida' }).click();
    await expect(page).toHaveURL(/mark=done/);
  });
});

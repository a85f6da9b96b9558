import type { Locator, Page } from 'playwright/test';
import { expectUsable } from './support/accessibility.ts';
import { ONE_SIZE, PEOPLE, enter, expect, test } from './support/test.ts';

/* Fields with masks, dates and addresses: the style guide page has every kind. */

/** Types into a field, whose mask is loaded with the first focus. */
async function typeInto(field: Locator, text: string, shown: string): Promise<void> {
  await field.fill('');
  await field.pressSequentially(text);
  await expect(field).toHaveValue(shown);
}

/** Holds back the scripts that are loaded with the first focus, until the returned function is called. */
async function holdScripts(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(/\/(?:enhance|masked-inputs|date-selects)[^/]*\.js$/, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

async function paste(page: Page, text: string, field: Locator): Promise<void> {
  const source = page.getByRole('textbox', { name: 'Multiple lines' });
  await source.fill(text);
  await source.press('ControlOrMeta+A');
  await source.press('ControlOrMeta+C');
  await field.fill('');
  await field.press('ControlOrMeta+V');
}

test('a masked field is punctuated while typing, and keeps the caret where something is inserted', async ({
  page,
}) => {
  await page.goto('kit');
  const cpf = page.getByRole('textbox', { name: 'CPF' });
  await typeInto(cpf, '1114447x7735', '111.444.777-35');
  await cpf.press('Backspace');
  await expect(cpf).toHaveValue('111.444.777-3');
  for (let step = 0; step < 6; step += 1) await cpf.press('ArrowLeft');
  await cpf.press('Delete'); // skips the point
  await cpf.press('9');
  const caret = await cpf.evaluate((input: HTMLInputElement) => input.selectionStart);
  expect([await cpf.inputValue(), caret]).toEqual(['111.444.977-73', 9]);
  const ssn = page.getByRole('textbox', { name: /^SSN/ });
  await typeInto(ssn, '*12*3456789', '123-45-6789');
  const phone = page.getByRole('textbox', { name: 'Phone (optional)' });
  await typeInto(phone, '2125550123', '(212) 555-0123');
  const hours = page.getByRole('textbox', { name: /^Hours/ });
  await typeInto(hours, '160:3x0', '160:30');
});

test('a date is read however people type and paste it', async ({ page }) => {
  await page.goto('kit');
  const date = page.getByRole('textbox', { name: /^Date as text/ });
  await typeInto(date, '1/2/2027', '01/02/2027');
  for (const pasted of [
    '1/2/2027',
    '01/02/27',
    '1 de fevereiro de 2027',
    'Feb 1, 2027',
    '20270201',
    '\u200E01/02/2027',
  ]) {
    await paste(page, pasted, date);
    await date.press('Tab');
    await expect(date).toHaveValue('01/02/2027');
  }
  await date.fill('');
  await date.pressSequentially('1 fev 2027');
  await date.press('Tab');
  await expect(date).toHaveValue('01/02/2027');
  await typeInto(date, '28022026', '28/02/2026'); // its mask is back
});

test('what is pasted or filled in gets its punctuation, what does not fit stays, and undo brings back what was there', async ({
  page,
}) => {
  await page.goto('kit');
  const phone = page.getByRole('textbox', { name: 'Phone (optional)' });
  await typeInto(phone, '2125550100', '(212) 555-0100');
  await paste(page, '+1 212.555.0123', phone);
  await expect(phone).toHaveValue('(212) 555-0123');
  await phone.press('ControlOrMeta+Z');
  await expect(phone).toHaveValue('');
  await phone.press('ControlOrMeta+Shift+Z');
  await expect(phone).toHaveValue('(212) 555-0123');
  await phone.fill('2125550199'); // as the browser fills it in
  await expect(phone).toHaveValue('(212) 555-0199');
  await paste(page, '+55 11 91234-5678', phone);
  await expect(phone).toHaveValue('+55 11 91234-5678');
  const date = page.getByRole('textbox', { name: /^Date as text/ });
  await typeInto(date, '28022026', '28/02/2026');
  await paste(page, '2026-11-24', date);
  await expect(date).toHaveValue('24/11/2026');
  const amount = page.getByRole('textbox', { name: /^Amount/ });
  await typeInto(amount, '1,5', '1,5');
  await paste(page, 'R$ 1.234,56', amount);
  await expect(amount).toHaveValue('1234,56');
});

test('what was typed before the script arrives is fitted to the mask then, and the caret stays after the same character', async ({
  page,
}) => {
  const release = await holdScripts(page);
  await page.goto('kit');
  const field = (name: string | RegExp): Locator => page.getByRole('textbox', { name });
  const [ssn, phone, date, cpf] = [
    field(/^SSN/),
    field('Phone (optional)'),
    field(/^Date as text/),
    field('CPF'),
  ];
  await ssn.pressSequentially('*12*3456789');
  await phone.pressSequentially('+55 11 91234-5678');
  await date.pressSequentially('2026-11-24');
  await cpf.fill('');
  await cpf.pressSequentially('1114447x7735');
  for (let step = 0; step < 4; step += 1) await cpf.press('ArrowLeft');
  await expect(cpf).toHaveValue('1114447x7735');
  release();
  await expect(cpf).toHaveValue('111.444.777-35');
  const caret = await cpf.evaluate((input: HTMLInputElement) => input.selectionStart);
  expect(caret, 'after the seventh digit').toBe('111.444.7'.length);
  await expect(ssn).toHaveValue('123-45-6789');
  await expect(phone, 'what is too long is not cut').toHaveValue('+55 11 91234-5678');
  await expect(date).toHaveValue('24/11/2026');
});

test('the days of a month that was chosen before the script arrives are limited then', async ({ page }) => {
  const release = await holdScripts(page);
  await page.goto('kit');
  const date = page.getByRole('group', { name: /^Date of birth/ });
  const day = date.getByRole('combobox', { name: 'Day', exact: true });
  await day.focus();
  await day.selectOption('31');
  await date.getByRole('combobox', { name: 'Month', exact: true }).selectOption('02');
  await expect(day).toHaveValue('31');
  release();
  await expect(day).toHaveValue('');
  await expect(day.locator('option:not([disabled])')).toHaveCount(30);
});

test('a composition that began before the script arrives is fitted to the mask when it ends', async ({
  page,
}) => {
  const release = await holdScripts(page);
  await page.goto('kit');
  const cpf = page.getByRole('textbox', { name: 'CPF' });
  await cpf.fill('');
  await cpf.pressSequentially('111');
  const session = await page.context().newCDPSession(page);
  await session.send('Input.imeSetComposition', { text: '４４', selectionStart: 2, selectionEnd: 2 });
  const loaded = page.waitForResponse(/masked-inputs/);
  release();
  await (await loaded).finished();
  await session.send('Input.imeSetComposition', { text: '４４４', selectionStart: 3, selectionEnd: 3 });
  await expect(cpf).toHaveValue('111４４４');
  await session.send('Input.insertText', { text: '444' });
  await expect(cpf).toHaveValue('111.444');
});

test('a composition of an input method is left alone until it ends', async ({ page }) => {
  await page.goto('kit');
  const cpf = page.getByRole('textbox', { name: 'CPF' });
  await typeInto(cpf, '111', '111');
  const session = await page.context().newCDPSession(page);
  await session.send('Input.imeSetComposition', { text: '４４', selectionStart: 2, selectionEnd: 2 });
  await expect(cpf).toHaveValue(/４４$/);
  await session.send('Input.insertText', { text: '44' });
  await expect(cpf).toHaveValue('111.44');
});

test('the mask of a tax id follows the kind that is chosen for it', async ({ page }) => {
  await page.goto('kit');
  const row = page.getByRole('group', { name: 'Tax IDs 1' });
  const number = row.getByRole('textbox', { name: 'Number' });
  const kind = row.getByRole('combobox', { name: 'Type' });
  await kind.selectOption('ein');
  await typeInto(number, '123456789', '12-3456789');
  await kind.focus();
  await kind.selectOption('cnpj');
  await typeInto(number, '12abc34501de35', '12.ABC.345/01DE-35');
});

test('a letter that is typed right after the kind of a tax id was chosen is kept', async ({ page }) => {
  await page.goto('kit');
  const row = page.getByRole('group', { name: 'Tax IDs 1' });
  const number = row.getByRole('textbox', { name: 'Number' });
  const kind = row.getByRole('combobox', { name: 'Type' });
  await kind.selectOption('ein');
  await typeInto(number, '12', '12');
  await kind.focus();
  const session = await page.context().newCDPSession(page);
  const press = (key: string, code = key.toUpperCase().charCodeAt(0)): Promise<unknown> =>
    session.send('Input.dispatchKeyEvent', {
      type: 'keyDown',
      key,
      windowsVirtualKeyCode: code,
      ...(key.length === 1 && { text: key }),
    });
  await Promise.all([press('c'), press('Tab', 9), press('a'), press('b')]); // nothing waits between the keys
  await expect(kind).toHaveValue('cnpj');
  await expect(number).toHaveValue('AB');
});

test('the selects of a date offer the days of the chosen month, by keyboard', async ({ page }) => {
  await page.goto('kit');
  const date = page.getByRole('group', { name: /^Date of birth/ });
  const [month, day, year] = ['Month', 'Day', 'Year'].map((name) =>
    date.getByRole('combobox', { name, exact: true }),
  );
  if (!month || !day || !year) throw new Error('three selects');
  await day.focus();
  await day.selectOption('31');
  await month.focus();
  await page.keyboard.type('Feb');
  await expect(month).toHaveValue('02');
  await expect(day).toHaveValue('');
  await expect(day.locator('option:not([disabled])')).toHaveCount(30); // 29 days and the empty one
  await year.selectOption('2026');
  await expect(day.locator('option:not([disabled])')).toHaveCount(29);
  await year.selectOption('2024');
  await expect(day.locator('option:not([disabled])')).toHaveCount(30);
});

for (const { width } of ONE_SIZE) {
  test.describe(`at ${width} px`, () => {
    test.use({ viewport: { width, height: 800 } });

    test('choosing another country changes labels, fields and states, and empties the state', async ({
      page,
    }) => {
      await enter(page, PEOPLE.olivia, 'documents');
      await page.goto('kit');
      const address = page.getByRole('group', { name: /^Address/ });
      const state = address.getByRole('combobox', { name: 'State' });
      await expect(state).toHaveValue('US-CA');
      await expect(address.getByLabel('ZIP code')).toBeVisible();
      await address.getByLabel('Country').focus();
      await address.getByLabel('Country').selectOption({ label: 'Brazil' });
      await expect(address.getByLabel('Neighborhood')).toBeVisible();
      await expect(address.getByLabel('ZIP code')).toBeHidden();
      await expect(state).toHaveValue('');
      await expect(state.locator('option')).toHaveCount(28);
      await state.selectOption({ label: 'São Paulo' });
      await expectUsable(page, 'the address of another country');
      await address.getByLabel('Country').selectOption({ label: 'United Kingdom' });
      await expect(address.getByLabel('Town')).toBeVisible();
      await expect(state).toBeHidden();
      await address.getByLabel('Country').selectOption({ label: 'Antarctica' });
      await expect(address.getByRole('textbox', { name: 'Foreign province/county' })).toBeVisible();
      await expect(address.getByLabel('City')).toHaveValue('Fresno');
    });
  });
}

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('without scripts a button shows the fields of the country, and values are read with or without punctuation', async ({
    page,
  }) => {
    await page.goto('kit');
    const address = page.getByRole('group', { name: /^Address/ });
    await address.getByLabel('Country').selectOption({ label: 'Australia' });
    await page.getByRole('textbox', { name: 'CPF' }).fill('52998224725');
    await page.getByRole('textbox', { name: /^Date as text/ }).fill('31022026');
    await page.getByRole('button', { name: 'Show fields for this country' }).click();
    await expect(address.getByLabel('Suburb')).toHaveValue('Fresno');
    await expect(address.getByLabel('State')).toHaveValue('');
    await address.getByLabel('State').selectOption({ label: 'New South Wales' });
    await address.getByLabel('Address line 1').fill('');
    const form = page.getByRole('form', { name: 'Field types' });
    await form.getByRole('button', { name: 'Primary action' }).click();
    await expect(page.getByRole('textbox', { name: 'CPF' })).toHaveValue('529.982.247-25');
    const date = page.getByRole('textbox', { name: /^Date as text/ });
    await expect(date).toHaveValue('31/02/2026');
    await expect(date).toHaveAccessibleDescription(/There’s no day 31 in 02\/2026\.$/);
    await expect(address.getByLabel('State')).toHaveValue('AU-NSW');
    const line = address.getByRole('textbox', { name: 'Address line 1' });
    await expect(line).toHaveAccessibleDescription('Enter the first line of the address.');
  });
});

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineForm, useForm, type DateField } from '#platform/forms/forms.server.ts';
import type { FormAnswer } from '#platform/forms/forms.ts';
import { dateFieldView } from '#platform/inputs/field-views.server.ts';
import {
  date,
  decimal,
  hours,
  internationalPhone,
  nationalPhone,
  ssn,
  taxId,
  taxIdWithKind,
  textOfLength,
} from '#platform/inputs/schemas.server.ts';
import type { Lang } from '#platform/text/languages.ts';

const sample = (input: NonNullable<DateField['input']>) =>
  defineForm('kit', () => ({
    id: 'sample',
    title: 'fields',
    problemTitle: 'summaryTitle',
    submit: 'primary',
    schema: z.object({
      cpf: taxId('cpf').min(1),
      ssn: ssn(),
      phone: nationalPhone(),
      mobile: internationalPhone(),
      day: date({ min: '2026-01-15', max: '2026-12-31' }),
      worked: hours(),
      amount: decimal(),
      note: textOfLength({ min: 3, max: 5 }),
      taxIds: z.array(taxIdWithKind),
    }),
    fields: {
      cpf: { kind: 'text', label: 'fieldMasked', mask: 'cpf', missing: 'fieldError' },
      ssn: { kind: 'text', label: 'fieldSsn', mask: 'ssn' },
      phone: { kind: 'text', label: 'fieldPhone', mask: 'phone' },
      mobile: { kind: 'text', label: 'fieldMobile', mask: 'internationalPhone' },
      day: { kind: 'date', label: 'fieldDate', input, earliest: '2026-01-15', latest: '2026-12-31' },
      worked: { kind: 'text', label: 'fieldHours', mask: 'hours' },
      amount: { kind: 'money', label: 'fieldMoney', currency: 'BRL' },
      note: { kind: 'text', label: 'fieldReason' },
      taxIds: {
        kind: 'group',
        label: 'fieldTaxIds',
        max: 2,
        add: 'fieldTaxIdAdd',
        remove: 'fieldTaxIdRemove',
        fields: {
          kind: { kind: 'select', label: 'fieldTaxIdKind' },
          number: { kind: 'text', label: 'fieldTaxIdNumber', maskBy: 'kind' },
        },
      },
    },
  }));

const VALID = {
  cpf: '529.982.247-25',
  ssn: '***-**-6789',
  phone: '(212) 555-0123',
  mobile: '+55 11 91234-5678',
  day: '28/02/2026',
  worked: '8:30',
  amount: 'R$ 1.234,56',
  note: ' abc ',
  'taxIds[0].kind': 'cnpj',
  'taxIds[0].number': '12.ABC.345/01DE-35',
};

async function send(values: Record<string, string>, lang: Lang = 'en-us') {
  let received: unknown;
  const page = {
    request: new Request('http://localhost/page', {
      method: 'POST',
      body: new URLSearchParams({ form: 'sample', ...VALID, ...values }),
      headers: { Accept: 'application/json' },
    }),
    response: {},
    locals: { lang },
  };
  const answer = await useForm(page, sample('text'), {
    submit: (value) => {
      received = value;
      return Promise.resolve({ to: '/done' });
    },
  });
  return { received, answer: answer instanceof Response ? ((await answer.json()) as FormAnswer) : undefined };
}

test('every kind of input is read as plain data, with or without its punctuation', async () => {
  const plain = {
    cpf: '52998224725',
    ssn: '*****6789',
    phone: '2125550123',
    mobile: '+5511912345678',
    day: '2026-02-28',
    worked: 510,
    amount: 1234.56,
    note: 'abc',
    taxIds: [{ kind: 'cnpj', number: '12ABC34501DE35' }],
  };
  expect((await send({})).received).toEqual(plain);
  const unpunctuated = { phone: '2125550123', day: '28022026', 'taxIds[0].number': '12abc34501de35' };
  expect((await send(unpunctuated)).received).toEqual(plain);
  const chosen = { 'day.year': '2026', 'day.month': '02', 'day.day': '28' };
  expect((await send(chosen)).received).toEqual(plain);
});

test.each([
  ['cpf', '111.111.111-11', 'Enter a valid number, such as 529.982.247-25.'],
  ['ssn', '123', 'This field must contain a valid SSN.'],
  ['phone', '555-0123', 'This field must contain a valid phone number.'],
  ['mobile', '11 91234-5678', /country code/],
  ['day', '31/02/2026', 'There’s no day 31 in 02/2026.'],
  ['day', 'soon', 'Enter a valid date.'],
  ['day', '01/01/2026', 'Enter Jan 15, 2026 or a later date.'],
  ['day', '01/01/2027', 'Enter Dec 31, 2026 or an earlier date.'],
  ['worked', '8:60', 'Enter 59 minutes or fewer.'],
  ['amount', '10000000', 'Enter 9,999,999.99 or less.'],
  ['note', ' a ', 'Enter at least 3 characters.'],
  ['note', 'abcdef', 'Use 5 characters or fewer.'],
  ['taxIds[0].number', '12.ABC.345/01DE-36', 'Enter a valid number, such as 11.222.333/0001-81.'],
] as const)('%s refuses %s with its message', async (field, text, message) => {
  const { answer } = await send({ [field]: text });
  expect(answer).toMatchObject({ problems: [{ field }] });
  const [problem] = answer && 'problems' in answer ? answer.problems : [];
  expect(problem?.text).toMatch(message);
});

test('a message of a shared rule is in the language of the page, as are its dates', async () => {
  const { answer } = await send({ day: '01/01/2026' }, 'pt');
  expect(answer).toMatchObject({ problems: [{ text: 'Informe 15 de jan. de 2026 ou uma data posterior.' }] });
});

describe('a date field', () => {
  const view = async (input: NonNullable<DateField['input']>, lang: Lang, day: string) => {
    const page = { request: new Request('http://localhost/page'), response: {}, locals: { lang } };
    const form = await useForm(page, sample(input), {
      values: { day },
      submit: () => Promise.resolve({ to: '' }),
    });
    return form instanceof Response ? undefined : form.fields.find(({ name }) => name === 'day');
  };

  test('a date field is what the language is used to: selects in the United States, text elsewhere', async () => {
    expect(await view('local', 'en-us', '2026-02-28')).toMatchObject({
      kind: 'date-selects',
      selects: [
        { part: 'month', value: '02', label: 'Month' },
        { part: 'day', value: '28' },
        { part: 'year', value: '2026', choices: [{ value: '2026' }] },
      ],
    });
    expect(await view('local', 'pt', '2026-02-28')).toMatchObject({ kind: 'text', value: '28/02/2026' });
    expect(await view('picker', 'pt', '2026-02-28')).toMatchObject({ kind: 'date', value: '2026-02-28' });
  });

  test('the format of a date that is typed is said after the hint of its field', () => {
    const base = { name: 'day', label: 'Échéance', hint: 'Laissez vide pour aujourd’hui.' };
    expect(dateFieldView(base, { kind: 'date', input: 'local' }, '', 'fr').hint).toMatch(
      /^Laissez vide pour aujourd’hui\. Jour, mois et année/,
    );
    expect(dateFieldView(base, { kind: 'date', input: 'local' }, '', 'en-us').hint).toBe(base.hint);
  });

  test('what was typed as a date is shown again as it was typed', async () => {
    expect(await view('text', 'fr', '31/2')).toMatchObject({ value: '31/2' });
    expect(await view('text', 'fr', '2026-02-31')).toMatchObject({ value: '31/02/2026' });
  });
});

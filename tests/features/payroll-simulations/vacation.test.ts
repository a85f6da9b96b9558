import { describe, expect, test } from 'vitest';
import { estimatePdf } from '#features/brazil/payroll-simulations/estimate-pdf.server.ts';
import type { EstimateView } from '#features/brazil/payroll-simulations/estimate-view.server.ts';
import { vacationForm } from '#features/brazil/payroll-simulations/forms.server.ts';
import { weekdayChoices } from '#features/brazil/establishments/weekdays.server.ts';
import { postedFields } from '#features/brazil/payroll-simulations/simulation-page.server.ts';
import { vacationView } from '#features/brazil/payroll-simulations/vacation-view.server.ts';
import { useForm } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { LANGS, type Lang } from '#platform/text/languages.ts';
import { makeCast } from '../../support/cast.ts';
import { elementsIn, structureOf } from '../../support/pdf-structure.ts';
import '../../../src/app.server.ts';

const { ada } = await makeCast();
const TODAY = '2026-11-28';

/** What somebody types for 20 days of vacation and 10 sold. */
const TYPED = {
  employee: 'Mariana Alves Ferreira',
  salary: '4.200,00',
  admission: '10/03/2021',
  dependants: '1',
  'parts.count': '1',
  'parts[0].start': '4/1/27',
  'parts[0].days': '20',
  soldDays: '10',
  absences: '0',
  periodStart: '',
  restDay: '7',
};

function posted(changes: Record<string, string> = {}, lang: Lang = 'pt') {
  return {
    request: new Request('http://localhost/page', {
      method: 'POST',
      body: new URLSearchParams({ form: 'vacation', ...TYPED, ...changes }),
    }),
    response: {} as { status?: number },
    locals: { lang },
  };
}

/** Without the no-break spaces of formatted amounts. */
const plain = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value).replaceAll('\u00a0', ' ')) as Value;

/** Sends the form; returns its estimate, if there is one, and the form as it is shown again. */
async function send(changes: Record<string, string> = {}, lang: Lang = 'pt') {
  let view: EstimateView | undefined;
  const form = await useForm(posted(changes, lang), vacationForm, {
    choices: { restDay: weekdayChoices(lang) },
    submit: async (input) => {
      view = vacationView(input, TODAY, lang);
      return undefined;
    },
  });
  if (form instanceof Response) throw new Error('the page shows the estimate itself');
  return { view: view && plain(view), form };
}

const problemsOf = ({ problems }: FormView): Record<string, string> =>
  Object.fromEntries(problems.map(({ field = '', text }) => [field, text]));
const december = { 'parts[0].start': '21/12/2026' };

describe('the form of a vacation', () => {
  test('takes money and dates as Brazilians type them, and keeps them', async () => {
    const { view, form } = await send({
      ...december,
      salary: 'R$ 4.200,00',
      admission: '10 de março de 2021',
    });
    expect(view?.facts.map(({ value }) => value)).toEqual([
      'R$ 4.200,00',
      '10 de mar. de 2021',
      '1',
      '10 de mar. de 2025 a 9 de mar. de 2026',
      '0',
    ]);
    expect(form.fields.find(({ name }) => name === 'salary')?.value).toBe('4200,00');
  });

  test('says beside each field what is wrong with it', async () => {
    const { view, form } = await send({
      salary: '',
      admission: '31/02/2021',
      dependants: '-1',
      'parts[0].start': '',
      'parts[0].days': '31',
      soldDays: '11',
      absences: 'x',
      restDay: '8',
    });
    expect(view).toBeUndefined();
    expect(problemsOf(form)).toEqual({
      salary: 'Informe o salário mensal, por exemplo 3.500,00.',
      admission: 'Não existe dia 31 em 02/2021.',
      dependants: 'Informe um número inteiro de 0 a 20.',
      'parts[0].start': 'Informe o primeiro dia de férias.',
      'parts[0].days': 'Informe um número inteiro de dias, de 1 a 30.',
      soldDays: 'Informe um número inteiro de 0 a 10.',
      absences: 'Informe um número inteiro de 0 a 366.',
      restDay: 'A estimativa não foi calculada',
    });
    expect(form.fields.find(({ name }) => name === 'absences')?.value).toBe('x');
  });

  test('refuses a start, and a year of work, before the admission', async () => {
    const { form } = await send({ admission: '05/01/2027', periodStart: '01/01/2027' });
    expect(problemsOf(form)).toEqual({
      'parts[0].start': 'Informe um dia depois da admissão.',
      periodStart: 'Informe a data de admissão ou um dia posterior.',
    });
  });
});

describe('the estimate of a vacation', () => {
  test('shows each amount with how it is computed and its law', async () => {
    const { view } = await send(december);
    const [receipt] = view?.receipts ?? [];
    expect(receipt?.rows.map(({ label, how, amount }) => [label, how, amount])).toEqual([
      ['Férias', 'R$ 4.200,00 ÷ 30 × 20', 'R$ 2.800,00'],
      ['Terço constitucional', 'R$ 2.800,00 ÷ 3', 'R$ 933,33'],
      ['Abono pecuniário (dias vendidos)', 'R$ 4.200,00 ÷ 30 × 10', 'R$ 1.400,00'],
      ['Terço do abono pecuniário', 'R$ 1.400,00 ÷ 3', 'R$ 466,67'],
      ['INSS', 'sobre R$ 3.733,33', '− R$ 336,60'],
      ['IRRF', 'base R$ 3.126,13, imposto R$ 74,76, redução R$ 74,76', 'R$ 0,00'],
    ]);
    expect(receipt?.rows.every(({ law }) => law !== '')).toBe(true);
    expect(receipt?.totals.map(({ value }) => value)).toEqual(['R$ 5.600,00', 'R$ 336,60', 'R$ 5.263,40']);
    expect(receipt?.facts.map(({ value }) => value)).toEqual(['11 de jan. de 2027', '18 de dez. de 2026']);
  });

  test('has no amounts for a year whose tables are missing, and still checks its dates', async () => {
    const { view } = await send();
    expect(view?.receipts).toMatchObject([
      { missing: 'Sem valores: tabela de 2027 ainda não cadastrada.', rows: [], totals: [] },
    ]);
    expect(view?.findings.map(({ text }) => text)).toContain(
      'O aviso deve ser dado até 5 de dez. de 2026, 30 dias antes de 4 de jan. de 2027.',
    );
  });

  test('shows what the law refuses first, with days that are possible', async () => {
    const { view } = await send({ 'parts[0].start': '23/12/2026' });
    expect(view?.findings[0]).toEqual({
      severity: 'blocks',
      mark: 'Não permitido:',
      text: 'As férias não podem começar em 23 de dez. de 2026, nos dois dias antes de feriado ou descanso semanal: Natal (25 de dez. de 2026). Datas possíveis: 22 de dez. de 2026 ou 28 de dez. de 2026.',
      law: 'CLT, art. 134, § 3º',
    });
  });

  test('sums several periods, if all of them have amounts', async () => {
    const two = {
      'parts.count': '2',
      'parts[0].days': '15',
      'parts[1].days': '5',
      'parts[1].start': '3/8/2026',
    };
    const { view } = await send({ ...two, 'parts[0].start': '05/10/2026' });
    expect(view?.receipts.map(({ title }) => title)).toEqual([
      'Período 1: 3 de ago. de 2026 a 7 de ago. de 2026',
      'Período 2: 5 de out. de 2026 a 19 de out. de 2026',
      'Todos os períodos',
    ]);
    expect((await send(two)).view?.receipts).toHaveLength(2);
  });

  test.each(LANGS)('is complete in %s', async (lang) => {
    const { view } = await send(
      {
        ...december,
        'parts.count': '2',
        'parts[1].start': '23/12/2026',
        'parts[1].days': '4',
        hasThirteenth: 'on',
      },
      lang,
    );
    expect(JSON.stringify(view)).not.toMatch(/\{\{|undefined|NaN|rule[A-Z]|line[A-Z]|holiday[A-Z]/);
    expect(view?.findings.length).toBeGreaterThan(5);
  });

  test('is a PDF that screen readers read', async () => {
    const { view } = await send(december);
    if (!view) throw new Error('no estimate');
    const answer = await estimatePdf(ada, view, 'pt');
    expect(answer.headers.get('content-disposition')).toContain('attachment');
    const structure = await structureOf(new Uint8Array(await answer.arrayBuffer()));
    const of = (type: string): string[] =>
      structure.pages.flatMap(({ root }) => elementsIn(root, type)).map(({ text }) => plain(text));
    expect(of('H1')).toEqual([view.title]);
    const text = ['P', 'TH', 'TD'].flatMap(of).join('\n').replaceAll(/\s/g, ''); // of several lines
    for (const shown of [view.disclaimer, 'Terço constitucional', 'R$ 5.263,40'])
      expect(text).toContain(shown.replaceAll(' ', ''));
  });
});

test('what was typed is repeated for the PDF, without the key of the form', async () => {
  const { request } = posted({ 'request-key': 'abc' });
  const fields = Object.fromEntries(await postedFields(request));
  expect(fields).toEqual({ form: 'vacation', ...TYPED });
  expect(await postedFields(new Request('http://localhost/page'))).toEqual([]);
});

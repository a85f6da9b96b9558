import { describe, expect, test } from 'vitest';
import { estimatePdf } from '#features/brazil/payroll-simulations/estimate-pdf.server.ts';
import type { EstimateView } from '#features/brazil/payroll-simulations/estimate-view.server.ts';
import { terminationForm } from '#features/brazil/payroll-simulations/forms.server.ts';
import { monthChoices } from '#features/brazil/payroll-simulations/simulation-page.server.ts';
import { terminationView } from '#features/brazil/payroll-simulations/termination-view.server.ts';
import { REASONS } from '#features/brazil/labor-rules/termination.ts';
import { useForm } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { LANGS, type Lang } from '#platform/text/languages.ts';
import { makeCast } from '../../support/cast.ts';
import { structureOf } from '../../support/pdf-structure.ts';
import '../../../src/app.server.ts';

const { ada } = await makeCast();

/** What somebody types for a dismissal. */
const TYPED = {
  employee: '',
  salary: '3.500,00',
  admission: '01/02/2024',
  lastDay: '27/11/2026',
  reason: '02',
  notice: 'paid',
  dependants: '0',
  overdueDays: '0',
  termEnd: '',
  noticeOn: '',
  doubleDays: '0',
  absences: '0',
  thirteenthAdvanced: '',
  fgtsBalance: '',
  baseMonth: '',
  away: 'no',
};

/** Without the no-break spaces of formatted amounts. */
const plain = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value).replaceAll('\u00a0', ' ')) as Value;

/** Sends the form; returns its estimate, if there is one, and the form as it is shown again. */
async function send(changes: Record<string, string> = {}, lang: Lang = 'pt') {
  let view: EstimateView | undefined;
  const request = new Request('http://localhost/page', {
    method: 'POST',
    body: new URLSearchParams({ form: 'termination', ...TYPED, ...changes }),
  });
  const form = await useForm({ request, response: {}, locals: { lang } }, terminationForm, {
    choices: { baseMonth: monthChoices(lang) },
    submit: async (input) => {
      view = terminationView(input, '2026-11-28', lang);
      return undefined;
    },
  });
  if (form instanceof Response) throw new Error('the page shows the estimate itself');
  return { view: view && plain(view), form };
}

const problemsOf = ({ problems }: FormView): Record<string, string> =>
  Object.fromEntries(problems.map(({ field = '', text }) => [field, text]));

describe('the form of a termination', () => {
  test('refuses a last day before the admission, and notice after it', async () => {
    const { form } = await send({ lastDay: '31/01/2024', noticeOn: '01/02/2024', notice: 'worked' });
    expect(problemsOf(form)).toEqual({
      lastDay: 'Informe a data de admissão ou um dia posterior.',
      noticeOn: 'Informe o último dia de trabalho ou um dia anterior.',
    });
  });

  test.each([
    ['02', 'none', 'Neste motivo, o aviso é indenizado pelo empregador ou trabalhado.'],
    ['33', 'released', 'Neste motivo, o aviso é indenizado pelo empregador ou trabalhado.'],
    ['07', 'paid', 'Neste motivo, o aviso é trabalhado, não cumprido pelo empregado ou dispensado.'],
    ['01', 'paid', 'Neste motivo não há aviso prévio: escolha “Não se aplica”.'],
  ])('says which notice reason %s has instead of %s', async (reason, notice, text) => {
    const { form } = await send({ reason, notice });
    expect(problemsOf(form)).toEqual({ notice: text });
  });

  test('asks for the last day of a fixed term that ends early, unless a clause makes it a dismissal', async () => {
    const { form } = await send({ reason: '03', notice: 'none' });
    expect(Object.keys(problemsOf(form))).toEqual(['termEnd']);
    expect((await send({ reason: '03', hasClause: 'on' })).view).toBeDefined();
  });

  test('does not pay more days double than there are', async () => {
    const { form } = await send({ overdueDays: '10', doubleDays: '11' });
    expect(problemsOf(form)).toEqual({ doubleDays: 'Informe no máximo os dias de férias vencidas.' });
  });
});

describe('the estimate of a termination', () => {
  test('shows each amount with how it is computed', async () => {
    const { view } = await send({ fgtsBalance: 'R$ 8.000,00' });
    const [receipt] = view?.receipts ?? [];
    expect(receipt?.rows.map(({ label, how, amount }) => [label, how, amount])).toEqual([
      ['Saldo de salário', 'R$ 3.500,00 ÷ 30 × 27', 'R$ 3.150,00'],
      ['Aviso prévio indenizado', 'R$ 3.500,00 ÷ 30 × 36', 'R$ 4.200,00'],
      ['13º salário de 2026', 'R$ 3.500,00 ÷ 12 × 12', 'R$ 3.500,00'],
      ['Férias proporcionais', 'R$ 3.500,00 ÷ 30 × 30 ÷ 12 × 11', 'R$ 3.208,33'],
      ['Terço das férias proporcionais', 'R$ 3.208,33 ÷ 3', 'R$ 1.069,44'],
      ['INSS', 'sobre R$ 3.150,00', '− R$ 266,60'],
      ['IRRF', 'base R$ 2.542,80, imposto R$ 8,55, redução R$ 8,55', 'R$ 0,00'],
      ['INSS sobre o 13º', 'sobre R$ 3.500,00', '− R$ 308,60'],
      ['IRRF sobre o 13º', 'base R$ 3.191,40, imposto R$ 84,55, redução R$ 84,55', 'R$ 0,00'],
      ['Depósito na conta do FGTS, fora do total', '8% de R$ 10.850,00', 'R$ 868,00'],
      ['Multa do FGTS, fora do total', '40% de R$ 8.868,00', 'R$ 3.547,20'],
    ]);
    expect(receipt?.totals.map(({ value }) => value)).toEqual(['R$ 15.127,77', 'R$ 575,20', 'R$ 14.552,57']);
    expect(receipt?.facts.map(({ value }) => value)).toEqual(['2 de jan. de 2027', '7 de dez. de 2026']);
  });

  test('of notice that was not worked says that it may be deducted, or deducts it', async () => {
    const resigns = { reason: '07', notice: 'notWorked' };
    const label = async (changes: Record<string, string>): Promise<string | undefined> =>
      (await send({ ...resigns, ...changes })).view?.receipts[0]?.rows.find(({ label: of }) =>
        of.startsWith('Aviso'),
      )?.label;
    expect(await label({})).toBe('Aviso prévio não cumprido: pode ser descontado, fora do total');
    expect(await label({ deductsNotice: 'on' })).toBe('Aviso prévio não cumprido');
  });

  test('names what protects the employee', async () => {
    const { view } = await send({ stabilities: 'pregnancy' });
    expect(view?.findings[0]).toEqual({
      severity: 'confirm',
      mark: 'Exige justificativa:',
      text: 'Gestante: o empregado pode ter estabilidade. O escritório vai analisar antes de registrar o desligamento.',
      law: 'ADCT, art. 10, II, b; Súmula 244 do TST',
    });
  });

  test.each(LANGS)('is complete in %s, for every reason', async (lang) => {
    for (const reason of REASONS) {
      const notice = ['02', '05', '17', '33'].includes(reason)
        ? 'paid'
        : reason === '07'
          ? 'notWorked'
          : 'none';
      const { view } = await send(
        {
          reason,
          notice,
          termEnd: '29/12/2026',
          overdueDays: '30',
          doubleDays: '5',
          thirteenthAdvanced: '1000',
          baseMonth: '1',
          stabilities: 'union',
          away: 'benefit',
        },
        lang,
      );
      expect(JSON.stringify(view)).not.toMatch(/\{\{|undefined|NaN|rule[A-Z]|line[A-Z]|reason\d/);
    }
  });

  test('is a PDF', async () => {
    const { view } = await send();
    if (!view) throw new Error('no estimate');
    const answer = await estimatePdf(ada, view, 'pt');
    expect((await structureOf(new Uint8Array(await answer.arrayBuffer()))).isTagged).toBe(true);
  });
});

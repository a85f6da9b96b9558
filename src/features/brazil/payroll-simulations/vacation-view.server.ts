import { sumOf } from '#features/brazil/labor-rules/amounts.ts';
import type { Finding } from '#features/brazil/labor-rules/findings.ts';
import type { VacationLine } from '#features/brazil/labor-rules/vacation-estimate.ts';
import type { VacationRule } from '#features/brazil/labor-rules/vacation-rules.ts';
import type { Day } from '#features/base/work-calendars/days.ts';
import { yearOf } from '#features/base/work-calendars/holidays.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import {
  findingViews,
  rowViews,
  summaryOf,
  totalFacts,
  type EstimateView,
  type ReceiptView,
} from './estimate-view.server.ts';
import { dateText, moneyText, type Key } from './finding-texts.ts';
import { simulateVacation, type VacationInput, type VacationReceipt } from './vacation-simulation.ts';
import { vacationText } from './vacation-texts.ts';

const LINES = {
  vacation: { label: 'lineVacation', how: 'howDays' },
  third: { label: 'lineThird', how: 'howThird' },
  sold: { label: 'lineSold', how: 'howDays' },
  soldThird: { label: 'lineSoldThird', how: 'howThird' },
  thirteenthAdvance: { label: 'lineThirteenthAdvance', how: 'howThirteenthAdvance' },
  inss: { label: 'lineInss', how: 'howBase' },
  irrf: { label: 'lineIrrf', how: 'howTax' },
} as const satisfies Record<VacationLine, { label: Key; how: Key }>;

/** The findings about a vacation with their texts, in their order. */
export const vacationFindingViews = (findings: readonly Finding<VacationRule>[], lang: Lang) =>
  findingViews(findings, vacationText, lang);

/** The estimate of a vacation, for its page and its PDF. */
export function vacationView(
  input: VacationInput & { employee: string },
  today: Day,
  lang: Lang,
): EstimateView {
  const t = translationsFor(lang, 'payroll-simulations');
  const { period, findings, receipts } = simulateVacation(input, today);
  const views = receipts.map((receipt, at) => receiptView(receipt, at, lang));
  const missing = views.find((view) => view.missing !== undefined)?.missing;
  const net = sumOf(receipts.map(({ pay }) => pay?.totals.net ?? 0));
  return {
    title: input.employee === '' ? t('vacationTitle') : t('vacationOf', { name: input.employee }),
    summary: summaryOf(missing === undefined ? net : undefined, missing ?? '', lang),
    facts: [
      { label: t('salary'), value: moneyText(input.salary, lang) },
      { label: t('admission'), value: dateText(input.admission, lang) },
      { label: t('dependants'), value: String(input.dependants) },
      {
        label: t('period'),
        value: t('fromTo', { from: dateText(period.start, lang), to: dateText(period.end, lang) }),
      },
      { label: t('absences'), value: String(input.absences) },
    ],
    findings: vacationFindingViews(findings, lang),
    receipts: [...views, ...sumView(receipts, lang)],
    notes: [t('noteTaxApart'), t('notePlaces'), t('noteVacationFacts')],
    disclaimer: t('disclaimer', { date: dateText(receipts[0]?.start ?? today, lang) }),
  };
}

function receiptView(receipt: VacationReceipt, at: number, lang: Lang): ReceiptView {
  const t = translationsFor(lang, 'payroll-simulations');
  const { start, end, backOn, payBy, pay } = receipt;
  return {
    title: t('part', { number: at + 1, from: dateText(start, lang), to: dateText(end, lang) }),
    facts: [
      { label: t('backOn'), value: dateText(backOn, lang) },
      { label: t('payBy'), value: dateText(payBy, lang) },
    ],
    rows: pay ? rowViews(pay.lines, ({ key }) => LINES[key], lang) : [],
    totals: pay ? totalFacts(pay.totals, lang) : [],
    ...(!pay && { missing: t('noTable', { year: String(yearOf(start)) }) }),
  };
}

/** The sum of several parts, if all of them have amounts. */
function sumView(receipts: readonly VacationReceipt[], lang: Lang): ReceiptView[] {
  const all = receipts.flatMap(({ pay }) => (pay ? [pay.totals] : []));
  if (receipts.length < 2 || all.length < receipts.length) return [];
  const t = translationsFor(lang, 'payroll-simulations');
  const of = (name: 'due' | 'deducted' | 'net'): number => sumOf(all.map((totals) => totals[name]));
  return [
    {
      title: t('allParts'),
      facts: [],
      rows: [],
      totals: totalFacts({ due: of('due'), deducted: of('deducted'), net: of('net') }, lang),
    },
  ];
}

import type { EstimateLine } from '#features/brazil/labor-rules/estimates.ts';
import type { Finding } from '#features/brazil/labor-rules/findings.ts';
import { reasonRule, type Notice, type Reason } from '#features/brazil/labor-rules/termination.ts';
import type { TerminationLine } from '#features/brazil/labor-rules/termination-estimate.ts';
import type { TerminationRule } from '#features/brazil/labor-rules/termination-rules.ts';
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
  type Fact,
} from './estimate-view.server.ts';
import { dateText, moneyText, type Key } from './finding-texts.ts';
import { simulateTermination, type TerminationInput } from './termination-simulation.ts';
import { terminationText } from './termination-texts.ts';

const REASON_TEXTS = {
  '01': 'reason01',
  '02': 'reason02',
  '03': 'reason03',
  '04': 'reason04',
  '05': 'reason05',
  '06': 'reason06',
  '07': 'reason07',
  '10': 'reason10',
  '17': 'reason17',
  '33': 'reason33',
} as const satisfies Record<Reason, Key>;

const NOTICE_TEXTS = {
  paid: 'noticePaid',
  worked: 'noticeWorked',
  notWorked: 'noticeNotWorked',
  released: 'noticeReleased',
  none: 'noticeNone',
} as const satisfies Record<Notice, Key>;

const LINES: Readonly<Record<TerminationLine, { label: Key; how?: Key }>> = {
  balance: { label: 'lineBalance', how: 'howDays' },
  notice: { label: 'lineNotice', how: 'howDays' },
  halfNotice: { label: 'lineHalfNotice', how: 'howHalfDays' },
  earlyEnd: { label: 'lineEarlyEnd', how: 'howHalfDays' },
  thirteenth: { label: 'lineThirteenth', how: 'howMonths' },
  thirteenthNext: { label: 'lineThirteenth', how: 'howMonths' },
  overdueVacation: { label: 'lineOverdueVacation', how: 'howDays' },
  overdueThird: { label: 'lineOverdueThird', how: 'howThird' },
  doubleVacation: { label: 'lineDoubleVacation', how: 'howDouble' },
  proportionalVacation: { label: 'lineProportionalVacation', how: 'howVacationMonths' },
  proportionalThird: { label: 'lineProportionalThird', how: 'howThird' },
  inss: { label: 'lineInss', how: 'howBase' },
  irrf: { label: 'lineIrrf', how: 'howTax' },
  inssThirteenth: { label: 'lineInssThirteenth', how: 'howBase' },
  irrfThirteenth: { label: 'lineIrrfThirteenth', how: 'howTax' },
  thirteenthAdvanced: { label: 'lineThirteenthAdvanced' },
  noticeOwed: { label: 'lineNoticeOwed' },
  earlyEndOwed: { label: 'lineEarlyEndOwed', how: 'howHalfDays' },
  fgts: { label: 'lineFgts', how: 'howFgts' },
  fgtsFine: { label: 'lineFgtsFine', how: 'howFine' },
};

/** How what is due by half is computed. */
const HALVES: Partial<Record<TerminationLine, Key>> = {
  thirteenth: 'howHalfMonths',
  thirteenthNext: 'howHalfMonths',
  proportionalVacation: 'howHalfVacationMonths',
};

/** The findings about the end of a contract with their texts, in their order. */
const terminationFindingViews = (findings: readonly Finding<TerminationRule>[], lang: Lang) =>
  findingViews(findings, terminationText, lang);

/** The estimate of the end of a contract, for its page and its PDF. */
export function terminationView(
  input: TerminationInput & { employee: string },
  today: Day,
  lang: Lang,
): EstimateView {
  const t = translationsFor(lang, 'payroll-simulations');
  const { lastDay, reason, hasClause } = input;
  const simulation = simulateTermination(input, today);
  const { pay, payBy } = simulation;
  const missing = t('noTable', { year: String(yearOf(lastDay)) });
  const isHalf = reasonRule(reason, hasClause).proportional === 1;
  const textsOf = ({ key, kind }: EstimateLine<TerminationLine>): { label: Key; how?: Key } => {
    if (key === 'noticeOwed' && kind === 'noted') return { label: 'lineNoticeOwedNoted' };
    const how = isHalf ? HALVES[key] : undefined;
    return how ? { ...LINES[key], how } : LINES[key];
  };
  return {
    title: input.employee === '' ? t('terminationTitle') : t('terminationOf', { name: input.employee }),
    summary: summaryOf(pay?.totals.net, missing, lang),
    facts: factsOf(input, lang),
    findings: terminationFindingViews(simulation.findings, lang),
    receipts: [
      {
        title: t('severance'),
        facts: [
          ...(input.notice === 'paid'
            ? [{ label: t('projectedEnd'), value: dateText(simulation.projectedEnd, lang) }]
            : []),
          { label: t('payBy'), value: dateText(payBy, lang) },
        ],
        rows: pay ? rowViews(pay.lines, textsOf, lang) : [],
        totals: pay ? totalFacts(pay.totals, lang) : [],
        ...(!pay && { missing }),
      },
    ],
    notes: [t('noteTerminationNot'), t('noteFgts'), t('notePlaces'), t('noteTerminationFacts')],
    disclaimer: t('disclaimer', { date: dateText(lastDay, lang) }),
  };
}

function factsOf(input: TerminationInput, lang: Lang): Fact[] {
  const t = translationsFor(lang, 'payroll-simulations');
  return [
    { label: t('salary'), value: moneyText(input.salary, lang) },
    { label: t('admission'), value: dateText(input.admission, lang) },
    { label: t('lastDay'), value: dateText(input.lastDay, lang) },
    { label: t('reason'), value: t(REASON_TEXTS[input.reason]) },
    { label: t('notice'), value: t(NOTICE_TEXTS[input.notice]) },
    { label: t('dependants'), value: String(input.dependants) },
  ];
}

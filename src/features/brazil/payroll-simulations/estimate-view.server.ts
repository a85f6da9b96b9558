import type { EstimateLine, Totals } from '#features/brazil/labor-rules/estimates.ts';
import type { Finding, Severity } from '#features/brazil/labor-rules/findings.ts';
import type { Day } from '#features/base/work-calendars/days.ts';
import { formatDate, formatMoney, formatNumber } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';

/* An estimate as its page and its PDF show it: in the language of the reader, line by line. */

export type Key = KeysOf<'payroll-simulations'>;

export interface EstimateView {
  title: string;
  /** What it comes to, or why there is no amount. */
  summary: string;
  /** What was typed, and what follows from it. */
  facts: Fact[];
  findings: FindingView[];
  receipts: ReceiptView[];
  notes: string[];
  disclaimer: string;
}

export interface Fact {
  label: string;
  value: string;
}

interface FindingView {
  severity: Severity;
  /** The severity in words. */
  mark: string;
  text: string;
  law: string;
}

/** What is paid on one occasion; `missing` says why there are no amounts. */
export interface ReceiptView {
  title: string;
  facts: Fact[];
  rows: RowView[];
  totals: Fact[];
  missing?: string;
}

interface RowView {
  label: string;
  how: string;
  law: string;
  amount: string;
  kind: EstimateLine['kind'];
}

const IS_DAY = /^\d{4}-\d\d-\d\d$/;

/** A day as a date of the language. */
export const dateText = (day: Day, lang: Lang): string => formatDate(LANGUAGES[lang], day, 'UTC');

export const moneyText = (cents: number, lang: Lang): string =>
  formatMoney(LANGUAGES[lang], cents / 100, 'BRL');

const HOLIDAYS = {
  rest: 'holidayRest',
  newYear: 'holidayNewYear',
  goodFriday: 'holidayGoodFriday',
  tiradentes: 'holidayTiradentes',
  labourDay: 'holidayLabourDay',
  independence: 'holidayIndependence',
  aparecida: 'holidayAparecida',
  allSouls: 'holidayAllSouls',
  republic: 'holidayRepublic',
  blackAwareness: 'holidayBlackAwareness',
  christmas: 'holidayChristmas',
  local: 'holidayLocal',
} as const satisfies Record<string, Key>;

const isHoliday = (name: string): name is keyof typeof HOLIDAYS => Object.hasOwn(HOLIDAYS, name);

/** The values of a text, formatted: `dueCents` becomes `due`, days become dates, and holidays their names. */
export function textVars(
  vars: Readonly<Record<string, string | number>>,
  lang: Lang,
): Record<string, string | number> {
  const t = translationsFor(lang, 'payroll-simulations');
  return Object.fromEntries(
    Object.entries(vars).map(([name, value]) => {
      if (name === 'count') return [name, value]; // decides the form of the noun
      if (name === 'year') return [name, String(value)];
      if (typeof value === 'number')
        return name.endsWith('Cents')
          ? [name.slice(0, -'Cents'.length), moneyText(value, lang)]
          : [name, formatNumber(LANGUAGES[lang], value)];
      if (IS_DAY.test(value)) return [name, dateText(value, lang)];
      if (value.startsWith('?')) return [name, t('holidayUnconfirmed', { name: value.slice(1) })];
      return [name, isHoliday(value) ? t(HOLIDAYS[value]) : value];
    }),
  );
}

const SEVERITIES = {
  blocks: 'severityBlocks',
  confirm: 'severityConfirm',
  warns: 'severityWarns',
  informs: 'severityInforms',
} as const satisfies Record<Severity, Key>;

/** The findings with their texts, by rule. */
export function findingViews<Rule extends string>(
  findings: readonly Finding<Rule>[],
  textOf: (finding: Finding<Rule>) => Key,
  lang: Lang,
): FindingView[] {
  const t = translationsFor(lang, 'payroll-simulations');
  return findings.map((finding) => ({
    severity: finding.severity,
    mark: t(SEVERITIES[finding.severity]),
    text: t(textOf(finding), textVars(finding.vars, lang)),
    law: finding.law,
  }));
}

/** The lines with their labels and how each was computed. */
export function rowViews<Line extends string>(
  lines: readonly EstimateLine<Line>[],
  textsOf: (line: EstimateLine<Line>) => { label: Key; how?: Key },
  lang: Lang,
): RowView[] {
  const t = translationsFor(lang, 'payroll-simulations');
  return lines.map((line) => {
    const { kind, cents, vars, law } = line;
    const { label, how } = textsOf(line);
    const values = textVars(vars, lang);
    return {
      label: t(label, values),
      how: how === undefined ? '' : t(how, values),
      law,
      amount: (kind === 'deducted' && cents > 0 ? '− ' : '') + moneyText(cents, lang),
      kind,
    };
  });
}

/** What an estimate comes to; without an amount, why. */
export const summaryOf = (net: number | undefined, missing: string, lang: Lang): string =>
  net === undefined
    ? missing
    : translationsFor(lang, 'payroll-simulations')('summary', { net: moneyText(net, lang) });

export function totalFacts({ due, deducted, net }: Totals, lang: Lang): Fact[] {
  const t = translationsFor(lang, 'payroll-simulations');
  return [
    { label: t('totalDue'), value: moneyText(due, lang) },
    { label: t('totalDeducted'), value: moneyText(deducted, lang) },
    { label: t('totalNet'), value: moneyText(net, lang) },
  ];
}

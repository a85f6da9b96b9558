import type { EstimateLine, Totals } from '#features/brazil/labor-rules/estimates.ts';
import type { Finding, Severity } from '#features/brazil/labor-rules/findings.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { T } from '#platform/text/messages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { moneyText, textVars, type Key } from './finding-texts.ts';

/* An estimate as its page and its PDF show it: in the language of the reader, line by line. */

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

const SEVERITIES = {
  blocks: 'severityBlocks',
  confirm: 'severityConfirm',
  warns: 'severityWarns',
  informs: 'severityInforms',
} as const satisfies Record<Severity, Key>;

/** The findings with their texts. */
export function findingViews<Rule extends string>(
  findings: readonly Finding<Rule>[],
  textOf: (finding: Finding<Rule>, t: T<Key>, lang: Lang) => string,
  lang: Lang,
): FindingView[] {
  const t = translationsFor(lang, 'payroll-simulations');
  return findings.map((finding) => ({
    severity: finding.severity,
    mark: t(SEVERITIES[finding.severity]),
    text: textOf(finding, t, lang),
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
    const values = textVars(vars, t, lang);
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

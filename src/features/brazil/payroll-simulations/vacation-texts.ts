import type { Finding } from '#features/brazil/labor-rules/findings.ts';
import type { VacationRule } from '#features/brazil/labor-rules/vacation-rules.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { T } from '#platform/text/messages.ts';
import { holidayKeys, textVars, type Key } from './finding-texts.ts';

const RULES = {
  V1: 'ruleV1',
  V2: 'ruleV2',
  V3: 'ruleV3',
  V4: 'ruleV4',
  V5: 'ruleV5',
  V6: 'ruleV6',
  V7: 'ruleV7',
  V8: 'ruleV8',
  V9: 'ruleV9',
  V10: 'ruleV10',
  V11: 'ruleV11',
  V12: 'ruleV12',
  V13: 'ruleV13',
  V14: 'ruleV14',
  V15: 'ruleV15',
  V16: 'ruleV16',
  V17: 'ruleV17',
} as const satisfies Record<VacationRule, Key>;

/** What is said otherwise where nothing can be done any more, or more is lost. */
const TEXTS_BY_SEVERITY: Partial<Record<`${VacationRule} ${Finding['severity']}`, Key>> = {
  'V2 blocks': 'ruleV2Sold',
  'V4 confirm': 'ruleV4Late',
  'V7 confirm': 'ruleV7Late',
  'V8 warns': 'ruleV8Late',
};

/** The translations of what is said about vacations. */
export const vacationKeys: readonly Key[] = [
  ...Object.values(RULES),
  ...Object.values(TEXTS_BY_SEVERITY),
  ...holidayKeys,
];

/** What a finding about a vacation says. */
export const vacationText = (
  { rule, severity, vars }: Finding<VacationRule>,
  t: T<Key>,
  lang: Lang,
): string => t(TEXTS_BY_SEVERITY[`${rule} ${severity}`] ?? RULES[rule], textVars(vars, t, lang));

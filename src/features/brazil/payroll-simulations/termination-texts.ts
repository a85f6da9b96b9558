import type { Finding } from '#features/brazil/labor-rules/findings.ts';
import type { Stability, TerminationRule } from '#features/brazil/labor-rules/termination-rules.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { T } from '#platform/text/messages.ts';
import { holidayKeys, textVars, type Key } from './finding-texts.ts';

const STABILITY_TEXTS = {
  pregnancy: 'stabilityPregnancy',
  safety: 'stabilitySafety',
  accident: 'stabilityAccident',
  union: 'stabilityUnion',
  retirement: 'stabilityRetirement',
  other: 'stabilityOther',
} as const satisfies Record<Stability, Key>;

const RULES = {
  T1: 'ruleT1',
  T3: 'ruleT3',
  T4: 'ruleT4',
  T5: 'ruleT5',
  T6: 'ruleT6',
  T7: 'ruleT7',
  T8: 'ruleT8',
  T9: 'ruleT9',
  T10: 'ruleT10',
  T11: 'ruleT11',
  T12: 'ruleT12',
  T13: 'ruleT13',
  T14: 'ruleT14',
} as const satisfies Record<TerminationRule, Key>;

/** What is said otherwise where nothing can be done any more, or less is lost. */
const TEXTS_BY_SEVERITY: Partial<Record<`${TerminationRule} ${Finding['severity']}`, Key>> = {
  'T3 warns': 'ruleT3Late',
  'T6 warns': 'ruleT6Open',
  'T9 blocks': 'ruleT9Benefit',
};

/** The translations of what is said about the end of a contract. */
export const terminationKeys: readonly Key[] = [
  ...Object.values(RULES),
  ...Object.values(TEXTS_BY_SEVERITY),
  ...Object.values(STABILITY_TEXTS),
  ...holidayKeys,
];

/** What a finding about the end of a contract says, with the name of what protects the employee. */
export function terminationText(
  { rule, severity, vars }: Finding<TerminationRule>,
  t: T<Key>,
  lang: Lang,
): string {
  const { stability } = vars;
  return t(TEXTS_BY_SEVERITY[`${rule} ${severity}`] ?? RULES[rule], {
    ...textVars(vars, t, lang),
    ...(typeof stability === 'string' &&
      isStability(stability) && { stability: t(STABILITY_TEXTS[stability]) }),
  });
}

const isStability = (name: string): name is Stability => Object.hasOwn(STABILITY_TEXTS, name);

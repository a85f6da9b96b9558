import type { Day } from '#features/base/work-calendars/days.ts';
import type { Finding } from '#features/brazil/labor-rules/findings.ts';
import { holidayKeys, textVars } from '#features/brazil/payroll-simulations/finding-texts.ts';
import { hoursAndMinutes } from '#features/tasks/questionnaires/answer-values.ts';
import type { Key, KindRules, Words } from './kind-rules.ts';

/** Prepares dates and amounts for texts, which takes longer than a check: before somebody types. */
export const prepareTexts = ({ estimates, lang }: Words, day: Day): unknown =>
  textVars({ day, count: 1, number: 1, sumCents: 1 }, estimates, lang);

/** Where the texts of rules are that estimates do not have. */
export const RULE_TEXTS = 'service-requests';

/** The texts of a kind by rule, or by rule and severity where more or less can be done. */
export const ownTexts = (texts: Readonly<Record<string, Key>>): Pick<KindRules, 'text' | 'keys'> => ({
  text: ({ rule, severity, vars: { minutes, ...vars } }, { own, estimates, lang }) => {
    const key = texts[`${rule} ${severity}`] ?? texts[rule];
    return key === undefined
      ? ''
      : own(key, {
          ...textVars(vars, estimates, lang),
          ...(typeof minutes === 'number' && { hours: hoursAndMinutes(minutes) }),
        });
  },
  keys: { own: Object.values(texts), estimates: holidayKeys },
});

export const OPEN_PERIOD_TEXT = 'ruleOpenPeriod';

/** Says which year of work has vacation left. */
export const openPeriodText = ({ vars }: Finding, { own, estimates, lang }: Words): string =>
  own(OPEN_PERIOD_TEXT, textVars(vars, estimates, lang));

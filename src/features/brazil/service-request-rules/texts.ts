import { holidayKeys, textVars } from '#features/brazil/payroll-simulations/finding-texts.ts';
import { hoursAndMinutes } from '#features/tasks/questionnaires/answer-values.ts';
import type { Key, KindRules } from './kind-rules.ts';

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

import { formatNumber } from '#platform/formats.ts';
import { LANGUAGES, type Lang } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';
import type { Finding, ProblemCode } from './answer-values.ts';
import type { TemplateProblem } from './checks.server.ts';
import { dateText, moneyText } from './display.server.ts';
import { IDENTIFIER_SCHEMES, identifierExample } from './identifiers.ts';

/* The messages of problems, beside fields and in summaries. */

/** Messages that every form has, in `inputs.json`. */
const SHARED = {
  tooLong: 'maxlength',
  negative: 'negativeValue',
  dateWrong: 'invalidDate',
  dateTooEarly: 'dateTooEarly',
  dateTooLate: 'dateTooLate',
  tooLarge: 'maxValue',
  identifierWrong: 'taxIdWrong',
  phoneWrong: 'internationalPhoneWrong',
  countryMissing: 'countryMissing',
  address1Missing: 'address1Missing',
  cityMissing: 'cityMissing',
} as const satisfies Partial<Record<ProblemCode, string>>;

const isShared = (code: ProblemCode): code is keyof typeof SHARED => Object.hasOwn(SHARED, code);

/** What is wrong with an answer, and what to do. */
export function problemText({ code, vars }: Pick<Finding, 'code' | 'vars'>, lang: Lang): string {
  const shown = textVars(vars, lang);
  return isShared(code)
    ? translationsFor(lang, 'inputs')(SHARED[code], shown)
    : translationsFor(lang, 'questionnaires')(code, shown);
}

function textVars(vars: Finding['vars'] = {}, lang: Lang): Record<string, string | number> {
  const text = (name: string, value: string | number | object): string => {
    if (typeof value === 'number') return formatNumber(LANGUAGES[lang], value);
    if (typeof value === 'object') return 'minor' in value ? moneyText(value as never, lang) : '';
    return name === 'min' || name === 'max' ? dateText(value, lang) : value;
  };
  const scheme = IDENTIFIER_SCHEMES.find((each) => each === vars['scheme']);
  const max = vars['max'] ?? vars['min'];
  return {
    ...Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, text(name, value)])),
    ...(scheme && { example: identifierExample(scheme) }),
    ...(typeof max === 'number' && { count: max }),
  };
}

/** What is wrong with a template. */
export function templateProblemText({ code, lang: missing }: TemplateProblem, lang: Lang): string {
  const names = new Intl.DisplayNames(LANGUAGES[lang], { type: 'language' });
  const language = missing === undefined ? '' : (names.of(LANGUAGES[missing]) ?? missing);
  return translationsFor(lang, 'questionnaires')(code, { language });
}

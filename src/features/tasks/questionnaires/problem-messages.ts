import { formatNumber } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import type { T } from '#platform/text/messages.ts';
import type { Finding, ProblemCode } from './answer-values.ts';
import { IDENTIFIER_SCHEMES, identifierExample } from './identifiers.ts';
import { dateText, moneyText } from './value-texts.ts';

/* The messages of problems, beside fields and in summaries, for the server and the browser. */

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

type OwnCode = Exclude<ProblemCode, keyof typeof SHARED>;

/** The messages of every form, in the namespace `inputs`. */
export const sharedProblemWords = Object.values(SHARED);
export type SharedProblemWord = (typeof sharedProblemWords)[number];

/** The messages of questionnaires that typing can cause. */
export const problemWords = [
  'requiredChoice',
  'requiredFiles',
  'notAllowed',
  'emailWrong',
  'numberWrong',
  'amountWrong',
  'wholeNumber',
  'tooManyDecimals',
  'wholeAmount',
  'tooSmall',
  'choicesTooFew',
  'choicesTooMany',
  'choiceExclusive',
  'monthWrong',
  'yearWrong',
  'clockWrong',
  'hoursWrong',
  'entryUnknown',
  'identifierUnusual',
  'maskedChanged',
  'noneWithValue',
  'countryNotOffered',
  'filesTooFew',
  'filesTooMany',
  'rowsTooFew',
  'rowsTooMany',
  'required',
  'mustBeYes',
] as const satisfies readonly OwnCode[];

/** What is wrong with an answer, and what to do. */
export function problemMessage(
  { code, vars }: Pick<Finding, 'code' | 'vars'>,
  { shared, own, lang }: { shared: T<SharedProblemWord>; own: T<OwnCode>; lang: Lang },
): string {
  const shown = textVars(vars, lang);
  return isShared(code) ? shared(SHARED[code], shown) : own(code, shown);
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

import { currencyDigits, isDatePart, isSensitive } from './answer-values.ts';
import { checkProblems } from './answer-rules.server.ts';
import { isList } from './lookups.server.ts';
import { isCountry } from '#platform/inputs/countries.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import {
  MAX_QUESTIONS,
  MAX_TEMPLATE_SIZE,
  template as schema,
  type Group,
  type Question,
  type Section,
  type Template,
  type Test,
  type Text,
  type When,
} from './questionnaires.ts';

/* What is checked when a template is published, so that it can be shown and answered without surprises. */

type TemplateProblemCode =
  | 'templateTooLarge'
  | 'templateInvalid'
  | 'templateTooManyQuestions'
  | 'templateDuplicateKey'
  | 'templateReference'
  | 'templateSensitive'
  | 'templateValue'
  | 'templateMissingText'
  | 'templateTitle'
  | 'templateLimits'
  | 'templateCountry'
  | 'templateCurrency'
  | 'templateList'
  | 'templateRule'
  | 'templateRuleInput';

export interface TemplateProblem {
  /** Where in the template: `sections.0.items.2.label`. */
  path: string;
  code: TemplateProblemCode;
  /** The language of a missing text. */
  lang?: Lang;
}

/** Checks a template of whatever origin; a valid one has the defaults filled in. */
export function checkTemplate(body: unknown): { template: Template } | { problems: TemplateProblem[] } {
  if (sizeOf(body) > MAX_TEMPLATE_SIZE) return { problems: [{ path: '', code: 'templateTooLarge' }] };
  const parsed = schema.safeParse(body);
  if (!parsed.success)
    return {
      problems: parsed.error.issues.map(({ path }) => ({
        path: path.map(String).join('.'),
        code: 'templateInvalid',
      })),
    };
  const problems = problemsIn(parsed.data);
  return problems.length > 0 ? { problems } : { template: parsed.data };
}

function sizeOf(body: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(body) ?? '');
  } catch {
    return Infinity; // nested too deeply, or in a circle: no template is
  }
}

const problemsIn = (template: Template): TemplateProblem[] => [
  ...(countQuestions(template) > MAX_QUESTIONS ? [problem('', 'templateTooManyQuestions')] : []),
  ...(isCountry(template.country) ? [] : [problem('country', 'templateCountry')]),
  ...duplicates(template.languages, 'languages'),
  ...missingTexts(template, template.languages),
  ...duplicates(keysOf(template.sections), 'sections'),
  ...referenceProblems(template),
  ...template.sections.flatMap((section, at) => sectionProblems(section, `sections.${at}`)),
  ...ruleProblems(template),
];

const ruleProblems = (template: Template): TemplateProblem[] =>
  checkProblems(template).map(({ at, code, input }) =>
    problem(input === undefined ? `checks.${at}.rule` : `checks.${at}.of.${input}`, code),
  );

const problem = (path: string, code: TemplateProblemCode): TemplateProblem => ({ path, code });

const countQuestions = ({ sections }: Template): number =>
  sections
    .flatMap(({ items }) => items)
    .reduce((sum, item) => sum + (item.kind === 'group' ? item.items.length : 1), 0);

const keysOf = (list: readonly { key: string }[]): string[] => list.map(({ key }) => key);

const duplicates = (keys: readonly string[], path: string): TemplateProblem[] =>
  keys.flatMap((key, at) =>
    keys.indexOf(key) < at ? [problem(`${path}.${at}`, 'templateDuplicateKey')] : [],
  );

const sectionProblems = (section: Section, path: string): TemplateProblem[] => [
  ...duplicates(keysOf(section.items), `${path}.items`),
  ...section.items.flatMap((item, at) =>
    item.kind === 'group'
      ? groupProblems(item, `${path}.items.${at}`)
      : questionProblems(item, `${path}.items.${at}`),
  ),
];

function groupProblems({ items, title, min, max }: Group, path: string): TemplateProblem[] {
  const titled = items.find(({ key }) => key === title);
  const hasTitle = titled && titled.kind !== 'note' && titled.kind !== 'files' && !isSensitive(titled);
  return [
    ...duplicates(keysOf(items), `${path}.items`),
    ...(title !== undefined && !hasTitle ? [problem(`${path}.title`, 'templateTitle')] : []),
    ...(min > max ? [problem(`${path}.min`, 'templateLimits')] : []),
    ...items.flatMap((item, at) => questionProblems(item, `${path}.items.${at}`)),
  ];
}

function questionProblems(question: Question, path: string): TemplateProblem[] {
  switch (question.kind) {
    case 'choice':
      return duplicates(keysOf(question.choices), `${path}.choices`);
    case 'choices': {
      const { choices, min = 0, max = choices.length } = question;
      return [...duplicates(keysOf(choices), `${path}.choices`), ...limits(min, max, choices.length, path)];
    }
    case 'number': {
      const { min = 0, max = Infinity } = question;
      return limits(min, max, Infinity, path);
    }
    case 'hours':
      return limits(question.min, question.max, Infinity, path);
    case 'lookup':
      return isList(question.list) ? [] : [problem(`${path}.list`, 'templateList')];
    case 'files':
      return limits(question.min, question.max, Infinity, path);
    case 'date':
      return dateProblems(question, path);
    case 'money':
      return isCurrency(question.currency) ? [] : [problem(`${path}.currency`, 'templateCurrency')];
    case 'address':
      return (question.countries ?? []).flatMap((country, at) =>
        isCountry(country) ? [] : [problem(`${path}.countries.${at}`, 'templateCountry')],
      );
    default:
      return [];
  }
}

const limits = (min: number, max: number, possible: number, path: string): TemplateProblem[] =>
  min > max || max > possible ? [problem(`${path}.max`, 'templateLimits')] : [];

function dateProblems(
  { part, earliest, latest }: Extract<Question, { kind: 'date' }>,
  path: string,
): TemplateProblem[] {
  const given = [earliest, latest].filter((date) => date !== undefined);
  const isWrong =
    given.some((date) => !isDatePart(part, date)) ||
    (earliest !== undefined && latest !== undefined && earliest > latest);
  return isWrong
    ? [problem(`${path}.${earliest === undefined ? 'latest' : 'earliest'}`, 'templateLimits')]
    : [];
}

const currencies = new Set(Intl.supportedValuesOf('currency'));
const isCurrency = (currency: string): boolean => currencies.has(currency) && currencyDigits(currency) <= 4;

/** Texts that lack a language of the template. Only texts are records of languages, so they are found by their keys. */
function missingTexts(template: Template, languages: readonly Lang[]): TemplateProblem[] {
  const missing = (text: Text | undefined, path: string): TemplateProblem[] =>
    text === undefined
      ? []
      : languages.flatMap((lang) =>
          text[lang] === undefined ? [{ path, code: 'templateMissingText' as const, lang }] : [],
        );
  const all = (of: object, path: string): TemplateProblem[] =>
    Object.entries(of).flatMap(([name, value]: [string, unknown]) => {
      const at = path === '' ? name : `${path}.${name}`;
      if (TEXTS.has(name)) return missing(value as Text | undefined, at);
      if (!LISTS.has(name) || !Array.isArray(value)) return [];
      return value.flatMap((each: object, index) => all(each, `${at}.${index}`));
    });
  return all(template, '');
}

const TEXTS = new Set(['label', 'hint', 'why', 'lead', 'one', 'addLabel', 'unit']);
const LISTS = new Set(['sections', 'items', 'choices']);

/** The questions that a condition may refer to: those before it, by how it names them. */
type Earlier = Map<string, Question>;

/** A condition names an earlier question, asks what it can answer, and reveals nothing that is sensitive. */
function referenceProblems({ sections }: Template): TemplateProblem[] {
  const earlier: Earlier = new Map();
  return sections.flatMap((section, sectionAt) => {
    const path = `sections.${sectionAt}`;
    const here: Earlier = new Map();
    return [
      ...whenProblems(section.when, path, [earlier]),
      ...section.items.flatMap((item, itemAt) => {
        const at = `${path}.items.${itemAt}`;
        const found = [
          ...whenProblems(item.when, at, [here, earlier]),
          ...(item.kind === 'group' ? rowReferenceProblems(item, at, [here, earlier]) : []),
        ];
        if (item.kind !== 'group') {
          here.set(item.key, item);
          earlier.set(`${section.key}.${item.key}`, item);
        }
        return found;
      }),
    ];
  });
}

function rowReferenceProblems({ items }: Group, path: string, outside: Earlier[]): TemplateProblem[] {
  const row: Earlier = new Map();
  return items.flatMap((item, at) => {
    const found = whenProblems(item.when, `${path}.items.${at}`, [row, ...outside]);
    row.set(item.key, item);
    return found;
  });
}

function whenProblems(when: When | undefined, path: string, earlier: Earlier[]): TemplateProblem[] {
  if (!when) return [];
  const [name, tests] = 'all' in when ? ['all', when.all] : ['any', when.any];
  return tests.flatMap((test, at) => {
    const code = testProblem(test, earlier);
    return code ? [problem(`${path}.when.${name}.${at}`, code)] : [];
  });
}

function testProblem(test: Test, earlier: Earlier[]): TemplateProblemCode | undefined {
  if (test.of === 'taxYear') return 'value' in test && !isYearTest(test) ? 'templateValue' : undefined;
  const question = earlier.map((each) => each.get(test.of)).find((each) => each !== undefined);
  if (!question || question.kind === 'note') return 'templateReference';
  if (isSensitive(question)) return 'templateSensitive';
  return 'value' in test && !fits(test, question) ? 'templateValue' : undefined;
}

type ValueTest = Extract<Test, { value: unknown }>;

const isYearTest = ({ op, value }: ValueTest): boolean => op !== 'includes' && typeof value === 'number';

/** Whether the question can have the value that a test compares it with. */
function fits({ op, value }: ValueTest, question: Question): boolean {
  const isEquality = op === 'is' || op === 'isNot';
  const isOrder = op === 'atLeast' || op === 'atMost';
  switch (question.kind) {
    case 'yesNo':
      return isEquality && typeof value === 'boolean';
    case 'choice':
      return isEquality && question.choices.some(({ key }) => key === value);
    case 'choices':
      return op === 'includes' && question.choices.some(({ key }) => key === value);
    case 'lookup':
      return isEquality && typeof value === 'string';
    case 'number':
    case 'money':
    case 'clock':
    case 'hours':
      return (isEquality || isOrder) && typeof value === 'number';
    case 'date':
      return (isEquality || isOrder) && typeof value === 'string' && isDatePart(question.part, value);
    default:
      return false;
  }
}

import { fieldViewOf, type Field } from '#platform/forms/forms.server.ts';
import type { Choice, FieldView } from '#platform/forms/forms.ts';
import { addressFieldView } from '#platform/inputs/address-fields.server.ts';
import { addressIn } from '#platform/inputs/address.ts';
import { datePartsOf } from '#platform/inputs/dates.ts';
import { dateFieldView } from '#platform/inputs/field-views.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { currencyDigits, hoursAndMinutes, isMasked, ownValue, type Reading } from './answer-values.ts';
import { displayValue, maskedValue } from './display.server.ts';
import { identifierMask } from './identifiers.ts';
import type { LookupEntry } from './lookups.server.ts';
import { problemText } from './problem-texts.server.ts';
import type { Answers, AnswerValue, Question, QuestionOf, Template, Text } from './questionnaires.ts';
import {
  isGroup,
  languageOfText,
  orderPath,
  textIn,
  visibleSections,
  type Problem,
  type VisibleGroup,
  type VisibleQuestion,
} from './rules.ts';
import { entryPath, nonePath, wordsPath } from './typed-answers.ts';
import { typedNumber } from './typed-values.ts';

/*
 * A section of a questionnaire as fields of a form. The name of a field is the path of its answer; the page shows the
 * documents of a question itself, where the fields have a `slot`.
 */

export interface FieldOptions {
  answers: Answers;
  lang: Lang;
  problems?: readonly Problem[];
  /** Last year's answers, shown beside the questions that allow it. */
  lastYear?: Answers;
  /** Where the editor finds what a list has for typed words, with a query that `&q=` is added to. */
  lookupAddress?: (list: string) => string;
  /** What lists have for words that name no entry, by the paths of the questions (lookups.server.ts). */
  offered?: ReadonlyMap<string, readonly LookupEntry[]>;
  /** Makes the ids of rows that a group must have and the answers do not. */
  newRowId: () => string;
}

interface Context extends FieldOptions {
  template: Template;
  textOf: (text: Text) => string;
  /** The message at a field, by its path. */
  problemAt: (path: string) => string | undefined;
}

/** The fields of a section; empty if it does not apply. */
export function fieldViews(template: Template, sectionKey: string, options: FieldOptions): FieldView[] {
  const answers = withRequiredRows(template, sectionKey, options.answers, options.newRowId);
  const context = contextOf(template, { ...options, answers });
  const visible = visibleSections(template, answers).find(({ section }) => section.key === sectionKey);
  return (visible?.items ?? []).flatMap((item) =>
    isGroup(item) ? groupViews(item, context) : questionViews(item, context),
  );
}

/** What the fields of a template are made with. */
export function contextOf(template: Template, options: FieldOptions): Context {
  const { lang, problems = [] } = options;
  const texts = new Map(
    problems.toReversed().map((problem) => [problem.path, problemText(problem, lang)] as const),
  );
  return {
    ...options,
    template,
    textOf: (text) => textIn(text, lang, template),
    problemAt: (path) => texts.get(path),
  };
}

/** The answers with as many rows as groups of the section require. */
export function withRequiredRows(
  template: Template,
  sectionKey: string,
  answers: Answers,
  newRowId: () => string,
): Answers {
  const items = template.sections.find(({ key }) => key === sectionKey)?.items ?? [];
  const added = items.flatMap((item): [string, AnswerValue][] => {
    if (item.kind !== 'group') return [];
    const path = orderPath(`${sectionKey}.${item.key}`);
    const rows = Object.hasOwn(answers, path) ? answers[path] : undefined;
    const known = Array.isArray(rows) ? rows : [];
    if (known.length >= item.min) return [];
    return [[path, [...known, ...Array.from({ length: item.min - known.length }, newRowId)]]];
  });
  return added.length === 0 ? answers : { ...answers, ...Object.fromEntries(added) };
}

function groupViews({ path, group, rows }: VisibleGroup, context: Context): FieldView[] {
  const { lang, textOf, problemAt } = context;
  const t = translationsFor(lang, 'questionnaires');
  const order = orderPath(path);
  const problem = problemAt(path);
  return [
    // says that the group was posted, even without rows
    { kind: 'hidden', name: order, label: '', value: '' },
    {
      kind: 'group',
      name: path,
      label: textOf(group.label),
      ...(group.hint && { hint: textOf(group.hint) }),
      ...(problem !== undefined && { problem }),
      value: '',
      min: group.min,
      max: group.max,
      add: textOf(group.addLabel),
      remove: t('remove'),
      rowLabels: rows.map((_, at) => t('row', { one: textOf(group.one), number: at + 1 })),
      rows: rows.map(({ id, questions }) => [
        { kind: 'hidden', name: order, label: '', value: id },
        ...questions.flatMap((each) => questionViews(each, context)),
      ]),
    },
  ];
}

export function questionViews(visible: VisibleQuestion, context: Context): FieldView[] {
  const { path, question, reading } = visible;
  if (question.kind === 'note')
    return [{ kind: 'note', name: path, label: context.textOf(question.label), value: '' }];
  const base = baseOf(path, question, context);
  const views: FieldView[] = [];
  // a list of checkboxes without a tick posts nothing
  if (question.kind === 'choices') views.push({ kind: 'hidden', name: path, label: '', value: '' });
  views.push(
    question.kind === 'files'
      ? { ...base, kind: 'slot', value: '' }
      : controlOf(base, question, { visible, context }),
  );
  const typed = context.answers[path];
  if (question.kind === 'lookup' && typeof typed === 'string')
    views.push(...entryViews(path, typed, context));
  if ('none' in question && question.none)
    views.push({
      kind: 'checkbox',
      name: nonePath(path),
      label: translationsFor(context.lang, 'questionnaires')('noneOffer'),
      value: reading.state === 'none',
    });
  return views;
}

type Base = Pick<FieldView, 'name' | 'label' | 'hint' | 'optional' | 'problem'>;

function baseOf(path: string, question: Exclude<Question, { kind: 'note' }>, context: Context): Base {
  const { lang, template, textOf, problemAt, answers, lastYear } = context;
  const t = translationsFor(lang, 'questionnaires');
  const last = lastYear && question.lastYear !== 'off' && Object.hasOwn(lastYear, path) && lastYear[path];
  const lastText = last ? displayValue(question, last, { lang, template }) : '';
  const hints = [
    question.hint && textOf(question.hint),
    question.kind === 'number' && question.unit && textOf(question.unit),
    question.kind === 'date' && question.part === 'year' && t('yearHint'),
    isMaskedIn(question, answers[path]) && t('maskedHint'),
    question.why && t('why', { why: textOf(question.why) }),
    lastText !== '' && t('lastYear', { value: lastText }),
  ].filter((hint) => typeof hint === 'string');
  const problem = problemAt(path);
  return {
    name: path,
    label: textOf(question.label),
    ...(hints.length > 0 && { hint: hints.join(' ') }),
    ...(!question.required && { optional: translationsFor(lang, 'common')('optional') }),
    ...(problem !== undefined && { problem }),
  };
}

const isMaskedIn = (question: Question, answer: AnswerValue | undefined): boolean =>
  question.kind === 'identifier' && isMasked(question) && answer !== undefined;

interface Control {
  visible: VisibleQuestion;
  context: Context;
}

/** The field of a question. What is sensitive and already known is shown masked. */
function controlOf(
  base: Base,
  question: Exclude<Question, { kind: 'note' | 'files' }>,
  { visible: { reading, path }, context }: Control,
): FieldView {
  const { answers, lang } = context;
  const typed = Object.hasOwn(answers, path) ? answers[path] : undefined;
  const text = typeof typed === 'string' ? typed : '';
  const known = reading.state === 'value' ? reading.value : undefined;
  if (known !== undefined && isTyped(question) && isMasked(question))
    return { ...base, kind: 'text', value: maskedValue(question, known), autocomplete: 'off' };
  switch (question.kind) {
    case 'text':
      return {
        ...base,
        kind: 'text',
        maxlength: question.max,
        value: textOf(known, text),
        ...textType(question),
      };
    case 'paragraph':
      return { ...base, kind: 'textarea', rows: 4, maxlength: question.max, value: textOf(known, text) };
    case 'yesNo':
      return { ...base, kind: 'choices', value: yesNoValue(reading), choices: yesNoChoices(question, lang) };
    case 'choice':
    case 'choices':
      return choiceView(base, question, { chosen: known ?? typed, context });
    case 'number':
      return {
        ...base,
        kind: 'text',
        inputmode: question.decimals === 0 ? 'numeric' : 'decimal',
        value: typeof known === 'number' ? typedNumber(known, lang) : shownNumber(typed, text, lang),
      };
    case 'money':
      return moneyView(base, question, { value: typed, known, lang });
    case 'date':
      return dateView(base, question, { value: textOf(known, text), lang });
    case 'identifier': {
      const mask = identifierMask(question.scheme);
      return fieldOf(
        base,
        { kind: 'text', label: '', ...(mask && { mask }), autocomplete: 'off' },
        textOf(known, text),
        lang,
      );
    }
    case 'clock':
    case 'hours':
      return timeView(base, question, { known, text, lang });
    case 'lookup':
      return lookupView(base, question, { known, text, context });
    case 'phone':
      return {
        ...base,
        kind: 'text',
        type: 'tel',
        autocomplete: 'tel',
        maxlength: 60,
        value: typeof known === 'object' && 'typed' in known ? known.typed : text,
      };
    case 'address':
      return addressView(base, question, { value: typed, context });
  }
}

/** Whether the answer is typed in one control, which can show it masked. */
const isTyped = ({ kind }: Question): boolean =>
  [
    'text',
    'paragraph',
    'number',
    'money',
    'date',
    'clock',
    'hours',
    'lookup',
    'identifier',
    'phone',
  ].includes(kind);

const textOf = (known: unknown, typed: string): string => (typeof known === 'string' ? known : typed);

const textType = ({ format }: QuestionOf<'text'>) => ({
  ...(format === 'email' && { type: 'email' as const, autocomplete: 'email' }),
  ...(format === 'name' && { autocomplete: 'off' }),
});

/** A field of the platform with texts that are translated already. */
const fieldOf = (base: Base, field: Field<string>, value: unknown, lang: Lang): FieldView => ({
  ...fieldViewOf(base.name, field, { value, choices: undefined, t: (key) => key, lang }),
  ...base,
});

const yesNoValue = (reading: Reading): string =>
  reading.state === 'value'
    ? reading.value === true
      ? 'yes'
      : 'no'
    : reading.state === 'unsure'
      ? 'unsure'
      : '';

function yesNoChoices({ unsure, mustBeYes }: QuestionOf<'yesNo'>, lang: Lang): Choice[] {
  const t = translationsFor(lang, 'questionnaires');
  return [
    { value: 'yes', text: t('yes') },
    ...(mustBeYes ? [] : [{ value: 'no', text: t('no') }]),
    ...(unsure ? [{ value: 'unsure', text: t('unsure') }] : []),
  ];
}

function choiceView(
  base: Base,
  question: QuestionOf<'choice' | 'choices'>,
  { chosen, context }: { chosen: unknown; context: Context },
): FieldView {
  const { template, lang, textOf: textIn } = context;
  const choices = question.choices.map(({ key, label, hint }): Choice => {
    const shown = languageOfText(label, lang, template);
    return {
      value: key,
      text: textIn(label),
      ...(hint && { hint: textIn(hint) }),
      ...(shown !== undefined && shown !== lang && { lang: LANGUAGES[shown] }),
    };
  });
  const look = question.look === 'cards' && { look: 'cards' as const };
  if (question.kind === 'choices')
    return {
      ...base,
      kind: 'checkboxes',
      value: Array.isArray(chosen) ? chosen.map(String) : [],
      choices,
      ...look,
    };
  const value = typeof chosen === 'string' ? chosen : '';
  return question.look === 'select'
    ? { ...base, kind: 'select', value, choices: [{ value: '', text: '' }, ...choices] }
    : { ...base, kind: 'choices', value, choices, ...look };
}

/** A number that is not valid, as it was typed. */
const shownNumber = (typed: AnswerValue | undefined, text: string, lang: Lang): string =>
  typeof typed === 'number' ? typedNumber(typed, lang) : text;

function moneyView(
  base: Base,
  { currency, signed, whole }: QuestionOf<'money'>,
  { value, known, lang }: { value: AnswerValue | undefined; known: unknown; lang: Lang },
): FieldView {
  const amount = typeof known === 'object' && known !== null ? known : value;
  const digits = currencyDigits(currency);
  const text =
    typeof amount === 'object' && amount !== null && 'minor' in amount && typeof amount.minor === 'number'
      ? typedNumber(amount.minor / 10 ** digits, lang, whole ? 0 : digits)
      : typeof value === 'string'
        ? value
        : '';
  const view = fieldOf(base, { kind: 'money', label: '', currency }, text, lang);
  if (view.kind !== 'text' || !signed) return view;
  const { mask: _unsigned, ...plain } = view; // its mask has no sign
  return plain;
}

/** A time of day in the browser's own control; what is none, or is an amount of time, as text. */
function timeView(
  base: Base,
  { kind }: QuestionOf<'clock' | 'hours'>,
  { known, text, lang }: { known: unknown; text: string; lang: Lang },
): FieldView {
  const minutes =
    typeof known === 'object' && known !== null && 'minutes' in known ? known.minutes : undefined;
  const value = typeof minutes === 'number' ? hoursAndMinutes(minutes) : text;
  if (kind === 'clock' && (value === '' || minutes !== undefined))
    return { ...base, kind: 'text', type: 'time', value: value && value.padStart(5, '0') };
  return fieldOf(base, { kind: 'text', label: '', mask: 'hours' }, value, lang);
}

function lookupView(
  base: Base,
  { list }: QuestionOf<'lookup'>,
  { known, text, context }: { known: unknown; text: string; context: Context },
): FieldView {
  const chosen = typeof known === 'object' && known !== null && 'text' in known ? String(known.text) : text;
  const address = context.lookupAddress?.(list);
  return {
    ...base,
    kind: 'text',
    value: chosen,
    maxlength: 200,
    autocomplete: 'off',
    ...(address !== undefined && { lookup: address }),
  };
}

/** The entries of a list for what was typed, of which one is meant. */
function entryViews(path: string, words: string, { offered, lang }: Context): FieldView[] {
  const entries = offered?.get(path) ?? [];
  if (entries.length === 0) return [];
  return [
    { kind: 'hidden', name: wordsPath(path), label: '', value: words },
    {
      kind: 'choices',
      name: entryPath(path),
      label: translationsFor(lang, 'questionnaires')('entryChoice', { words }),
      value: '',
      choices: entries.map(({ key, text, note }) => ({ value: key, text, ...(note && { hint: note }) })),
    },
  ];
}

function dateView(
  base: Base,
  { part, earliest, latest }: QuestionOf<'date'>,
  { value, lang }: { value: string; lang: Lang },
): FieldView {
  const limits = {
    ...(earliest !== undefined && { earliest: `${earliest}-01-01`.slice(0, 10) }),
    ...(latest !== undefined && { latest: `${latest}-12-31`.slice(0, 10) }),
  };
  if (part === 'year') return { ...base, kind: 'text', inputmode: 'numeric', maxlength: 4, value };
  if (part === 'day') return dateFieldView(base, { kind: 'date', input: 'local', ...limits }, value, lang);
  const { year, month } = datePartsOf(`${value}-`);
  const view = dateFieldView(base, { kind: 'date', input: 'selects', ...limits }, `${year}-${month}-`, lang);
  if (view.kind !== 'date-selects') return view;
  return { ...view, selects: view.selects.filter((select) => select.part !== 'day') };
}

function addressView(
  base: Base,
  { countries }: QuestionOf<'address'>,
  { value, context }: { value: AnswerValue | undefined; context: Context },
): FieldView {
  const { lang, template, problemAt } = context;
  const plain = ownValue(value);
  const address = addressIn(
    typeof plain === 'object' && 'address1' in plain ? plain : { country: template.country },
  );
  const view = addressFieldView(base, { value: address, lang, problemOf: problemAt });
  if (view.kind !== 'address' || !countries) return view;
  return {
    ...view,
    parts: view.parts.map((part) =>
      part.kind === 'select' && part.name === `${base.name}.country`
        ? {
            ...part,
            choices: part.choices.filter((each) => each.value === '' || countries.includes(each.value)),
          }
        : part,
    ),
  };
}

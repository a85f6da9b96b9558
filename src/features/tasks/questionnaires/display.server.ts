import { addressLines } from '#platform/inputs/address-fields.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { hoursAndMinutes, isMasked, readAnswer } from './answer-values.ts';
import { maskedIdentifier, shownIdentifier } from './identifiers.ts';
import type { PlainValue, Question, Template } from './questionnaires.ts';
import { textIn } from './rules.ts';
import { clockText, dateText, moneyText } from './value-texts.ts';

/* Answers as text, for lists, documents and emails. */

interface Reader {
  lang: Lang;
  template: Template;
  /** Shows sensitive answers in full, which takes a right and an entry in the audit log. */
  isRevealed?: boolean;
}

/** An answer as a person reads it; empty if there is none. Sensitive answers are masked. */
export function displayValue(question: Question, answer: unknown, reader: Reader): string {
  const t = translationsFor(reader.lang, 'questionnaires');
  const reading = readAnswer(question, answer);
  switch (reading.state) {
    case 'empty':
      return '';
    case 'none':
      return t('none');
    case 'unsure':
      return t('unsure');
    case 'notYet':
      return reading.by === undefined
        ? t('notYet')
        : t('notYetBy', { date: dateText(reading.by, reader.lang) });
    case 'wrong':
      return typeof answer === 'string' && !isMasked(question) ? answer : t('unreadable');
    case 'value':
      return isMasked(question) && !reader.isRevealed
        ? maskedValue(question, reading.value)
        : valueText(question, reading.value, reader);
  }
}

const HIDDEN = '••••••';

/** What is shown of a sensitive answer. */
export const maskedValue = (question: Question, value: unknown): string =>
  question.kind === 'identifier' && typeof value === 'string'
    ? maskedIdentifier(question.scheme, value)
    : HIDDEN;

function valueText(question: Question, value: PlainValue, { lang, template }: Reader): string {
  const t = translationsFor(lang, 'questionnaires');
  const locale = LANGUAGES[lang];
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
  if (typeof value === 'number') {
    const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 4 }).format(value);
    const unit = question.kind === 'number' ? question.unit : undefined;
    return unit ? `${number} ${textIn(unit, lang, template)}` : number;
  }
  if (question.kind === 'choice' || question.kind === 'choices') {
    const chosen = question.choices.filter(({ key }) => key === value || isIn(key, value));
    return new Intl.ListFormat(locale, { type: 'unit' }).format(
      chosen.map(({ label }) => textIn(label, lang, template)),
    );
  }
  if (Array.isArray(value)) return t('files', { count: value.length });
  if (typeof value === 'string') {
    if (question.kind === 'date') return dateText(value, lang);
    return question.kind === 'identifier' ? shownIdentifier(question.scheme, value) : value;
  }
  if ('minutes' in value)
    return question.kind === 'clock' ? clockText(value.minutes, lang) : hoursAndMinutes(value.minutes);
  if ('key' in value) return value.text;
  if ('minor' in value) return moneyText(value, lang);
  return 'typed' in value ? value.typed : addressLines(value, lang).join(', ');
}

const isIn = (key: string, value: PlainValue): boolean => Array.isArray(value) && value.includes(key);

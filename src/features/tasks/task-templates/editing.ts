import type { Question, Section, Template, Text } from '#features/tasks/questionnaires/questionnaires.ts';
import type { Lang } from '#platform/text/languages.ts';

/*
 * A questionnaire as rows of forms, and back: one language at a time. What no form shows (conditions, other languages,
 * limits, codes for tax programs) is kept as long as its question, section or choice is.
 */

/** Kinds that an editor can choose; the others are kept, and created through the API. */
const CHOSEN_KINDS = [
  'text',
  'paragraph',
  'yesNo',
  'choice',
  'choices',
  'number',
  'money',
  'date',
  'phone',
  'address',
  'files',
  'note',
] as const;
const KEPT_KINDS = ['clock', 'hours', 'lookup', 'identifier', 'group'] as const;
export const EDITED_KINDS = [...CHOSEN_KINDS, ...KEPT_KINDS] as const;
export type EditedKind = (typeof EDITED_KINDS)[number];

export interface SectionRow {
  /** Empty for a new one. */
  key: string;
  /** Its place among the others. */
  position: number;
  label: string;
}

export interface QuestionRow extends SectionRow {
  kind: EditedKind;
  isRequired: boolean;
  hint: string;
  /** One a line. */
  choices: string;
}

type Item = Section['items'][number];

export const sectionRows = ({ sections }: Template, lang: Lang): SectionRow[] =>
  sections.map(({ key, label }, at) => ({ key, position: at + 1, label: label[lang] ?? '' }));

export const questionRows = ({ items }: Section, lang: Lang): QuestionRow[] =>
  items.map((item, at) => ({
    key: item.key,
    position: at + 1,
    label: item.label[lang] ?? '',
    kind: item.kind,
    isRequired: 'required' in item && item.required,
    hint: ('hint' in item && item.hint?.[lang]) || '',
    choices: 'choices' in item ? item.choices.map(({ label }) => label[lang] ?? '').join('\n') : '',
  }));

/** The template with these sections: others are gone, new ones ask for one text. */
export function withSections(template: Template, rows: readonly SectionRow[], lang: Lang): Template {
  const keys = new Set(template.sections.map(({ key }) => key));
  const sections = inOrder(rows).map((row): Section => {
    const stored = template.sections.find(({ key }) => key === row.key);
    if (stored) return { ...stored, label: textWith(stored.label, lang, row.label) };
    const label = { [lang]: row.label };
    return {
      key: newKey('section', keys),
      label,
      items: [asQuestion({ kind: 'paragraph', key: 'question-1', label })],
    };
  });
  return { ...template, sections };
}

interface SectionChange {
  label: string;
  lead: string;
  questions: readonly QuestionRow[];
}

/** The template with other texts and questions in one section. */
export const withQuestions = (
  template: Template,
  sectionKey: string,
  change: SectionChange,
  lang: Lang,
): Template => ({
  ...template,
  sections: template.sections.map((section) =>
    section.key === sectionKey ? changedSection(template, section, change, lang) : section,
  ),
});

function changedSection(
  template: Template,
  { lead: _, ...section }: Section,
  { label, lead, questions }: SectionChange,
  lang: Lang,
): Section {
  const stored = template.sections.find(({ key }) => key === section.key);
  const keys = new Set(section.items.map(({ key }) => key));
  const newLead = textWith(stored?.lead, lang, lead);
  return {
    ...section,
    label: textWith(section.label, lang, label),
    ...(Object.keys(newLead).length > 0 && { lead: newLead }),
    items: inOrder(questions).map((row) => {
      const item = section.items.find(({ key }) => key === row.key);
      return itemOf(template, item, row.key === '' || !item ? newKey('question', keys) : item.key, row, lang);
    }),
  };
}

function itemOf(
  { country }: Template,
  stored: Item | undefined,
  key: string,
  row: QuestionRow,
  lang: Lang,
): Item {
  const label = textWith(stored?.label, lang, row.label);
  const hint = textWith(stored && 'hint' in stored ? stored.hint : undefined, lang, row.hint);
  const withHint = Object.keys(hint).length > 0 && { hint };
  const when = stored?.when && { when: stored.when };
  if (stored?.kind === row.kind) {
    if (stored.kind === 'note') return { ...stored, label };
    const { hint: _, ...rest } = stored;
    const changed = { ...rest, label, ...withHint } as Item;
    if (changed.kind === 'group' || changed.kind === 'note') return changed;
    const asked = { ...changed, required: row.isRequired };
    return asked.kind === 'choice' || asked.kind === 'choices'
      ? { ...asked, choices: choicesOf(asked.choices, row.choices, lang) }
      : asked;
  }
  return asQuestion({
    kind: row.kind,
    key,
    label,
    ...when,
    ...(row.kind !== 'note' && { ...withHint, required: row.isRequired }),
    ...(row.kind === 'money' && { currency: CURRENCIES[country] ?? 'USD' }),
    ...((row.kind === 'choice' || row.kind === 'choices') && {
      choices: choicesOf(stored && 'choices' in stored ? stored.choices : [], row.choices, lang),
    }),
  });
}

/** A question whose other properties are filled in when it is stored. */
const asQuestion = (question: object): Question => question as Question;

const CURRENCIES: Readonly<Record<string, string>> = {
  US: 'USD',
  GB: 'GBP',
  AU: 'AUD',
  CA: 'CAD',
  AR: 'ARS',
  BR: 'BRL',
};

type Choice = Extract<Question, { kind: 'choice' }>['choices'][number];

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The choices of these lines: one with the same text is kept, else the one in the same place gets the new text. */
function choicesOf(stored: readonly Choice[], text: string, lang: Lang): Choice[] {
  const lines = linesOf(text);
  const keys = new Set(stored.map(({ key }) => key));
  const named = (line: string) => stored.find(({ label }) => label[lang] === line);
  const kept = new Set(lines.map(named));
  return lines.map((line, at) => {
    const inPlace = stored[at];
    const found = named(line) ?? (inPlace && !kept.has(inPlace) ? inPlace : undefined);
    return found
      ? { ...found, label: textWith(found.label, lang, line) }
      : { key: newKey('choice', keys), label: { [lang]: line }, exclusive: false };
  });
}

/** A text with other words in one language; without any, it lacks that language. */
function textWith(text: Text | undefined, lang: Lang, words: string): Text {
  const { [lang]: _, ...others } = text ?? {};
  return words === '' ? others : { ...others, [lang]: words };
}

/** A key that none of these has, and adds it to them. */
function newKey(name: string, keys: Set<string>): string {
  let number = keys.size + 1;
  while (keys.has(`${name}-${number}`)) number += 1;
  keys.add(`${name}-${number}`);
  return `${name}-${number}`;
}

const inOrder = <Row extends { position: number }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => a.position - b.position);

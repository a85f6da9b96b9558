import { checkTemplate } from '#features/tasks/questionnaires/checks.server.ts';
import type { Question, Template, TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';

export type SectionInput = TemplateInput['sections'][number];
export type ItemInput = SectionInput['items'][number];

export const en = (text: string) => ({ 'en-us': text });

/** A template in English with these sections. */
export const templateOf = (sections: SectionInput[], more: Partial<TemplateInput> = {}): TemplateInput => ({
  format: 1,
  key: 'sample',
  country: 'US',
  taxYear: 2026,
  languages: ['en-us'],
  label: en('Sample'),
  sections,
  ...more,
});

export const sectionOf = (key: string, items: ItemInput[], more: object = {}): SectionInput => ({
  key,
  label: en(key),
  items,
  ...more,
});

/** A template as it is published. */
export function published(input: TemplateInput): Template {
  const checked = checkTemplate(input);
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems));
  return checked.template;
}

/** One question with its defaults, as it is published. */
export function questionOf(item: ItemInput): Question {
  const found = published(templateOf([sectionOf('one', [item])])).sections[0]?.items[0];
  if (!found || found.kind === 'group') throw new Error('not a question');
  return found;
}

export const ROW = 'abcdefghijk1';
export const OTHER_ROW = 'abcdefghijk2';

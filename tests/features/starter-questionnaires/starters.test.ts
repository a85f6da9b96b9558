import { expect, test } from 'vitest';
import { fieldViews } from '#features/tasks/questionnaires/fields.server.ts';
import { newRowId } from '#features/tasks/questionnaires/posted-answers.server.ts';
import { forTaxYear, textIn, visibleSections } from '#features/tasks/questionnaires/rules.ts';
import { STARTERS as ALL } from '#features/tasks/starter-questionnaires/all.ts';
import { ukPersonal } from '#features/tasks/starter-questionnaires/uk-personal.ts';
import { us1040 } from '#features/tasks/starter-questionnaires/us-1040.ts';
import type { Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { checkTemplate } from '#features/tasks/questionnaires/checks.server.ts';
import recordedKeys from './keys.json' with { type: 'json' };
import { published } from '../questionnaires/support.ts';
import '../../../src/app.server.ts';

const STARTERS = ALL.map(({ template }) => template);
const sectionsOf = (template: Template, answers: Answers): string[] =>
  visibleSections(template, answers).map(({ section }) => section.key);

test.each(ALL.map((starter) => [starter.key, starter] as const))(
  'the starter %s can be published, and every text has a field',
  (_, { kind, template: starter }) => {
    expect(checkTemplate(starter)).not.toHaveProperty('problems');
    const template = published(starter);
    const last = kind === 'questionnaire' ? ['anything-else', 'true'] : ['anything-else'];
    expect(template.sections.at(-1)?.items.map(({ key }) => key)).toEqual(last);
    for (const lang of template.languages)
      for (const { key, items } of template.sections) {
        const answers = Object.fromEntries(
          items.map((item): [string, string[]] => [`${key}.${item.key}#order`, [newRowId()]]),
        );
        const text = JSON.stringify(fieldViews(template, key, { answers, lang, newRowId }));
        expect(text).not.toMatch(/\{taxYear\}|undefined/);
      }
  },
);

test.each(ALL.map((starter) => [starter.key, starter] as const))(
  'the starter %s names itself, can be published for every year in use, and sections are never empty',
  (key, { country, template }) => {
    expect([template.key, template.country]).toEqual([key, country]);
    const years = template.taxYear === undefined ? [undefined] : [2024, 2025, 2026, 2027];
    for (const taxYear of years) {
      const dated = taxYear === undefined ? template : { ...template, taxYear };
      expect(checkTemplate(dated)).not.toHaveProperty('problems');
      const shown = visibleSections(published(dated), {});
      expect(shown.filter(({ items }) => items.length === 0).map(({ section }) => section.key)).toEqual([]);
    }
  },
);

test('keys of starters are unique, and no key that answers refer to has changed', () => {
  expect(new Set(ALL.map(({ key }) => key)).size).toBe(ALL.length);
  const keys = ALL.map(({ key, template }) => [
    key,
    template.sections.flatMap((section) =>
      section.items.flatMap((item) => {
        const path = `${section.key}.${item.key}`;
        return [path, ...(item.kind === 'group' ? item.items.map((each) => `${path}.${each.key}`) : [])];
      }),
    ),
  ]);
  expect(
    Object.fromEntries(keys),
    "Add new keys to keys.json. A key that is gone takes last year's answers with it: give `was`.",
  ).toEqual(recordedKeys);
});

test('tags of a starter are used once in a row', () => {
  for (const starter of STARTERS)
    for (const { items } of starter.sections)
      for (const list of [items, ...items.flatMap((item) => (item.kind === 'group' ? [item.items] : []))]) {
        const tags = list.flatMap((item) => ('tag' in item && item.tag !== undefined ? [item.tag] : []));
        expect(tags).toEqual([...new Set(tags)]);
      }
});

test('every questionnaire has export codes; those about no tax form have one for each question', () => {
  const FORMS = ['us-1040', 'uk-personal'];
  const codes = ({ sections }: Template): (string | undefined)[] =>
    sections
      .slice(0, -1)
      .flatMap(({ items }) => items.flatMap((item) => (item.kind === 'group' ? item.items : [item])))
      .flatMap((question) => (question.kind === 'note' ? [] : [question.tag]));
  for (const { key, kind, template } of ALL)
    if (kind === 'questionnaire' || kind === 'document_review') {
      const found = codes(published(template));
      expect(
        found.some((code) => code !== undefined),
        key,
      ).toBe(true);
      if (!FORMS.includes(key)) expect(found, key).not.toContain(undefined);
      for (const code of found) if (code !== undefined) expect(code).toMatch(/^[a-z0-9-]+\.[a-z0-9-]+$/);
    }
});

test('the US organizer asks only about what its first section is told', () => {
  const template = published(us1040);
  const always = [
    'start',
    'you',
    'spouse',
    'dependents',
    'health',
    'wages',
    'retirement',
    'deductions',
    'energy',
    'payments',
    'refund',
    'household-help',
    'papers',
    'agree',
  ];
  expect(sectionsOf(template, { 'start.applies': ['none'] })).toEqual(always);
  expect(sectionsOf(template, { 'start.applies': ['rental', 'k1'] })).toEqual(
    expect.arrayContaining(['rental', 'k1']),
  );
  const choices = template.sections[0]?.items[0];
  const all =
    choices?.kind === 'choices' ? choices.choices.flatMap(({ key }) => (key === 'none' ? [] : [key])) : [];
  expect(sectionsOf(template, { 'start.applies': all })).toHaveLength(23);
});

test('the UK request names the tax year as HMRC does', () => {
  const template = published(ukPersonal);
  expect(textIn(template.label, 'en-gb', template)).toBe('Tax information 2025/26');
});

test('questions that depend on the law of a year are asked for that year only', () => {
  const template = published(us1040);
  const asks = (taxYear: number, path: string): boolean =>
    visibleSections(forTaxYear(template, taxYear), { 'start.applies': ['wages'] }).some(({ items }) =>
      items.some((item) => item.path === path),
    );
  expect([2024, 2025, 2028, 2029].map((year) => asks(year, 'wages.tips'))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect([2025, 2026].map((year) => asks(year, 'energy.home-energy'))).toEqual([true, false]);
  expect([2026, 2027].map((year) => asks(year, 'energy.clean-car'))).toEqual([true, false]);
});

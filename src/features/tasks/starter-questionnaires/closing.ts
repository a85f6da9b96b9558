import type { TemplateInput, Text } from '#features/tasks/questionnaires/questionnaires.ts';
import { paragraph, required, section, yesNo } from './build.ts';
import type { CommonTexts } from './texts.ts';

type Section = TemplateInput['sections'][number];

const anythingElse = (t: CommonTexts) =>
  paragraph('anything-else', t('Is there anything else that we should know?'));

/** The last section of a questionnaire: what was not asked, and a declaration. */
export const agreeSection = (t: CommonTexts): Section =>
  section('agree', t('Confirm'), [
    anythingElse(t),
    yesNo('true', t('To the best of my knowledge, this is complete and correct.'), {
      ...required,
      mustBeYes: true,
      lastYear: 'off',
    }),
  ]);

/** The last section of a document request. */
export const closingSection = (t: CommonTexts): Section =>
  section('closing', t('Before you submit'), [anythingElse(t)]);

/** A choice that excludes the others. */
export const noneOfThese = (t: CommonTexts, label: Text = t('None of these')) => ({
  key: 'none',
  label,
  exclusive: true,
});

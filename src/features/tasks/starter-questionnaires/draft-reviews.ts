import type { Lang } from '#platform/text/languages.ts';
import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import { is, paragraph, phone, required, section, tagged, when, yesNo } from './build.ts';
import { closingSection } from './closing.ts';
import { common as t, languagesFrom } from './texts.ts';

/*
 * The review of a draft tax return: what follows its documents, which the client approves or wants changed one by one.
 * Each year has its own draft, so nothing is taken over from the year before.
 */

const off = { lastYear: 'off' } as const;
/** Asked for and required where the answer is no. */
const ifNot = (of: string) => ({ ...required, ...off, ...when(is(of, false)) });

const check = section(
  'check',
  t('Check the draft'),
  [
    yesNo('read', t('I have read the whole draft.'), { ...required, ...off, mustBeYes: true }),
    yesNo('details', t('Are all names, addresses and dates of birth right?'), { ...required, ...off }),
    paragraph('details-wrong', t('What needs to be corrected?'), ifNot('details')),
    yesNo('income', t('Is all of your income in the draft?'), { ...required, ...off, unsure: true }),
    paragraph('income-missing', t('Which income is missing?'), ifNot('income')),
    yesNo('deductions', t('Are all deductions and credits in the draft that you told us about?'), {
      ...required,
      ...off,
      unsure: true,
    }),
    paragraph('deductions-missing', t('Which deductions or credits are missing?'), ifNot('deductions')),
    yesNo('bank', t('Is the bank account for the refund or payment right?'), {
      ...required,
      ...off,
      unsure: true,
    }),
    paragraph('bank-wrong', t('What is wrong with the bank account?'), {
      ...ifNot('bank'),
      hint: t('Please enter no account numbers here. We will ask for them.'),
    }),
  ],
  { lead: t('Mistakes are easy to correct now, and much harder after filing.') },
);

const filing = section('filing', t('Before we file'), [
  yesNo('talk', t('Would you like to talk to us before we file?'), { ...required, ...off }),
  phone('talk-phone', t('Mobile phone'), { ...required, ...off, ...when(is('talk')) }),
]);

const review = (key: string, country: string, first: Lang): TemplateInput => ({
  format: 1,
  key,
  country,
  languages: languagesFrom(first),
  label: t('Review of the draft tax return'),
  sections: [...[check, filing].map((each) => tagged('draft-review', each)), closingSection(t)],
});

export const DRAFT_REVIEWS: readonly TemplateInput[] = [
  review('us-draft-review', 'US', 'en-us'),
  review('ca-draft-review', 'CA', 'en-ca'),
  review('uk-draft-review', 'GB', 'en-gb'),
  review('br-draft-review', 'BR', 'pt'),
];

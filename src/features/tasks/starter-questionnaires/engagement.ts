import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  address,
  choice,
  choices,
  group,
  is,
  note,
  paragraph,
  required,
  section,
  tagged,
  text,
  when,
  yesNo,
} from './build.ts';
import { agreeSection, noneOfThese } from './closing.ts';
import { common as t, languagesFrom } from './texts.ts';
import type { Lang } from '#platform/text/languages.ts';

/* The questions of an engagement letter: who is the client, what is agreed, and who signs. It is signed apart. */

const letter = section('letter', t('Engagement letter'), [
  note('read-first', t('Please read the engagement letter that came with this task before you go on.')),
  yesNo('read', t('I have read the engagement letter.'), { ...required, mustBeYes: true, lastYear: 'off' }),
]);

const details = section('details', t('Your details'), [
  text('legal-name', t('Legal name'), {
    ...required,
    lastYear: 'prefill',
    hint: t('As it should be in the engagement letter.'),
  }),
  address('billing-address', t('Billing address'), { ...required, lastYear: 'prefill' }),
  group('instructions', t('Who may give us instructions?'), {
    lastYear: 'prefill',
    one: t('Person'),
    addLabel: t('Add a person'),
    title: 'name',
    max: 10,
    items: [
      text('name', t('Full name'), { ...required, lastYear: 'prefill', format: 'name' }),
      text('email', t('Email'), { ...required, lastYear: 'prefill', format: 'email' }),
    ],
  }),
]);

const services = section('services', t('Services and fees'), [
  yesNo('agreed', t('Do you agree with the services and fees in the letter?'), {
    ...required,
    lastYear: 'off',
  }),
  choices('optional', t('Which other services would you like?'), {
    lastYear: 'off',
    hint: t('We agree on the fee with you before we start.'),
    choices: [
      { key: 'bookkeeping', label: t('Bookkeeping') },
      { key: 'payroll', label: t('Payroll') },
      { key: 'planning', label: t('Tax planning') },
      { key: 'audit', label: t('Support in a tax audit') },
      noneOfThese(t),
    ],
  }),
  choice('why-not', t('What would you like to change?'), {
    ...required,
    ...when(is('agreed', false)),
    lastYear: 'off',
    choices: [
      { key: 'scope', label: t('The services') },
      { key: 'fees', label: t('The fees') },
      { key: 'name', label: t('A name or address is wrong') },
      { key: 'later', label: t('Not now') },
      { key: 'other', label: t('Something else') },
    ],
  }),
  paragraph('why-not-details', t('Tell us about it'), { ...when(is('agreed', false)), lastYear: 'off' }),
]);

const signers = section('signers', t('Who signs'), [
  group('signer', t('People who sign, in order'), {
    lastYear: 'prefill',
    one: t('Person'),
    addLabel: t('Add a person'),
    title: 'name',
    min: 1,
    max: 6,
    items: [
      text('name', t('Full name'), { ...required, lastYear: 'prefill', format: 'name' }),
      text('email', t('Email'), { ...required, lastYear: 'prefill', format: 'email' }),
      choice('role', t('Signs as'), {
        ...required,
        lastYear: 'prefill',
        choices: [
          { key: 'self', label: t('The client, in person') },
          { key: 'owner', label: t('Owner, partner or director') },
          { key: 'spouse', label: t('Spouse') },
          { key: 'attorney', label: t('Holder of a power of attorney') },
        ],
      }),
    ],
  }),
]);

const engagement = (key: string, country: string, first: Lang): TemplateInput => ({
  format: 1,
  key,
  country,
  languages: languagesFrom(first),
  label: t('Engagement letter'),
  sections: [
    ...[letter, details, services, signers].map((each) => tagged('engagement', each)),
    agreeSection(t),
  ],
});

export const ENGAGEMENTS: readonly TemplateInput[] = [
  engagement('us-engagement', 'US', 'en-us'),
  engagement('ca-engagement', 'CA', 'en-ca'),
  engagement('uk-engagement', 'GB', 'en-gb'),
  engagement('br-engagement', 'BR', 'pt'),
];

import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  choice,
  files,
  identifier,
  is,
  moneyIn,
  note,
  paragraph,
  required,
  section,
  tagged,
  text,
  when,
  yesNo,
} from './build.ts';
import { agreeSection } from './closing.ts';
import { jobSection, personSection } from './new-employee.ts';
import { languagesFrom } from './texts.ts';
import { STATES, us as t } from './us.ts';

/* A new employee in the US. Forms W-4 and I-9 are signed; the answers only prepare payroll. */

const money = moneyIn('USD');
const once = { lastYear: 'off' } as const;

const person = personSection([
  identifier('ssn', t('Social Security number'), { ...required, ...once, scheme: 'ssn' }),
]);

const job = jobSection(
  'USD',
  ['weekly', 'biweekly', 'semimonthly', 'monthly'],
  [
    choice('state', t('State of work'), { ...required, ...once, look: 'select', choices: STATES }),
    choice('overtime', t('Is overtime paid for this job?'), {
      ...required,
      ...once,
      choices: [
        { key: 'non-exempt', label: t('Yes (non-exempt)') },
        { key: 'exempt', label: t('No (exempt)') },
        { key: 'unsure', label: t("I'm not sure") },
      ],
    }),
    text('workers-compensation', t("Class code for workers' compensation"), { ...once, none: true }),
  ],
);

const withholding = section('withholding', t('Form W-4'), [
  note(
    'w4-signed',
    t('The employee fills in and signs Form W-4. Copy the answers here and upload the form.'),
  ),
  choice('w4-status', t('Filing status on Form W-4'), {
    tag: 'w4.filing-status',
    ...required,
    ...once,
    choices: [
      { key: 'single', label: t('Single, or married filing separately') },
      { key: 'joint', label: t('Married filing jointly') },
      { key: 'head', label: t('Head of household') },
    ],
  }),
  yesNo(
    'w4-two-jobs',
    t('Is the box for two jobs checked?', {
      'en-gb': 'Is the box for two jobs ticked?',
      'en-au': 'Is the box for two jobs ticked?',
    }),
    { ...required, ...once, tag: 'w4.two-jobs' },
  ),
  money('w4-dependents', t('Amount for dependents'), { ...once, none: true, tag: 'w4.dependents' }),
  money('w4-extra', t('Extra withholding each pay period'), { ...once, none: true, tag: 'w4.extra' }),
  files('w4', t('Signed Form W-4'), { ...required, ...once, tag: 'w4.form' }),
  files('state-form', t('State withholding form'), { ...once, none: true }),
]);

const eligibility = section('eligibility', t('Form I-9'), [
  note(
    'i9-dates',
    t(
      'The employee completes section 1 by the first day of work. You check the documents and complete section 2 within three business days after it.',
    ),
  ),
  yesNo('i9-started', t('Has the employee completed section 1?'), {
    ...required,
    ...once,
    tag: 'i9.section-1',
  }),
  files('i9', t('Form I-9, with copies of the documents if you keep them'), {
    ...required,
    ...once,
    tag: 'i9.form',
  }),
]);

const payment = section('payment', t('How wages are paid'), [
  yesNo('direct-deposit', t('Are wages paid to a bank account?'), { ...required, ...once }),
  identifier('routing', t('Routing number'), {
    ...required,
    ...once,
    ...when(is('direct-deposit')),
    scheme: 'routing',
  }),
  identifier('account', t('Account number'), {
    ...required,
    ...once,
    ...when(is('direct-deposit')),
    scheme: 'account',
  }),
  choice('account-kind', t('Kind of account'), {
    ...required,
    ...once,
    ...when(is('direct-deposit')),
    choices: [
      { key: 'checking', label: t('Checking', { 'en-ca': 'Chequing' }) },
      { key: 'savings', label: t('Savings') },
    ],
  }),
  paragraph('benefits', t('Benefits and deductions, such as health insurance or a 401(k)'), {
    ...once,
    none: true,
  }),
  files('garnishments', t('Wage garnishment orders'), { ...once, none: true }),
]);

export const usNewEmployee: TemplateInput = {
  format: 1,
  key: 'us-new-employee',
  country: 'US',
  languages: languagesFrom('en-us'),
  label: t('New employee'),
  sections: [
    person,
    job,
    tagged('withholding', withholding),
    eligibility,
    tagged('payment', payment),
    agreeSection(t),
  ],
};

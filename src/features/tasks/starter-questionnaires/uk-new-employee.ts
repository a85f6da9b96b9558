import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  choice,
  choices,
  files,
  identifier,
  is,
  required,
  section,
  tagged,
  text,
  when,
  yesNo,
} from './build.ts';
import { agreeSection } from './closing.ts';
import { jobSection, personSection } from './new-employee.ts';
import { languagesFrom, properName } from './texts.ts';
import { uk as t } from './uk.ts';

/* A new employee in the United Kingdom. */

const once = { lastYear: 'off' } as const;

const person = personSection([
  identifier('nino', t('National Insurance number'), { ...required, ...once, none: true, scheme: 'nino' }),
  files('right-to-work', t('Right to work check'), { ...required, ...once }),
]);

const job = jobSection('GBP', ['weekly', 'biweekly', 'monthly'], []);

const tax = section('tax', t('Tax and pension'), [
  yesNo('has-p45', t('Does the employee have a P45 from this tax year?'), { ...required, ...once }),
  files('p45', properName('P45'), { tag: 'p45.form', ...required, ...once, ...when(is('has-p45')) }),
  choice('statement', t("Employee's starter statement"), {
    tag: 'starter-checklist.statement',
    ...required,
    ...once,
    ...when(is('has-p45', false)),
    choices: [
      {
        key: 'a',
        label: t('A: this is the first job since 6 April, and there was no taxable benefit or pension'),
      },
      { key: 'b', label: t('B: this is now the only job, but there was another job or a taxable benefit') },
      { key: 'c', label: t('C: there is another job or a pension') },
    ],
  }),
  text('tax-code', t('Tax code, if HMRC has sent one'), { ...once, none: true, max: 10 }),
  choices('student-loan', t('Student or postgraduate loans that are repaid'), {
    tag: 'starter-checklist.student-loan',
    ...once,
    choices: [
      { key: 'plan-1', label: properName('Plan 1') },
      { key: 'plan-2', label: properName('Plan 2') },
      { key: 'plan-4', label: properName('Plan 4') },
      { key: 'plan-5', label: properName('Plan 5') },
      { key: 'postgraduate', label: t('Postgraduate loan') },
      { key: 'none', label: t('None of these'), exclusive: true },
    ],
  }),
  choice('pension', t('Workplace pension'), {
    ...once,
    choices: [
      { key: 'enrol', label: t('Enrol straight away') },
      { key: 'postpone', label: t('Postpone for up to three months') },
      { key: 'unsure', label: t("I'm not sure") },
    ],
  }),
]);

const payment = section('payment', t('How wages are paid'), [
  identifier('sort-code', t('Sort code'), { ...required, ...once, scheme: 'sort-code' }),
  identifier('account', t('Account number'), { ...required, ...once, scheme: 'account' }),
  text('account-name', t('Name on the account'), { ...once, format: 'name' }),
]);

export const ukNewEmployee: TemplateInput = {
  format: 1,
  key: 'uk-new-employee',
  country: 'GB',
  languages: languagesFrom('en-gb'),
  label: t('New employee'),
  sections: [person, job, tagged('tax', tax), tagged('payment', payment), agreeSection(t)],
};

import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  choice,
  date,
  files,
  group,
  identifier,
  is,
  note,
  number,
  required,
  section,
  tagged,
  text,
  when,
  yesNo,
} from './build.ts';
import { br as t } from './br.ts';
import { agreeSection } from './closing.ts';
import { jobSection, personSection } from './new-employee.ts';
import { languagesFrom, properName } from './texts.ts';

/* A new employee in Brazil, with what eSocial (S-2200) asks for. */

const once = { lastYear: 'off' } as const;
const none = { ...once, none: true } as const;

const person = personSection([
  identifier('cpf', properName('CPF'), { ...required, ...once, scheme: 'cpf' }),
  text('mother', t("Mother's full name"), { ...once, format: 'name' }),
  choice(
    'race',
    t('Race or color', { 'en-gb': 'Race or colour', 'en-ca': 'Race or colour', 'en-au': 'Race or colour' }),
    {
      ...once,
      sensitive: true,
      hint: t('eSocial asks for it, as the employee declares it.'),
      choices: [
        { key: 'white', label: t('White') },
        { key: 'black', label: t('Black') },
        { key: 'mixed', label: t('Mixed (parda)') },
        { key: 'asian', label: t('Asian (amarela)') },
        { key: 'indigenous', label: t('Indigenous') },
        { key: 'not-said', label: t('Not stated') },
      ],
    },
  ),
  choice('marital-status', t('Marital status'), {
    ...once,
    choices: [
      { key: 'single', label: t('Single') },
      { key: 'married', label: t('Married') },
      { key: 'divorced', label: t('Divorced') },
      { key: 'separated', label: t('Separated') },
      { key: 'widowed', label: t('Widowed') },
    ],
  }),
  choice('education', t('Level of education'), {
    ...once,
    choices: [
      { key: 'none', label: t('No formal education') },
      { key: 'elementary-part', label: t('Elementary school, not completed') },
      { key: 'elementary', label: t('Elementary school') },
      { key: 'high-part', label: t('High school, not completed') },
      { key: 'high', label: t('High school') },
      { key: 'higher-part', label: t('Higher education, not completed') },
      { key: 'higher', label: t('Higher education') },
      { key: 'postgraduate', label: t('Postgraduate degree') },
    ],
  }),
  text('nis', t('PIS/PASEP or NIS number'), { ...none, max: 14 }),
  files('id-document', t('Identity document (RG or CNH)'), { ...required, ...once }),
  files('proof-of-address', t('Proof of address'), once),
  files('photo', t('Photo'), none),
]);

const dependents = section('dependents', t('Dependents'), [
  group('dependent', t('Dependents'), {
    lastYear: 'off',
    one: t('Dependent'),
    addLabel: t('Add a dependent'),
    title: 'name',
    max: 20,
    items: [
      text('name', t('Full name'), { ...required, ...once, format: 'name' }),
      identifier('cpf', properName('CPF'), { ...required, ...once, scheme: 'cpf' }),
      date('birth', t('Date of birth'), { ...required, ...once }),
      yesNo('income-tax', t('Dependent for income tax?'), once),
      yesNo('family-allowance', t('Entitled to the family allowance (salário-família)?'), once),
    ],
  }),
]);

const job = jobSection(
  'BRL',
  ['weekly', 'monthly'],
  [
    note('deadline', t('We must report the employee the day before the first day of work.')),
    text('cbo', t('Occupation code (CBO)'), none),
    text('schedule', t('Working hours of each day, with breaks'), { ...required, ...once, max: 500 }),
    number('trial', t('Trial period'), {
      ...none,
      max: 90,
      unit: t('days'),
      hint: t('Usually 45 days, extended once by 45.'),
    }),
    yesNo('transport-voucher', t('Does the employee want transport vouchers?'), { ...required, ...once }),
    files('medical-exam', t('Pre-employment medical certificate (ASO)'), { ...required, ...once }),
  ],
);

const payment = section('payment', t('How wages are paid'), [
  choice('how', t('How is the employee paid?'), {
    ...required,
    ...once,
    choices: [
      { key: 'pix', label: properName('Pix') },
      { key: 'bank', label: t('To a bank account') },
    ],
  }),
  identifier('pix', t('Pix key'), { ...required, ...once, ...when(is('how', 'pix')), scheme: 'pix' }),
  text('bank', t('Bank'), { ...required, ...once, ...when(is('how', 'bank')) }),
  text('branch', t('Branch'), { ...required, ...once, ...when(is('how', 'bank')) }),
  identifier('account', t('Account number'), {
    ...required,
    ...once,
    ...when(is('how', 'bank')),
    scheme: 'account',
  }),
]);

export const brNewEmployee: TemplateInput = {
  format: 1,
  key: 'br-new-employee',
  country: 'BR',
  languages: languagesFrom('pt'),
  label: t('New employee'),
  sections: [person, tagged('dependents', dependents), job, tagged('payment', payment), agreeSection(t)],
};

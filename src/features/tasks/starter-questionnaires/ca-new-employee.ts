import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  choice,
  files,
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
import { PROVINCES, ca as t } from './ca.ts';
import { agreeSection } from './closing.ts';
import { jobSection, personSection } from './new-employee.ts';
import { languagesFrom, properName } from './texts.ts';

/* A new employee in Canada. */

const once = { lastYear: 'off' } as const;

const person = personSection([
  note('sin-after-offer', t('Ask for the social insurance number only after the offer has been accepted.')),
  identifier('sin', t('Social insurance number (SIN)'), { ...required, ...once, scheme: 'sin' }),
  files('right-to-work', t('Work permit, if the SIN begins with 9'), { ...once, none: true }),
]);

const job = jobSection(
  'CAD',
  ['weekly', 'biweekly', 'semimonthly', 'monthly'],
  [
    choice('province', t('Province or territory of employment'), {
      ...required,
      ...once,
      look: 'select',
      choices: PROVINCES,
    }),
    number('vacation', t('Vacation pay'), {
      ...once,
      none: true,
      max: 100,
      decimals: 2,
      unit: properName('%'),
    }),
  ],
);

const tax = section('tax', t('Tax forms'), [
  files('td1', t('Federal Form TD1'), { ...required, ...once, tag: 'td1.form' }),
  files('td1-province', t('Provincial or territorial Form TD1'), {
    tag: 'td1.province-form',
    ...required,
    ...once,
    none: true,
    hint: t('In Quebec: Form TP-1015.3-V.'),
  }),
]);

const payment = section('payment', t('How wages are paid'), [
  yesNo('direct-deposit', t('Are wages paid to a bank account?'), { ...required, ...once }),
  text('institution', t('Institution number'), {
    ...required,
    ...once,
    ...when(is('direct-deposit')),
    max: 3,
  }),
  text('transit', t('Transit number'), { ...required, ...once, ...when(is('direct-deposit')), max: 5 }),
  identifier('account', t('Account number'), {
    ...required,
    ...once,
    ...when(is('direct-deposit')),
    scheme: 'account',
  }),
  files('void-cheque', t('Void cheque or direct deposit form'), {
    ...once,
    ...when(is('direct-deposit')),
    none: true,
  }),
]);

export const caNewEmployee: TemplateInput = {
  format: 1,
  key: 'ca-new-employee',
  country: 'CA',
  languages: languagesFrom('en-ca'),
  label: t('New employee'),
  sections: [person, job, tax, tagged('payment', payment), agreeSection(t)],
};

import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  address,
  choice,
  date,
  files,
  moneyIn,
  number,
  phone,
  required,
  section,
  tagged,
  text,
} from './build.ts';
import { common as t } from './texts.ts';

/*
 * What payroll needs to know about a new employee in every country. The employer answers it; the questions about the
 * person are often passed on to the employee.
 */

type Section = TemplateInput['sections'][number];
type Item = Section['items'][number];

const once = { lastYear: 'off' } as const;

/** About the person; the country adds its numbers and papers. */
export const personSection = (own: Item[]): Section =>
  tagged(
    'employee',
    section('person', t('The employee'), [
      text('name', t('Full name'), { ...required, ...once, format: 'name' }),
      text('email', t('Email'), {
        ...required,
        ...once,
        none: true,
        format: 'email',
      }),
      phone('phone', t('Mobile phone'), { ...required, ...once, none: true }),
      date('birth', t('Date of birth'), { ...required, ...once }),
      address('address', t('Home address'), { ...required, ...once }),
      ...own,
      text('emergency-name', t('Emergency contact'), { ...once, format: 'name' }),
      phone('emergency-phone', t("Emergency contact's phone"), once),
    ]),
  );

const PAY_PERIODS = {
  weekly: 'Every week',
  biweekly: 'Every two weeks',
  semimonthly: 'Twice a month',
  monthly: 'Every month',
} as const;

/** About the job; wages are paid in one of these ways. */
export const jobSection = (
  currency: string,
  paid: [keyof typeof PAY_PERIODS, keyof typeof PAY_PERIODS, ...(keyof typeof PAY_PERIODS)[]],
  own: Item[],
): Section =>
  tagged(
    'job',
    section('job', t('The job'), [
      date('start', t('First day of work'), { ...required, ...once }),
      text('title', t('Job title'), { ...required, ...once }),
      text('place', t('Place of work'), { ...required, ...once }),
      number('hours', t('Hours per week'), { ...required, ...once, max: 168, decimals: 2 }),
      moneyIn(currency)('pay', t('Pay before taxes'), { ...required, ...once }),
      choice('pay-per', t('Is that per hour, month or year?'), {
        ...required,
        ...once,
        choices: [
          { key: 'hour', label: t('Per hour') },
          { key: 'month', label: t('Per month') },
          { key: 'year', label: t('Per year') },
        ],
      }),
      choice('paid', t('When is it paid?'), {
        ...required,
        ...once,
        choices: paid.map((key) => ({ key, label: t(PAY_PERIODS[key]) })),
      }),
      text('manager', t('Manager'), { ...once, format: 'name' }),
      files('contract', t('Employment contract or offer letter'), once),
      ...own,
    ]),
  );

import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import { choices, files, includes, paragraph, required, section, when, whenAny } from './build.ts';
import { closingSection, noneOfThese } from './closing.ts';
import { languagesFrom, properName } from './texts.ts';
import { uk as t } from './uk.ts';

/* The documents for the accounts and the Corporation Tax return of a small company in the United Kingdom. */

const none = { none: true } as const;
const applies = (key: string) => when(includes('start.applies', key));
const prefill = { lastYear: 'prefill' } as const;

const start = section('start', t('Your company'), [
  choices('applies', t('Which of these applied to your company this year?'), {
    ...required,
    ...prefill,
    look: 'cards',
    hint: t('We only ask for documents about what you choose here.'),
    choices: [
      { key: 'stock', label: t('Held stock') },
      { key: 'wip', label: t('Had work in progress') },
      { key: 'vat', label: t('Registered for VAT') },
      { key: 'staff', label: t('Had employees') },
      { key: 'loans', label: t('Had loans, hire purchase or leases') },
      { key: 'cis', label: t('Construction Industry Scheme (CIS)') },
      { key: 'dividends', label: t('Paid dividends') },
      { key: 'grants', label: t('Received grants') },
      noneOfThese(t),
    ],
  }),
]);

const books = section('books', t('Bank and books'), [
  files('bank', t('Bank statements up to the year end'), { ...required, max: 100 }),
  files('software', t('Backup of your bookkeeping'), {
    ...required,
    ...none,
    hint: t('If we have access to your bookkeeping software, choose “I have none”.'),
  }),
  files('invoices', t('Sales and purchase invoices around the year end'), { ...none, max: 100 }),
  files('debtors', t('Debtors at the year end'), { ...required, ...none }),
  files('creditors', t('Creditors at the year end'), { ...required, ...none }),
  files('stock', t('Stock count at the year end, with values'), { ...required, ...applies('stock') }),
  files('wip', t('Work in progress at the year end'), { ...required, ...applies('wip') }),
  files('assets', t('Invoices for fixed assets bought or sold'), { ...required, ...none, max: 100 }),
]);

const taxes = section('taxes', t('VAT, payroll and tax'), [
  files('vat', t('VAT returns and digital records'), { ...required, ...applies('vat') }),
  files('payroll', t('Payroll: P32 and totals of the Full Payment Submissions (FPS)'), {
    ...required,
    ...applies('staff'),
  }),
  files('p11d', properName('P11D'), { ...none, ...applies('staff') }),
  files('pensions', t('Workplace pension contributions'), { ...none, ...applies('staff') }),
  files('cis', t('CIS statements'), { ...required, ...applies('cis') }),
  files('hmrc-letters', t('Letters from HMRC'), none),
]);

const owners = section('owners', t('Directors and shareholders'), [
  files('loan-account', t("Directors' loan account and personal spending"), { ...required, ...none }),
  files('dividends', t('Dividend vouchers and minutes'), { ...required, ...applies('dividends') }),
  paragraph('related', t('Transactions with related parties'), {
    ...none,
    hint: t('Such as family members, or other companies of the directors.'),
  }),
  paragraph('shareholders', t('Changes in shareholders since the last confirmation statement'), none),
]);

const finance = section(
  'finance',
  t('Loans and grants'),
  [
    files('loans', t('Loan, hire purchase and lease agreements'), { ...required, ...applies('loans') }),
    files('grants', t('Grant letters'), { ...required, ...applies('grants') }),
  ],
  whenAny(includes('start.applies', 'loans'), includes('start.applies', 'grants')),
);

export const ukYearEnd: TemplateInput = {
  format: 1,
  key: 'uk-year-end',
  country: 'GB',
  languages: languagesFrom('en-gb'),
  label: t('Year-end documents'),
  sections: [start, books, taxes, owners, finance, closingSection(t)],
};

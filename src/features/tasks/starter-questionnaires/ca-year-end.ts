import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import { choice, choices, files, includes, is, paragraph, required, section, when, yesNo } from './build.ts';
import { PROVINCES, ca as t } from './ca.ts';
import { closingSection, noneOfThese } from './closing.ts';
import { languagesFrom } from './texts.ts';

/* The documents for the year end of a small corporation in Canada. */

const none = { none: true } as const;
const applies = (key: string) => when(includes('start.applies', key));
const prefill = { lastYear: 'prefill' } as const;
const inQuebec = when(is('start.province', 'qc'));

const start = section('start', t('Your business'), [
  choice('province', t('Province or territory'), {
    ...required,
    ...prefill,
    look: 'select',
    choices: PROVINCES,
  }),
  choices('applies', t('Which of these applied to your business in {taxYear}?'), {
    ...required,
    ...prefill,
    look: 'cards',
    hint: t('We only ask for documents about what you choose here.'),
    choices: [
      { key: 'stock', label: t('Kept inventory') },
      { key: 'wip', label: t('Had work in progress') },
      { key: 'staff', label: t('Had employees') },
      { key: 'loans', label: t('Had loans') },
      { key: 'leases', label: t('Leased property or equipment') },
      { key: 'sales-tax', label: t('Charged GST/HST') },
      { key: 'vehicles', label: t('Drove vehicles for the business') },
      { key: 'dividends', label: t('Paid dividends') },
      noneOfThese(t),
    ],
  }),
  yesNo('sred', t('Did you carry out research or development that may qualify for SR&ED?'), {
    unsure: true,
    hint: t('SR&ED: scientific research and experimental development tax incentives'),
  }),
]);

const books = section('books', t('Bank and books'), [
  files('trial-balance', t('Trial balance'), required),
  files('bank', t('Bank, credit card and loan statements at year end'), { ...required, max: 100 }),
  files('receivables', t('Unpaid customer invoices at year end'), { ...required, ...none }),
  files('payables', t('Unpaid supplier bills at year end'), { ...required, ...none }),
  files('inventory', t('Inventory count at year end, with values'), { ...required, ...applies('stock') }),
  files('wip', t('Work in progress at year end'), { ...required, ...applies('wip') }),
]);

const taxes = section('taxes', t('Sales tax and payroll'), [
  files('gst', t('GST/HST returns'), { ...required, ...applies('sales-tax') }),
  files('pst', t('PST returns'), none),
  files('qst', t('QST returns'), { ...none, ...inQuebec }),
  files('t4', t('T4 and T4A slips and summaries; in Quebec, also RL-1 slips'), {
    ...required,
    ...applies('staff'),
  }),
  files('t5', t('T5 slips and summary'), { ...required, ...applies('dividends') }),
  files('roe', t('Records of employment (ROE)'), { ...none, ...applies('staff') }),
]);

const assets = section('assets', t('Equipment, loans and leases'), [
  files('assets', t('Invoices for equipment and other assets bought or sold'), {
    ...required,
    ...none,
    max: 100,
  }),
  files('loans', t('Loan statements at year end, and new agreements'), { ...required, ...applies('loans') }),
  files('leases', t('Leases'), { ...required, ...applies('leases') }),
  files('vehicle-log', t('Mileage log of each vehicle'), { ...none, ...applies('vehicles') }),
]);

const shareholders = section('shareholders', t('Shareholders'), [
  files('loan-account', t('Shareholder loan account: what was taken out and paid in'), {
    ...required,
    ...none,
  }),
  files('dividends', t('Dividends paid: dates, amounts and resolutions'), {
    ...required,
    ...applies('dividends'),
  }),
  paragraph('personal', t('Personal expenses that the company paid: what and how much'), none),
  files('minute-book', t('Changes to the minute book'), none),
]);

const cra = section('cra', t('Canada Revenue Agency (CRA)'), [
  files('instalments', t('Instalments paid: statement of account from the CRA'), none),
  files('assessments', t('Notices of assessment and other letters'), none),
  yesNo('authorization', t('Have you authorized us in CRA My Business Account?'), { unsure: true }),
]);

export const caYearEnd: TemplateInput = {
  format: 1,
  key: 'ca-year-end',
  country: 'CA',
  taxYear: 2026,
  languages: languagesFrom('en-ca'),
  label: t('Year-end documents {taxYear}'),
  sections: [start, books, taxes, assets, shareholders, cra, closingSection(t)],
};

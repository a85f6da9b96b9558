import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  choices,
  date,
  files,
  includes,
  is,
  paragraph,
  required,
  section,
  text,
  when,
  whenAny,
  yesNo,
} from './build.ts';
import { closingSection, noneOfThese } from './closing.ts';
import { languagesFrom } from './texts.ts';
import { STATES, us as t } from './us.ts';

/* The documents for the accounts and the tax return of a small business in the US. */

const none = { none: true } as const;
const applies = (key: string) => when(includes('start.applies', key));
const prefill = { lastYear: 'prefill' } as const;

const start = section('start', t('Your business'), [
  choices('applies', t('Which of these applied to your business in {taxYear}?'), {
    ...required,
    ...prefill,
    look: 'cards',
    hint: t('We only ask for documents about what you choose here.'),
    choices: [
      { key: 'stock', label: t('Kept inventory') },
      { key: 'staff', label: t('Had employees') },
      { key: 'contractors', label: t('Paid contractors') },
      { key: 'loans', label: t('Had loans') },
      { key: 'leases', label: t('Leased property or equipment') },
      { key: 'sales-tax', label: t('Collected sales tax') },
      { key: 'vehicles', label: t('Drove vehicles for the business') },
      noneOfThese(t),
    ],
  }),
  yesNo('new-client', t('Is this our first year working for this business?'), { lastYear: 'off' }),
  choices('states', t('States where the business operates or has employees'), {
    ...prefill,
    choices: STATES,
  }),
  yesNo('foreign', t('Did the business have a foreign owner, or an account outside the US?'), {
    unsure: true,
  }),
  paragraph('ownership', t('Changes in ownership in {taxYear}'), {
    ...none,
    hint: t('Also name everyone who owns or controls 25% or more of the business.'),
  }),
]);

const books = section('books', t('Bank and books'), [
  files('bank', t('Bank statements for December {taxYear}, with the reconciliation of every account'), {
    ...required,
    max: 100,
  }),
  files('cards', t('Credit card statements for December {taxYear}, with reconciliations'), {
    ...required,
    ...none,
  }),
  files('trial-balance', t('Trial balance'), required),
  files('general-ledger', t('General ledger'), required),
  files('sales', t('Sales by month'), none),
  files('merchant', t('Statements of card processors, and Forms 1099-K'), none),
  files('receivables', t('Unpaid customer invoices at year end'), { ...required, ...none }),
  files('payables', t('Unpaid supplier bills at year end'), { ...required, ...none }),
  files('inventory', t('Inventory count at year end, with values'), { ...required, ...applies('stock') }),
  date('inventory-date', t('Date of the count'), applies('stock')),
  text('inventory-method', t('How was the inventory valued?'), applies('stock')),
]);

const people = section(
  'people',
  t('Employees and contractors'),
  [
    files('payroll', t('Payroll: Forms W-3, 941, 940 and state returns'), {
      ...required,
      ...applies('staff'),
    }),
    files('contractors', t('Contractors: Forms W-9 and what each was paid'), {
      ...required,
      ...applies('contractors'),
    }),
  ],
  whenAny(includes('start.applies', 'staff'), includes('start.applies', 'contractors')),
);

const assets = section('assets', t('Equipment, loans and leases'), [
  files('assets', t('Invoices for equipment and other assets bought or sold'), {
    ...required,
    ...none,
    max: 100,
  }),
  files('loans', t('Loan statements at year end, and new agreements'), { ...required, ...applies('loans') }),
  files('leases', t('Leases'), { ...required, ...applies('leases') }),
  files('insurance', t('Insurance policies and premiums'), none),
  files('vehicle-log', t('Mileage log of each vehicle'), { ...none, ...applies('vehicles') }),
]);

const owners = section('owners', t('Owners'), [
  files('draws', t('Money that the owners took out or put in'), { ...required, ...none }),
  files('owner-benefits', t('Health insurance and retirement plan contributions of the owners'), none),
  files('minutes', t('Minutes, and changes in shares'), none),
]);

const taxes = section('taxes', t('Taxes'), [
  files('sales-tax', t('Sales tax returns'), { ...required, ...applies('sales-tax') }),
  files('prior-return', t("Last year's business tax return"), {
    ...required,
    ...when(is('start.new-client')),
    none: true,
  }),
  files('notices', t('Letters from the IRS or a state'), none),
]);

export const usYearEnd: TemplateInput = {
  format: 1,
  key: 'us-year-end',
  country: 'US',
  taxYear: 2026,
  languages: languagesFrom('en-us'),
  label: t('Year-end documents {taxYear}'),
  sections: [start, books, people, assets, owners, taxes, closingSection(t)],
};

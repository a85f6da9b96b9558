import type { TemplateInput, Text } from '#features/tasks/questionnaires/questionnaires.ts';
import { files, paragraph, required, section } from './build.ts';
import { br as t } from './br.ts';
import { closingSection } from './closing.ts';
import { languagesFrom } from './texts.ts';

/*
 * The documents of a month in Brazil, asked for in the month after. The days are those of a usual office; a firm
 * changes them in its copy. The legal dates behind them are not computed.
 */

const none = { none: true, lastYear: 'off' } as const;
const important = { ...none, ...required };
const restDay: Text = t('If that is not a working day, the working day before it counts.');
const by = (key: string, label: Text, items: ReturnType<typeof files>[]) =>
  section(key, label, items, { lead: restDay });

const employees = by('employees', t('By the 2nd: employees'), [
  files('timesheets', t('Timesheets: absences, overtime and extra pay'), {
    ...important,
    hint: t('Hours as hours and minutes, such as 10:30.'),
  }),
  files('hires-leavers', t('New employees and leavers'), important),
  files('sick-notes', t('Sick notes'), none),
  files('vacations', t('Vacations', { 'en-gb': 'Holidays', 'en-au': 'Annual leave' }), none),
  files('advances-deductions', t('Pay advances and deductions'), none),
  files('commissions', t('Commissions'), none),
]);

const contractors = by('contractors', t('By the 3rd: services that you bought'), [
  files('services-bought', t('Invoices for services with tax withheld'), important),
  files('freelancers', t('Payments to self-employed workers (RPA)'), none),
]);

const banks = by('banks', t('By the 5th: banks and sales'), [
  files('bank-statements', t('Bank statements of each account, in OFX and PDF'), {
    ...required,
    lastYear: 'off',
    max: 100,
  }),
  files('investments', t('Investment statements'), none),
  files('cards', t('Credit card bills'), none),
  files('card-machine-reports', t('Card machine reports'), none),
  files('sales-xml', t('XML files of your sales (NF-e, NFC-e, CT-e)'), { ...important, max: 200 }),
  files('service-invoices', t('Service invoices issued (NFS-e)'), { ...important, max: 200 }),
  files('cancelled-invoices', t('Canceled invoices'), none),
]);

const purchases = by('purchases', t('By the 7th: purchases and payments'), [
  files('purchase-invoices', t('Purchase invoices'), { ...important, max: 200 }),
  files('utilities-rent', t('Utilities and rent'), none),
  files('paid-slips', t('Bills paid (boletos), with proof of payment'), { ...important, max: 200 }),
]);

const cash = by('cash', t('By the 8th: cash and partners'), [
  files('cash-book', t('Cash book'), none),
  files('refunds', t('Expense refunds'), none),
  files('owner-advances', t('Advances to partners, and loans with them'), important),
  files('loans', t('Loans and financing'), none),
]);

const unusual = section(
  'unusual',
  t('By the 10th: anything unusual'),
  [
    paragraph('anything-unusual', t('What was different this month?'), {
      ...important,
      hint: t('Such as a new contract, a large purchase or sale, or a letter from the tax office.'),
    }),
  ],
  { lead: restDay },
);

export const brMonthly: TemplateInput = {
  format: 1,
  key: 'br-monthly',
  country: 'BR',
  languages: languagesFrom('pt'),
  label: t('Monthly documents'),
  sections: [employees, contractors, banks, purchases, cash, unusual, closingSection(t)],
};

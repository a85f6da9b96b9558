import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import { date, files, paragraph, required, section } from './build.ts';
import { br as t } from './br.ts';
import { closingSection } from './closing.ts';
import { languagesFrom } from './texts.ts';

/* The documents for the balance sheet and the yearly returns (ECF, DEFIS) of a company in Brazil. */

const none = { none: true } as const;

const books = section('books', t('Banks and balances'), [
  files('bank-december', t('Bank and investment statements for December {taxYear}, of all accounts'), {
    ...required,
    max: 100,
  }),
  files('bank-income', t('Income statements from the banks (informe de rendimentos)'), {
    ...required,
    ...none,
  }),
  files('inventory', t('Inventory on December 31, {taxYear}'), {
    ...required,
    ...none,
    hint: t('Items, quantities and values, signed by the person in charge.'),
  }),
  files('receivables', t('Amounts receivable from customers on December 31, {taxYear}'), {
    ...required,
    ...none,
  }),
  files('payables', t('Amounts payable to suppliers on December 31, {taxYear}'), { ...required, ...none }),
  files('assets', t('Fixed assets: purchases and sales, with invoices'), { ...none, max: 100 }),
  files('loans', t('Loans and financing: contracts and balances'), none),
]);

const partners = section('partners', t('Partners'), [
  files('owner-advances', t('Advances to partners, and loans with them'), { ...required, ...none }),
  files('profit-paid', t('Profit distributions and pro-labore paid'), { ...required, ...none }),
  files('contract-changes', t('Amendments to the articles of association'), none),
]);

const taxes = section('taxes', t('Taxes and obligations'), [
  files('withholding', t('Certificates of tax withheld'), none),
  files('instalments', t('Tax installment plans'), none),
  paragraph('undocumented', t('Expenses without an invoice: what, when and how much'), none),
  paragraph('lawsuits', t('Lawsuits that the company is part of'), none),
  date('certificate-until', t('Digital certificate valid until'), required),
  files('management-letter', t('Signed management representation letter'), {
    ...required,
    hint: t('We send you the text: download it, sign it and upload it here.'),
  }),
]);

export const brYearEnd: TemplateInput = {
  format: 1,
  key: 'br-year-end',
  country: 'BR',
  taxYear: 2026,
  languages: languagesFrom('pt'),
  label: t('Year-end closing documents {taxYear}'),
  sections: [books, partners, taxes, closingSection(t)],
};
